//! Programs over text.

use std::collections::HashMap;
use std::fmt::Write;

use crate::chance::Chance;

/// Words of a language in which short ones are common.
fn words(n_bytes: usize, chance: &mut Chance) -> String {
    let mut text = String::with_capacity(n_bytes + 16);
    while text.len() < n_bytes {
        // Of 4,096 words, the product of two draws prefers the first.
        let word = chance.below(64) * chance.below(64);
        write!(text, "w{word:x} ").expect("writing to a string does not fail");
    }
    text
}

pub(super) fn strings(n: usize) -> u64 {
    let mut chance = Chance::new(14);
    let mut page = String::new();
    for line in 0..n {
        let value = chance.unit();
        writeln!(page, "{line}: value={value:.3} key=item-{}", chance.below(1_000))
            .expect("writing to a string does not fail");
    }
    page.len() as u64
}

pub(super) fn tokenizer(n: usize) -> u64 {
    let text = words(n, &mut Chance::new(15));
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut tokens: Vec<u32> = Vec::with_capacity(n / 2);
    for word in text.split_ascii_whitespace() {
        let next = numbers.len() as u32;
        tokens.push(*numbers.entry(word).or_insert(next));
    }
    let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
    tokens.windows(2).for_each(|pair| *pairs.entry((pair[0] % 64, pair[1] % 64)).or_default() += 1);
    tokens.len() as u64 + u64::from(pairs.values().copied().max().unwrap_or(0))
}

/// Greedy, with the last place of every hash, as quick compressors do it.
pub(super) fn compressor(n: usize) -> u64 {
    let text = words(n, &mut Chance::new(16)).into_bytes();
    let mut last = vec![0_u32; 1 << 15];
    let mut out: Vec<u8> = Vec::with_capacity(n);
    let mut at = 0;
    while at + 4 <= text.len() {
        let four = u32::from_le_bytes([text[at], text[at + 1], text[at + 2], text[at + 3]]);
        let slot = (four.wrapping_mul(2_654_435_761) >> 17) as usize;
        let before = std::mem::replace(&mut last[slot], at as u32) as usize;
        let length = text[at..].iter().zip(&text[before..]).take(255).take_while(|(a, b)| a == b).count();
        if before < at && length >= 4 {
            out.extend_from_slice(&((at - before) as u32).to_le_bytes()[..3]);
            out.push(length as u8);
            at += length;
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out.iter().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()))
}

pub(super) fn log_lines(n: usize) -> u64 {
    let mut chance = Chance::new(17);
    let lines: Vec<String> =
        (0..n).map(|at| format!("{at} user{} took {} ms", chance.below(500), chance.below(10_000))).collect();
    let mut took: HashMap<String, Vec<u32>> = HashMap::new();
    for line in &lines {
        let mut parts = line.split(' ').skip(1);
        if let (Some(user), Some(millis)) = (parts.next(), parts.nth(1)) {
            took.entry(user.to_owned()).or_default().push(millis.parse().unwrap_or(0));
        }
    }
    took.values_mut()
        .map(|times| {
            times.sort_unstable();
            u64::from(times[times.len() / 2])
        })
        .sum()
}
