//! Memory that is read in an order that does not fit it: the columns of a matrix of rows, one field of large records,
//! and a list whose elements lie in no order.

use super::surroundings::Surroundings;
use super::{CPU, Case, HEAP};
use crate::planted::{Twins, Words};

pub(super) const COLUMNS: Case =
    Case { name: "columns-of-rows", rule: "MACHINE-STRIDED-ACCESS", write: columns, ..CPU };
pub(super) const FIELD: Case =
    Case { name: "one-field-of-records", rule: "MACHINE-STRIDED-ACCESS", write: field, ..CPU };
pub(super) const LIST: Case =
    Case { name: "scattered-list", rule: "MACHINE-LATENCY-BOUND", write: list, ..HEAP };

const BY_COLUMN: &str = "
#[inline(never)]
fn $name(matrix: &[$number], width: usize, sums: &mut [$number]) {
    for (column, sum) in sums.iter_mut().enumerate() {
        for row in 0..matrix.len() / width {
            *sum += matrix[row * width + column];
        }
    }
}
";

const BY_ROW: &str = "
#[inline(never)]
fn $name(matrix: &[$number], width: usize, sums: &mut [$number]) {
    for row in matrix.chunks_exact(width) {
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += number;
        }
    }
}
";

const MATRIX: &str = "
    let matrix: Vec<$number> = (0..$width * $height).map(|n| (n % 17) as $number).collect();
    let mut sums = vec![0 as $number; $width];
    for _ in 0..black_box($rounds) {
        $name(black_box(&matrix), black_box($width), &mut sums);
    }
    println!(\"{}\", sums[$width / 3]);
";

fn columns(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (120, 300));
    let name = words.function();
    let number = words.one_of(&["f64", "u64", "i64"]);
    let (width, height) = (words.between(1_800, 2_600), words.between(1_400, 2_200));
    let rounds = 150_000_000 / (width * height);
    around.twins(
        &name,
        (BY_COLUMN, MATRIX),
        (BY_ROW, MATRIX),
        &[("name", &name), ("number", &number), ("width", &width), ("height", &height), ("rounds", &rounds)],
    )
}

const RECORDS: &str = "
#[derive(Clone)]
struct Record {
    price: f64,
    rest: [u64; $rest],
}

struct Book {
    records: Vec<Record>,
    prices: Vec<f64>,
}

#[inline(never)]
fn $name(book: &Book, least: f64) -> u64 {
    book.$read.filter(|price| **price > least).count() as u64
}
";

const COUNT: &str = "
    let price = |n: u32| f64::from(n.wrapping_mul(2_654_435_761) >> 12);
    let records: Vec<Record> = (0..$length).map(|n| Record { price: price(n), rest: [u64::from(n); $rest] }).collect();
    let prices = records.iter().map(|record| record.price).collect();
    let book = Book { records, prices };
    let mut total = 0;
    for round in 0..black_box($rounds) {
        total += $name(black_box(&book), f64::from(round) * 1_000.0);
    }
    println!(\"{total} {}\", book.records[7].rest[1]);
";

fn field(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (120, 300));
    let name = words.function();
    let rest = words.between(15, 31);
    let length = 60_000_000 / (8 * rest);
    let rounds = 100_000_000 / length;
    let values = |read| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![("name", &name), ("rest", &rest), ("length", &length), ("rounds", &rounds), ("read", read)]
    };
    Twins {
        planted: around.program(RECORDS, COUNT, &values(&"records.iter().map(|record| &record.price)")),
        healthy: around.program(RECORDS, COUNT, &values(&"prices.iter()")),
        function: Some(name.clone()),
    }
}

const CHAIN: &str = "
struct Node {
    next: u32,
    value: u32,
    rest: [u32; $rest],
}

#[inline(never)]
fn $name(nodes: &[Node]) -> u64 {
    let (mut sum, mut at) = (0u64, $first);
    for _ in 0..nodes.len() {
        let node = &nodes[at as usize];
        sum = sum.rotate_left(1) ^ u64::from(node.value);
        at = node.next;
    }
    sum
}

/// Where the element of a place in the list was put: each somewhere else, in no order.
fn slot(place: u32) -> u32 {
    let mixed = place.wrapping_mul($odd) & ($length - 1);
    (mixed ^ (mixed >> 9)).wrapping_mul(0x2545_f491) & ($length - 1)
}
";

const WALK: &str = "
    let mut nodes: Vec<Node> = Vec::new();
    nodes.resize_with($length, || Node { next: 0, value: 0, rest: [0; $rest] });
    for place in 0..$length {
        let (here, next) = (slot(place), slot((place + 1) % $length));
        let (at, next) = $laid_out;
        nodes[at as usize] = Node { next, value: place ^ $mask, rest: [0; $rest] };
    }
    println!(\"{}\", (0..$rounds).fold(0, |sum: u64, _| sum.rotate_left(1) ^ $name(black_box(&nodes))));
";

fn list(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (250, 400));
    let name = words.function();
    let (length, rounds, rest) = [(1 << 22, 2, 2), (1 << 21, 4, 6)][words.between(0, 1) as usize];
    let (odd, mask) = (words.between(1 << 28, 1 << 29) * 2 + 1, words.between(1, 1 << 20));
    let values = |laid_out, first| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("length", &length),
            ("rounds", &rounds),
            ("rest", &rest),
            ("odd", &odd),
            ("mask", &mask),
            ("laid_out", laid_out),
            ("first", first),
        ]
    };
    Twins {
        planted: around.program(CHAIN, WALK, &values(&"(here, next)", &"slot(0)")),
        // In the order of the list; what was drawn is drawn all the same.
        healthy: around.program(
            CHAIN,
            WALK,
            &values(&"(place, (place + 1) % $length + 0 * (black_box(here) ^ next))", &"0"),
        ),
        function: Some(name.clone()),
    }
}
