//! Memory that is held: blocks that nobody frees, a cache that nothing bounds, and values in a block each where one
//! block would hold all.

use super::surroundings::Surroundings;
use super::{Case, HEAP};
use crate::planted::{Saves, Twins, Words};

pub(super) const LEAK: Case =
    Case { name: "leaked-messages", rule: "HEAP-LEAK", saves: Saves::Memory, write: leak, ..HEAP };
pub(super) const GROWTH: Case =
    Case { name: "cache-without-bound", rule: "HEAP-GROWTH", saves: Saves::Memory, write: growth, ..HEAP };
pub(super) const SMALL_BLOCKS: Case = Case {
    name: "box-for-each-value",
    rule: "HEAP-HOTSPOT",
    saves: Saves::Memory,
    write: small_blocks,
    ..HEAP
};

const MESSAGES: &str = "
#[inline(never)]
fn $name(number: u64, length: usize) -> u64 {
    let text: Vec<u8> = (0..length).map(|n| (n as u64 ^ number) as u8).collect();
    let answer = text.iter().fold(number, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    $keep
    answer
}
";

const READ_ALL: &str = "
    let mut total = 0u64;
    for number in 0..black_box($rounds) {
        let length = black_box($length) + number as usize % 64;
        for repeat in 0..$repeats {
            total = total.wrapping_add($name(number + repeat, length) & 1);
        }
    }
    println!(\"{total}\");
";

fn leak(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (20, 60));
    let name = words.function();
    let length = words.between(300, 900);
    let repeats = words.between(12, 20);
    let rounds = 900_000_000 / (length * repeats);
    let keep = words.one_of(&[
        "if number % $repeats == 0 { std::mem::forget(text); }",
        "if number % $repeats == 0 { black_box(Box::leak(text.into_boxed_slice())); }",
        "if number % $repeats == 0 { black_box(std::rc::Rc::into_raw(std::rc::Rc::new(text))); }",
    ]);
    let values = |keep| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![("name", &name), ("length", &length), ("repeats", &repeats), ("rounds", &rounds), ("keep", keep)]
    };
    Twins {
        planted: around.program(MESSAGES, READ_ALL, &values(&keep)),
        healthy: around.program(MESSAGES, READ_ALL, &values(&"drop(text);")),
        function: Some(name.clone()),
    }
}

const CACHE: &str = "
#[inline(never)]
fn $name(cache: &mut std::collections::BTreeMap<u64, Vec<u8>>, key: u64) -> u64 {
    $bound
    let kept = cache.entry(key).or_insert_with(|| (0..$bytes).map(|n| (n ^ key) as u8).collect());
    kept.iter().fold(key, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
";

const ASK: &str = "
    let mut cache = std::collections::BTreeMap::new();
    let mut total = 0u64;
    let start = std::time::Instant::now();
    for step in 0..black_box(400) {
        // Questions come as they are asked.
        let next = start + std::time::Duration::from_millis(step * 9);
        std::thread::sleep(next.saturating_duration_since(std::time::Instant::now()));
        for question in step * $questions..(step + 1) * $questions {
            // A key comes again soon, or never.
            for repeat in 0..4 {
                total = total.wrapping_add($name(&mut cache, question + repeat % 2));
            }
        }
    }
    println!(\"{total} {}\", cache.len() > 0);
    drop(cache);
";

fn growth(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (20, 60));
    let name = words.function();
    let bytes = words.between(700, 3_000);
    let questions = words.between(60_000_000, 90_000_000) / 400 / bytes;
    let most = words.between(100, 400);
    let bound = format!("if cache.len() > {most} {{ cache.pop_first(); }}");
    let values = |bound| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![("name", &name), ("bytes", &bytes), ("questions", &questions), ("bound", bound)]
    };
    Twins {
        planted: around.program(CACHE, ASK, &values(&"")),
        healthy: around.program(CACHE, ASK, &values(&bound)),
        function: Some(name.clone()),
    }
}

const VALUES: &str = "
#[derive(Clone, Copy)]
struct Value {
    fields: [u32; $fields],
}

#[inline(never)]
fn $name(n: u32) -> Vec<$stored> {
    (0..n).map(|n| $make(Value { fields: [n ^ $mask; $fields] })).collect()
}
";

const GO_OVER: &str = "
    let values = $name(black_box($length));
    let mut total = 0u64;
    for round in 0..black_box($rounds) {
        for value in &values {
            total = value.fields.iter().fold(total ^ round, |sum, field| sum.rotate_left(3) ^ u64::from(*field));
        }
    }
    println!(\"{total}\");
";

fn small_blocks(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (60, 200));
    let name = words.function();
    let (fields, mask) = (words.between(6, 12), words.between(1, 1 << 20));
    let length = words.between(76, 96) * 1_000_000 / (4 * fields);
    let rounds = words.between(12, 18);
    let values = |stored, make| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("fields", &fields),
            ("mask", &mask),
            ("length", &length),
            ("rounds", &rounds),
            ("stored", stored),
            ("make", make),
        ]
    };
    Twins {
        planted: around.program(VALUES, GO_OVER, &values(&"Box<Value>", &"Box::new")),
        healthy: around.program(VALUES, GO_OVER, &values(&"Value", &"std::convert::identity")),
        function: Some(name.clone()),
    }
}
