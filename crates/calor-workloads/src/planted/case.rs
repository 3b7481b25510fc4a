//! One planted bottleneck: the rule that must find it, how it is recorded, and who writes the two programs.

use super::Words;

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Rust with the standard library alone.
    Rust,
    /// Rust that uses Calor's SDK: its scopes, locks and channels.
    RustWithCalor,
    /// Python with its standard library alone.
    Python,
    /// Python that needs numpy.
    Numpy,
}

/// Two programs that give the same answer.
#[derive(Clone, Debug)]
pub struct Twins {
    /// The program with the bottleneck.
    pub planted: String,
    /// The same program without it.
    pub healthy: String,
    /// The function where the bottleneck is, as a profile names its last part; none where it is the whole program's.
    pub function: Option<String>,
}

/// A planted bottleneck.
#[derive(Clone, Copy)]
pub struct Case {
    /// What it is called, in words joined by `-`.
    pub name: &'static str,
    /// The rule that has to find it.
    pub rule: &'static str,
    /// Rules whose finding would be right as well: the same cause seen from another side.
    pub also_right: &'static [&'static str],
    /// What both programs are written in.
    pub language: Language,
    /// The options that `calor record` needs to see it.
    pub options: &'static [&'static str],
    /// Whether the fix makes the program faster, so that the predicted gain can be held against a measured one.
    pub is_faster_healthy: bool,
    pub(super) write: fn(&mut Words) -> Twins,
}

impl Case {
    /// The programs of this case for a seed.
    #[must_use]
    pub fn twins(&self, seed: u64) -> Twins {
        (self.write)(&mut Words::new(seed))
    }
}
