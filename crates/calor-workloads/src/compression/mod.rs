//! Compressors side by side, on data of one's own or on six made-up kinds: how fast they compress and decompress, how small the
//! result is, how much memory they take, and which of them serves a purpose best.
//!
//! **You get** a [`Bench`] from [`run`]: every case is verified byte for byte before it is timed, in memory, with contexts that
//! are used again for every block. **You bring** a [`Choice`]. **Not for** compressors that use several threads, or dictionaries.

mod advice;
mod algorithm;
mod allocated;
mod amounts;
pub mod codec;
mod corpus;
mod front;
mod goal;
mod levels;
mod measure;
mod page;
mod source;

use std::path::PathBuf;
use std::time::Duration;

use calor_report::bench::Bench;

pub use algorithm::{Algorithm, Setting};
pub use amounts::{Block, Rate, size};
pub use corpus::Corpus;
pub use goal::{Candidate, Goal, Terms, Verdict};
pub use levels::Levels;
pub use measure::{Measured, Pace, measure};
pub use source::Source;

use crate::repeat::Plan;
use crate::{Error, Watch};

/// How much is made up of each kind, and how much is read of a file at most.
const MADE: usize = 2 << 20;
const MADE_QUICK: usize = 512 << 10;
const READ: usize = 16 << 20;
const READ_QUICK: usize = 2 << 20;
/// What a user may ask for: below, everything is header; above, LZ4 takes no block.
const LEAST_SAMPLE: usize = 4 << 10;
const MOST_SAMPLE: usize = 1 << 30;

/// What is to be measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// Files to compress; without any, data is made up.
    pub files: Vec<PathBuf>,
    /// The algorithms.
    pub algorithms: Vec<Algorithm>,
    /// Their levels.
    pub levels: Levels,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The purposes; `None` for those that fit the data.
    pub goals: Option<Vec<Goal>>,
    /// What purposes are judged by.
    pub terms: Terms,
    /// The most that is read of a file, or made up of each kind; `None` for the usual.
    pub sample: Option<usize>,
    /// Decides what is made up.
    pub seed: u64,
    /// Fewer levels, less data, fewer repetitions.
    pub is_quick: bool,
}

impl Choice {
    /// What is measured unless somebody asks for something else.
    #[must_use]
    pub fn usual(is_quick: bool) -> Self {
        Self {
            files: Vec::new(),
            algorithms: Algorithm::ALL.to_vec(),
            levels: Levels::default(),
            blocks: if is_quick { vec![Block::All] } else { vec![Block::Bytes(64 << 10), Block::All] },
            goals: None,
            terms: Terms { link: Rate::new(200e6), budget: Rate::new(50e6) },
            sample: None,
            seed: 2025,
            is_quick,
        }
    }

    /// Whether it can be measured.
    ///
    /// # Errors
    ///
    /// A message that tells what would be allowed.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |what, given: &str, allowed: &str| {
            Err(Error::Choice { what, given: given.to_owned(), allowed: allowed.to_owned() })
        };
        if self.algorithms.is_empty() {
            return refuse("algorithm", "none", "zstd, lz4, deflate, gzip, snappy or brotli");
        }
        if self.blocks.is_empty() {
            return refuse("block size", "none", "64 bytes to 1G, such as 4K or 64K, or all");
        }
        if let Some(sample) = self.sample.filter(|sample| !(LEAST_SAMPLE..=MOST_SAMPLE).contains(sample)) {
            return refuse("sample size", &sample.to_string(), "4K to 1G, such as 16M");
        }
        self.settings().map(drop)
    }

    fn settings(&self) -> Result<Vec<Setting>, Error> {
        let mut algorithms = Vec::new();
        for algorithm in &self.algorithms {
            if !algorithms.contains(algorithm) {
                algorithms.push(*algorithm);
            }
        }
        self.levels.settings(&algorithms, self.is_quick)
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks = self.blocks.clone();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// How often a case is repeated, each way.
    fn plan(&self) -> Plan {
        if self.is_quick {
            Plan { time: Duration::from_millis(40), ..Plan::quick() }
        } else {
            Plan { time: Duration::from_millis(150), ..Plan::full() }
        }
    }

    fn sources(&self) -> Result<Vec<Source>, Error> {
        let [made, read] = if self.is_quick { [MADE_QUICK, READ_QUICK] } else { [MADE, READ] };
        if self.files.is_empty() {
            let length = self.sample.unwrap_or(made);
            Ok(Corpus::ALL.into_iter().map(|corpus| Source::made(corpus, self.seed, length)).collect())
        } else {
            Source::read_all(&self.files, self.sample.unwrap_or(read))
        }
    }

    /// The purposes that are judged: those asked for, or of made-up data all, of files those that need no kind.
    fn goals(&self) -> Vec<Goal> {
        match &self.goals {
            Some(goals) => goals.clone(),
            None if self.files.is_empty() => Goal::ALL.to_vec(),
            None => vec![Goal::Link, Goal::Small],
        }
    }
}

/// Measures what was chosen.
///
/// # Errors
///
/// The choice cannot be measured, a file cannot be read, a library failed, or somebody asked for the end at once.
pub fn run(choice: &Choice, watch: &dyn Watch) -> Result<Bench, Error> {
    choice.check()?;
    watch.at(0, 0, "preparing the data");
    let (settings, blocks, plan) = (choice.settings()?, choice.blocks(), choice.plan());
    let sources = choice.sources()?;
    let mut cases: Vec<Vec<Measured>> = sources.iter().map(|_| Vec::new()).collect();
    let weight = |setting: &Setting, source: &Source| weight(*setting, source.data.len(), &plan);
    let of_all = |source| settings.iter().map(|setting| weight(setting, source)).sum::<usize>();
    let total = sources.iter().map(of_all).sum::<usize>() * blocks.len();
    let mut done = 0;
    let mut is_complete = true;
    'all: for (source, measured) in sources.iter().zip(&mut cases) {
        for block in &blocks {
            for setting in &settings {
                if watch.is_stopped() {
                    is_complete = false;
                    break 'all;
                }
                watch.at(done, total, &format!("{setting}, {}, {block}", source.name));
                measured.push(measure(*setting, source, *block, &plan)?);
                done += weight(setting, source);
            }
        }
    }
    if done == 0 {
        return Err(Error::Stopped);
    }
    Ok(page::page(choice, &sources, &cases, is_complete))
}

/// About how long a case takes, in milliseconds: for people who wait.
fn weight(setting: Setting, length: usize, plan: &Plan) -> usize {
    let pass = length as f64 / setting.algorithm.guessed_speed(setting.level.unwrap_or_default()) / 1e6;
    let planned = plan.time.as_secs_f64() * 1e3;
    let least = if pass > 150.0 { 3 } else { plan.least };
    // A warm-up and the verification come on top; decompressing is quick everywhere.
    (3.0 * pass + planned.max(f64::from(least) * pass) + planned) as usize + 1
}

#[cfg(test)]
mod tests;
