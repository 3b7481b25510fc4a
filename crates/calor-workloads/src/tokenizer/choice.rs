//! What is to be measured, and what is refused.

use std::path::PathBuf;

use crate::Error;
use crate::repeat::Plan;

/// Bounds of what may be asked for.
const LENGTHS: (usize, usize) = (1, 1 << 20);
const BATCHES: (usize, usize) = (1, 1 << 16);
const CACHES: (usize, usize) = (0, 1 << 20);
const THREADS: &str = "number of threads";
/// Values of an option at most: more would take longer than anybody waits.
const MOST: usize = 16;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Choice {
    /// A tokenizer.json; otherwise a vocabulary is trained.
    pub model: Option<PathBuf>,
    /// A text; otherwise one is generated.
    pub text: Option<PathBuf>,
    /// Lengths of inputs, in bytes.
    pub lengths: Vec<usize>,
    /// How many inputs are encoded together.
    pub batches: Vec<usize>,
    /// By how many threads.
    pub threads: Vec<usize>,
    /// Words that there is room for in the cache.
    pub caches: Vec<usize>,
    /// Decides the text.
    pub seed: u64,
    /// How often each case is repeated.
    pub plan: Plan,
    /// Bytes of text that are encoded: generated, or at most of a file.
    pub bytes: usize,
    /// Bytes of text that a vocabulary is trained on.
    pub training_bytes: usize,
    /// Tokens of that vocabulary.
    pub vocabulary: usize,
}

impl Choice {
    /// What is measured unless told otherwise.
    #[must_use]
    pub fn new(is_quick: bool, seed: u64) -> Self {
        let or = |quick: &[usize], full: &[usize]| if is_quick { quick } else { full }.to_vec();
        Self {
            model: None,
            text: None,
            lengths: or(&[64, 1_024, 16_384], &[64, 256, 1_024, 4_096, 16_384, 65_536]),
            batches: or(&[1, 32, 256], &[1, 8, 32, 128, 512]),
            threads: Self::default_threads(),
            caches: or(&[0, 1_000, 10_000, 100_000], &[0, 300, 1_000, 3_000, 10_000, 30_000, 100_000]),
            seed,
            plan: if is_quick { Plan::quick() } else { Plan::full() },
            bytes: if is_quick { 256 << 10 } else { 1 << 20 },
            training_bytes: if is_quick { 384 << 10 } else { 1 << 20 },
            vocabulary: if is_quick { 4_096 } else { 8_192 },
        }
    }

    /// One, doubled until there is one for each core.
    fn default_threads() -> Vec<usize> {
        let cores = cores();
        let mut threads: Vec<usize> = (0..).map(|n| 1 << n).take_while(|n| *n < cores).collect();
        threads.push(cores);
        threads
    }

    /// Refuses what cannot be measured, with what can.
    ///
    /// # Errors
    /// When a list is empty, too long, or has a value out of bounds.
    pub fn check(&self) -> Result<(), Error> {
        check("length", &self.lengths, LENGTHS)?;
        check("batch", &self.batches, BATCHES)?;
        check(THREADS, &self.threads, (1, cores()))?;
        check("cache", &self.caches, CACHES)
    }
}

/// Processors that threads may run on.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn check(what: &'static str, values: &[usize], (least, most): (usize, usize)) -> Result<(), Error> {
    let bounds = match (what, most) {
        (THREADS, 1) => "1: there is one core".to_owned(),
        (THREADS, _) => format!("{least} to {most}, as many as there are cores"),
        _ => format!("{least} to {most}"),
    };
    let refuse = |given: String, allowed: String| Err(Error::Choice { what, given, allowed });
    if let Some(beyond) = values.iter().find(|value| !(least..=most).contains(*value)) {
        return refuse(beyond.to_string(), bounds);
    }
    let refused = |given| refuse(given, format!("at most {MOST} values, each once, from {bounds}"));
    let twice = values.iter().enumerate().find(|(n, value)| values[..*n].contains(value));
    if let Some((_, value)) = twice {
        return refused(format!("{value}, twice"));
    }
    match values.len() {
        0 => refused("none".to_owned()),
        n if n > MOST => refused(format!("{n} values")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_bounds_is_answered_with_the_bounds() {
        let good = Choice::new(true, 1);
        assert!(good.check().is_ok() && Choice::new(false, 1).check().is_ok());
        let wrong = [
            (Choice { lengths: vec![0], ..good.clone() }, "expected 1 to 1048576"),
            (Choice { lengths: vec![64, 2 << 20], ..good.clone() }, "expected 1 to 1048576"),
            (
                Choice { batches: vec![], ..good.clone() },
                "expected at most 16 values, each once, from 1 to 65536",
            ),
            (
                Choice { batches: vec![8, 8], ..good.clone() },
                "8, twice; expected at most 16 values, each once",
            ),
            (Choice { threads: vec![cores() + 1], ..good.clone() }, "core"),
            (Choice { caches: (0..17).collect(), ..good }, "17 values; expected at most 16 values"),
        ];
        for (choice, expected) in wrong {
            let message = choice.check().expect_err("it is refused").to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
