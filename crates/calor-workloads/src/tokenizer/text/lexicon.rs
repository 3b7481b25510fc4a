//! The words of a language, the frequent ones first and shorter than the others, and how they are drawn.

use super::script::{Script, Sounds};
use crate::Random;

/// Zipf's law as Mandelbrot wrote it: frequency 1 / (rank + 2.7) ^ 1.05, which fits English.
const SHIFT: f64 = 2.7;
const EXPONENT: f64 = 1.05;

/// Of a thousand words, those that nobody wrote before: names, mistakes, inventions.
const NEW_WORDS: u32 = 15;

/// The words of a language.
#[derive(Debug)]
pub(super) struct Lexicon {
    script: &'static Script,
    words: Vec<String>,
    /// The sum of the frequencies up to each word, the last one 1.
    sums: Vec<f64>,
}

impl Lexicon {
    pub(super) fn new(script: &'static Script, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let words = (0..script.n_words).map(|rank| word(script, rank, &mut random)).collect();
        let mut sum = 0.0;
        let mut sums: Vec<f64> = (0..script.n_words)
            .map(|rank| {
                sum += (rank as f64 + SHIFT).powf(-EXPONENT);
                sum
            })
            .collect();
        sums.iter_mut().for_each(|part| *part /= sum);
        Self { script, words, sums }
    }

    /// Appends a word, as often as its rank has it.
    pub(super) fn push_word(&self, random: &mut Random, text: &mut String) {
        if random.below(1_000) < NEW_WORDS {
            let word = word(self.script, self.script.n_words, random);
            text.push_str(&word);
        } else {
            text.push_str(self.known(random));
        }
    }

    /// A word that is known.
    pub(super) fn known(&self, random: &mut Random) -> &str {
        // 53 bits: with fewer, words of the tail would never come.
        let drawn = (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
        let rank = self.sums.partition_point(|sum| *sum <= drawn);
        &self.words[rank.min(self.words.len() - 1)]
    }
}

/// A word of a rank: the first ones are short, as everywhere.
fn word(script: &Script, rank: usize, random: &mut Random) -> String {
    let (least, more) = match rank {
        0..60 => (1, 1),
        60..1_500 => (1, 2),
        1_500..8_000 => (2, 2),
        _ => (2, 3),
    };
    let n = least + random.below(more);
    let mut word = String::new();
    for _ in 0..n {
        match script.sounds {
            Sounds::Syllables { begin, middle, end } => {
                for sounds in [begin, middle, end] {
                    word.push_str(sound(sounds, random));
                }
            }
            Sounds::Characters { first, n } => {
                // The product of two numbers: some characters are in many words, most in few.
                let drawn = (u64::from(random.below(n)) * u64::from(random.below(n)) / u64::from(n)) as u32;
                word.extend(char::from_u32(first + drawn));
            }
        }
    }
    if word.is_empty() { "a".to_owned() } else { word }
}

fn sound<'a>(sounds: &'a str, random: &mut Random) -> &'a str {
    let n = sounds.split(' ').count() as u32;
    match sounds.split(' ').nth(random.below(n) as usize) {
        Some("-") | None => "",
        Some(sound) => sound,
    }
}
