//! One planted bottleneck: the rule that must find it, how it is built and recorded, and who writes the two programs.

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

/// What the fix saves, and by which clock the twins are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    /// Work of the processor. On a busy machine only CPU time tells it.
    Cpu,
    /// Time by the clock: waiting, or work that could be done at once.
    Wall,
    /// Memory: no gain in time is predicted, so none is measured.
    Memory,
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
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What it is called, in words joined by `-`.
    pub name: &'static str,
    /// The rule that has to find it.
    pub rule: &'static str,
    /// Rules whose finding would be right as well: the same cause seen from another side.
    pub also_right: &'static [&'static str],
    /// What both programs are written in.
    pub language: Language,
    /// What the compiler is told beyond the usual, such as `-Ctarget-cpu=native`.
    pub flags: &'static [&'static str],
    /// The options that `calor record` needs to see it.
    pub options: &'static [&'static str],
    /// What the healthy twin has less of.
    pub saves: Saves,
    pub(super) write: fn(&mut Words) -> Twins,
}

impl Case {
    /// The programs of this case for a seed.
    #[must_use]
    pub fn twins(&self, seed: u64) -> Twins {
        (self.write)(&mut Words::of(self.name, seed))
    }
}

/// A program without a bottleneck that a fix would take away, and without a twin: whatever is found in it is false.
#[derive(Clone, Copy, Debug)]
pub struct Healthy {
    /// What it is called, in words joined by `-`.
    pub name: &'static str,
    /// What it is written in.
    pub language: Language,
    /// What the compiler is told beyond the usual.
    pub flags: &'static [&'static str],
    /// The options that it is recorded with.
    pub options: &'static [&'static str],
    pub(super) write: fn(&mut Words) -> String,
}

impl Healthy {
    /// The program for a seed.
    #[must_use]
    pub fn program(&self, seed: u64) -> String {
        (self.write)(&mut Words::of(self.name, seed))
    }
}
