//! Records as an interface hands them out: the same keys again and again, values of every kind.

use std::io::Write;

use super::frequent;
use crate::Random;

const CITIES: &[&str] =
    &["Berlin", "Lagos", "São Paulo", "Osaka", "Toronto", "Nairobi", "Lyon", "Kraków", "Hanoi", "Austin"];
const TAGS: &[&str] =
    &["new", "sale", "fragile", "gift", "bulk", "imported", "eco", "returned", "priority", "subscription"];
const CURRENCIES: &[&str] = &["EUR", "USD", "JPY", "BRL", "NGN"];
const NAMES: &[&str] =
    &["anna", "ben", "chidi", "daniela", "emre", "fatima", "george", "hana", "ivan", "joana", "kofi", "lin"];

pub(super) fn write(random: &mut Random, out: &mut Vec<u8>, length: usize) {
    let mut id = 100_000 + random.below(100_000);
    while out.len() < length {
        id += 1 + random.below(3);
        record(random, out, id);
    }
}

fn record(random: &mut Random, out: &mut Vec<u8>, id: u32) {
    let (name, city) = (frequent(random, NAMES), frequent(random, CITIES));
    let (a, b) = (random.bits(), random.bits());
    let number = random.below(9_000) + 1_000;
    // Writing to memory does not fail.
    let _ = write!(
        out,
        "{{\"id\":{id},\"uuid\":\"{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}\",\"customer\":{{\"name\":\"{name}{number}\",\
         \"email\":\"{name}{number}@example.com\",\"city\":\"{city}\",\"vip\":{}}},\"currency\":\"{}\",\"items\":[",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        b & 0xfff,
        b >> 16,
        random.below(10) == 0,
        frequent(random, CURRENCIES),
    );
    let n_items = 1 + random.below(4);
    let mut cents = 0;
    for at in 0..n_items {
        let (price, quantity) = (99 + random.below(20_000), 1 + random.below(5));
        cents += price * quantity;
        let _ = write!(
            out,
            "{}{{\"sku\":\"SKU-{:05}\",\"quantity\":{quantity},\"price\":{}.{:02},\"tags\":[\"{}\",\"{}\"],\
             \"weight_kg\":{:.3}}}",
            if at > 0 { "," } else { "" },
            random.below(3_000),
            price / 100,
            price % 100,
            frequent(random, TAGS),
            frequent(random, TAGS),
            random.unit() * 12.0,
        );
    }
    let _ = writeln!(
        out,
        "],\"total\":{}.{:02},\"shipped\":{},\"note\":null,\"created_at\":\"2026-0{}-{:02}T{:02}:{:02}:00Z\"}}",
        cents / 100,
        cents % 100,
        random.below(3) != 0,
        1 + random.below(9),
        1 + random.below(28),
        random.below(24),
        random.below(60),
    );
}
