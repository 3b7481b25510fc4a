//! Blocks that come and go: one for each call that is freed at its end, a window of blocks that moves on, containers
//! that grow step by step, and large blocks that the kernel makes ready each time. The twins keep what they have.

use super::surroundings::Surroundings;
use super::{CPU, Case, HEAP};
use crate::planted::{Twins, Words};

pub(super) const TEMPORARIES: Case =
    Case { name: "temporary-vector", rule: "HEAP-TEMPORARY-ALLOCATIONS", write: temporaries, ..HEAP };
pub(super) const CHURN: Case = Case { name: "window-of-boxes", rule: "HEAP-CHURN", write: churn, ..HEAP };
pub(super) const GROWING: Case =
    Case { name: "vector-without-room", rule: "HEAP-STEPWISE-GROWTH", write: growing, ..CPU };
pub(super) const PAGES: Case = Case { name: "fresh-pages", rule: "HEAP-PAGE-FAULTS", write: pages, ..HEAP };

const NEW_EACH_TIME: &str = "
#[inline(never)]
fn $name(values: &[u32]) -> u32 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted[$length / 2] ^ sorted[0]
}
";

const KEPT: &str = "
#[inline(never)]
fn $name(values: &[u32], sorted: &mut Vec<u32>) -> u32 {
    sorted.clear();
    sorted.extend_from_slice(values);
    sorted.sort_unstable();
    sorted[$length / 2] ^ sorted[0]
}
";

const MEDIANS: &str = "
    let values: Vec<u32> = (0..4096u32).map(|n| n.wrapping_mul(2_654_435_761) >> 7).collect();
    let mut total = 0u64;
    $kept
    for round in 0..black_box($rounds) {
        let first = round * 13 % (4096 - $length);
        total += u64::from($name(&values[first..first + $length]$passed));
    }
    println!(\"{total}\");
";

fn temporaries(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (40, 120));
    let name = words.function();
    let length = words.between(5, 12);
    let rounds = 180_000_000 / (length * 2);
    let values = |kept, passed| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![("name", &name), ("length", &length), ("rounds", &rounds), ("kept", kept), ("passed", passed)]
    };
    Twins {
        planted: around.program(NEW_EACH_TIME, MEDIANS, &values(&"", &"")),
        healthy: around.program(KEPT, MEDIANS, &values(&"let mut sorted = Vec::new();", &", &mut sorted")),
        function: Some(name.clone()),
    }
}

const BOXES: &str = "
#[inline(never)]
fn $name(window: &mut std::collections::VecDeque<Box<[u64; $words]>>, item: u64) -> u64 {
    window.push_back(Box::new([item; $words]));
    let oldest = window.pop_front().unwrap_or_default();
    oldest[0] ^ oldest[$words - 1].rotate_left(5)
}
";

const SAME_BOXES: &str = "
#[inline(never)]
fn $name(window: &mut std::collections::VecDeque<Box<[u64; $words]>>, item: u64) -> u64 {
    let mut oldest = window.pop_front().unwrap_or_default();
    let answer = oldest[0] ^ oldest[$words - 1].rotate_left(5);
    oldest.fill(item);
    window.push_back(oldest);
    answer
}
";

const MOVE_ON: &str = "
    let mut window = (0..$window).map(|n| Box::new([n; $words])).collect();
    let mut total = 0u64;
    for item in 0..black_box($rounds) {
        total = total.wrapping_mul(31).wrapping_add($name(&mut window, item * 3));
    }
    println!(\"{total}\");
";

fn churn(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (40, 120));
    let name = words.function();
    let (n_words, window) = (words.between(4, 24), words.between(40, 300));
    let rounds = words.between(14_000_000, 18_000_000);
    around.twins(
        &name,
        (BOXES, MOVE_ON),
        (SAME_BOXES, MOVE_ON),
        &[("name", &name), ("words", &n_words), ("window", &window), ("rounds", &rounds)],
    )
}

const COLLECT: &str = "
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    parts: [u32; $parts],
}

#[inline(never)]
fn $name(first: u64, n: u64) -> Vec<Entry> {
    let mut entries = $empty;
    for key in first..first + n {
        entries.push(Entry { key: key ^ 0x55, parts: [key as u32; $parts] });
    }
    entries
}
";

const ASK_FOR_ALL: &str = "
    let mut total = 0u64;
    for round in 0..black_box($rounds) {
        let entries = black_box($name(round, $length));
        total += entries[(round % $length) as usize].key + u64::from(entries[0].parts[0]);
    }
    println!(\"{total}\");
";

fn growing(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (60, 250));
    let name = words.function();
    // Few entries, so that growing is much of the work: the longer a vector, the less of it.
    let (parts, length) = (words.between(1, 4) * 2, words.between(8, 36));
    let rounds = 130_000_000 / (length + 8);
    let values = |empty| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![("name", &name), ("parts", &parts), ("length", &length), ("rounds", &rounds), ("empty", empty)]
    };
    Twins {
        planted: around.program(COLLECT, ASK_FOR_ALL, &values(&"Vec::new()")),
        healthy: around.program(COLLECT, ASK_FOR_ALL, &values(&"Vec::with_capacity(n as usize)")),
        function: Some(name.clone()),
    }
}

const FRESH: &str = "
#[inline(never)]
fn $name(frame: u64) -> u64 {
    let mut pixels = vec![0u8; $bytes];
    for (n, pixel) in pixels.iter_mut().enumerate() {
        *pixel = (n as u64 + frame) as u8;
    }
    black_box(&pixels).iter().map(|pixel| u64::from(*pixel)).sum()
}
";

const REUSED: &str = "
#[inline(never)]
fn $name(frame: u64, pixels: &mut Vec<u8>) -> u64 {
    pixels.clear();
    pixels.resize($bytes, 0);
    for (n, pixel) in pixels.iter_mut().enumerate() {
        *pixel = (n as u64 + frame) as u8;
    }
    black_box(&*pixels).iter().map(|pixel| u64::from(*pixel)).sum()
}
";

const FRAMES: &str = "
    let mut total = 0u64;
    $kept
    for frame in 0..black_box($rounds) {
        total += $name(frame$passed);
    }
    println!(\"{total}\");
";

fn pages(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (60, 250));
    let name = words.function();
    // Larger than any threshold up to which an allocator that learns would keep it.
    let bytes = words.between(34, 48) << 20;
    let rounds = 1_200_000_000 / bytes;
    let values = |kept, passed| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![("name", &name), ("bytes", &bytes), ("rounds", &rounds), ("kept", kept), ("passed", passed)]
    };
    Twins {
        planted: around.program(FRESH, FRAMES, &values(&"", &"")),
        healthy: around.program(REUSED, FRAMES, &values(&"let mut pixels = Vec::new();", &", &mut pixels")),
        function: Some(name.clone()),
    }
}
