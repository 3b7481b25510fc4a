//! Names and sizes of planted programs, drawn from a seed: the same program never looks the same twice, and no name
//! is drawn twice within one.

use crate::Random;

const VERBS: [&str; 24] = [
    "apply", "blend", "build", "carry", "check", "chart", "drain", "fetch", "grade", "index", "judge",
    "limit", "match_up", "merge", "order", "place", "rank", "route", "score", "shape", "split", "track",
    "trim", "weigh",
];
const NOUNS: [&str; 24] = [
    "batch",
    "beam",
    "board",
    "cell",
    "chunk",
    "claim",
    "frame",
    "grid",
    "layer",
    "ledger",
    "mask",
    "order_book",
    "page",
    "panel",
    "patch",
    "pixel",
    "quote",
    "ray",
    "record",
    "row",
    "signal",
    "token",
    "track_list",
    "wave",
];

/// Where a planted program takes its names and sizes from.
#[derive(Clone, Debug)]
pub struct Words {
    random: Random,
    drawn: Vec<String>,
}

impl Words {
    /// Equal seeds give equal programs.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), drawn: Vec::new() }
    }

    /// The words of one program of the suite: programs of one seed do not resemble each other either.
    pub(super) fn of(name: &str, seed: u64) -> Self {
        // FNV-1a: any function that spreads names well would do, as long as it stays the same.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self::new(hash ^ seed)
    }

    /// A name for a function, such as `grade_pixel`, that this program does not have yet.
    pub fn function(&mut self) -> String {
        loop {
            let name = format!("{}_{}", self.one_of(&VERBS), self.one_of(&NOUNS));
            if !self.drawn.contains(&name) {
                self.drawn.push(name.clone());
                return name;
            }
        }
    }

    /// One of these.
    pub fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.below(choices.len() as u32) as usize]
    }

    /// A whole number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.random.below(high - low + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_draw_equal_names_and_others_do_not() {
        let draw = |seed| {
            let mut words = Words::new(seed);
            (0..5).map(|_| words.function()).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn programs_of_one_seed_have_words_of_their_own() {
        assert_ne!(Words::of("leak", 1).function(), Words::of("copies", 1).function());
    }

    #[test]
    fn no_program_has_two_functions_of_one_name() {
        let mut words = Words::new(9);
        let mut names: Vec<String> = (0..200).map(|_| words.function()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 200);
    }

    #[test]
    fn numbers_lie_between_their_bounds() {
        let mut words = Words::new(4);
        let drawn: Vec<u32> = (0..1_000).map(|_| words.between(3, 5)).collect();
        assert!((3..=5).all(|number| drawn.contains(&number)) && drawn.iter().all(|n| (3..=5).contains(n)));
    }
}
