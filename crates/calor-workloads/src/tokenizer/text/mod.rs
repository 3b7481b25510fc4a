//! The text that is encoded: made up, the same for a seed on every machine, with the statistics that tokenisers live on.
//! Words come by Zipf's law, so that few of them are most of the text and a cache is worth having; a tail of words that
//! come once keeps it from ever being complete. Most of it is in one alphabet, the rest in others, in code and in records
//! with numbers; runs of spaces, tabs and blank lines are there too. It means nothing.

mod code;
mod lexicon;
mod prose;
mod script;

use crate::Random;
use code::Code;
use lexicon::Lexicon;
use prose::prose;
use script::SCRIPTS;

/// Of a hundred documents, those that are source code or records; the others are prose.
const CODE: u32 = 12;
const RECORDS: u32 = 8;

/// What text is made of: words of several languages that do not exist.
#[derive(Debug)]
pub struct Source {
    seed: u64,
    lexicons: Vec<Lexicon>,
}

impl Source {
    /// Languages for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let lexicons = SCRIPTS.iter().zip(1..).map(|(script, n)| Lexicon::new(script, mixed(seed, n)));
        Self { seed, lexicons: lexicons.collect() }
    }

    /// At least so many bytes of text in these languages, up to the end of a document. Each number of a text is another
    /// one: what a vocabulary is trained on is not what is measured.
    #[must_use]
    pub fn text(&self, number: u64, bytes: usize) -> String {
        let mut random = Random::new(mixed(self.seed, 1_000 + number));
        let mut text = String::with_capacity(bytes + 4_096);
        while text.len() < bytes {
            self.document(&mut random, &mut text);
            text.push('\n');
        }
        text
    }

    fn document(&self, random: &mut Random, text: &mut String) {
        let kind = random.below(100);
        // Code and records have the words of the first language.
        let code = || Code { lexicon: &self.lexicons[0] };
        if kind < CODE {
            code().source(random, text);
        } else if kind < CODE + RECORDS {
            code().records(random, text);
        } else {
            let total = SCRIPTS.iter().map(|script| script.weight).sum();
            let mut drawn = random.below(total);
            let chosen = SCRIPTS.iter().position(|script| match drawn.checked_sub(script.weight) {
                Some(left) => {
                    drawn = left;
                    false
                }
                None => true,
            });
            let chosen = chosen.unwrap_or(0);
            prose(&SCRIPTS[chosen], &self.lexicons[chosen], random, text);
        }
    }
}

/// A seed of its own for each use.
fn mixed(seed: u64, n: u64) -> u64 {
    Random::new(seed ^ n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).bits()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_seed_is_a_text_and_each_number_another() {
        let source = Source::new(1);
        assert_eq!(source.text(1, 5_000), Source::new(1).text(1, 5_000));
        assert_ne!(source.text(1, 5_000), source.text(2, 5_000));
        assert_ne!(source.text(1, 5_000), Source::new(2).text(1, 5_000));
        assert!((5_000..50_000).contains(&source.text(1, 5_000).len()));
    }

    #[test]
    fn words_come_by_zipfs_law_with_a_tail_that_comes_once() {
        let text = Source::new(7).text(1, 300_000);
        let mut counts: HashMap<&str, usize> = HashMap::new();
        text.split_whitespace().for_each(|word| *counts.entry(word).or_default() += 1);
        let total: usize = counts.values().sum();
        let mut sorted: Vec<usize> = counts.values().copied().collect();
        sorted.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
        let top: usize = sorted[..100].iter().sum();
        let once = sorted.iter().filter(|count| **count == 1).count();
        assert!((0.15..0.6).contains(&(top as f64 / total as f64)), "{top} of {total}");
        assert!((0.35..0.85).contains(&(once as f64 / sorted.len() as f64)), "{once} of {}", sorted.len());
    }

    #[test]
    fn there_are_several_scripts_code_numbers_and_runs_of_spaces() {
        let text = Source::new(2025).text(1, 300_000);
        for wanted in ["    ", "\n\n", "\t", "fn ", "{\"", "'s ", " = "] {
            assert!(text.contains(wanted), "{wanted:?}");
        }
        let share = |is: fn(char) -> bool| {
            text.chars().filter(|c| is(*c)).count() as f64 / text.chars().count() as f64
        };
        assert!((0.5..0.95).contains(&share(|c| c.is_ascii())), "{}", share(|c| c.is_ascii()));
        assert!(share(|c| c.is_numeric()) > 0.01);
        for script in
            ['а'..='я', 'α'..='ω', '\u{4e00}'..='\u{9fff}', '\u{627}'..='\u{64a}', '\u{905}'..='\u{939}']
        {
            assert!(text.chars().any(|c| script.contains(&c)), "{script:?}");
        }
    }
}
