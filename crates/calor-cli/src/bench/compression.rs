//! `calor bench compression`: compressors side by side, on files of one's own or on made-up data.

use std::path::PathBuf;

use anyhow::Result;
use calor_workloads::compression::{
    Algorithm, Block, Choice, Goal, Levels, Rate, Terms, run as measure, size,
};
use clap::Args;

use super::choice::Common;
use super::measuring::{measured, repeated_by_time};
use crate::ExitCode;

const EXAMPLES: &str = "\
Examples:
  calor bench compression --quick
  calor bench compression app.log --algo zstd,lz4 --link 1Gbit/s
  calor bench compression app.log --levels zstd:1..9,19 --block 4K,64K,all
  calor bench compression model.safetensors --goal weights --link 2GB/s
  calor bench compression --algo zstd --budget 20MB/s -o compression.html";

const AFTER: &str = "\
Everything is in memory, on one thread, with contexts that are used again for every block; the clock is the thread's CPU \
time. Each case is decompressed and compared byte for byte before it is timed. Levels: zstd -7 to 22, lz4 -9 to -1 and 1 to \
12, deflate and gzip 0 to 9, brotli 0 to 11, snappy none. docs/bench-compression.md tells how it is measured.";

/// Compare compressors: speed, ratio, memory, and which to use when
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// Files to compress [default: text, logs, JSON, tensors and noise, made up]
    files: Vec<PathBuf>,
    /// The algorithms: zstd, lz4, deflate, gzip, snappy, brotli [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = algorithm)]
    algo: Vec<Algorithm>,
    /// Their levels: 1,3,9 for all of them, or zstd:1..9,19,lz4:1 for each its own [default: some of each]
    #[arg(long, value_name = "LEVELS", value_parser = levels, allow_hyphen_values = true)]
    levels: Option<Levels>,
    /// Sizes of blocks, each compressed by itself: 4K, 64K, 1M, all [default: 64K,all; with --quick all]
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = block)]
    block: Vec<Block>,
    /// The link, or disk, that data goes over: 200MB/s, 1Gbit/s
    #[arg(long, value_name = "RATE", default_value = "200MB/s", value_parser = rate, allow_hyphen_values = true)]
    link: Rate,
    /// The CPU budget of the goals small and logs: what a core has to compress in a second at least
    #[arg(long, value_name = "RATE", default_value = "50MB/s", value_parser = rate, allow_hyphen_values = true)]
    budget: Rate,
    /// Purposes: link, small, logs, weights, checkpoints [default: all; of files link,small]
    #[arg(long, value_name = "GOALS", value_delimiter = ',', value_parser = goal)]
    goal: Vec<Goal>,
    /// The most to read of a file, in pieces spread over it, or to make up [default: 16M of a file]
    #[arg(long, value_name = "SIZE", value_parser = sample)]
    sample: Option<usize>,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let choice = arguments.choice();
    choice.check()?;
    arguments.common.refuse_bad_places(&arguments.files)?;
    let settings = [
        ("files", arguments.files.len().to_string()),
        ("blocks", choice.blocks.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
        ("seed", choice.seed.to_string()),
        ("quick", choice.is_quick.to_string()),
    ];
    repeated_by_time();
    measured(&arguments.common, "compression", &settings, |watch| measure(&choice, watch), |_, _| Ok(()))
}

impl Arguments {
    fn choice(&self) -> Choice {
        let mut choice = Choice::usual(self.common.quick);
        choice.files.clone_from(&self.files);
        if !self.algo.is_empty() {
            choice.algorithms.clone_from(&self.algo);
        }
        if let Some(levels) = &self.levels {
            choice.levels = levels.clone();
        }
        if !self.block.is_empty() {
            choice.blocks.clone_from(&self.block);
        }
        choice.goals = (!self.goal.is_empty()).then(|| self.goal.clone());
        choice.terms = Terms { link: self.link, budget: self.budget };
        choice.sample = self.sample;
        choice.seed = self.common.seed;
        choice
    }
}

fn algorithm(given: &str) -> Result<Algorithm, String> {
    given.parse().map_err(|error: calor_workloads::Error| error.to_string())
}

fn levels(given: &str) -> Result<Levels, String> {
    given.parse().map_err(|error: calor_workloads::Error| error.to_string())
}

fn block(given: &str) -> Result<Block, String> {
    given.parse().map_err(|error: calor_workloads::Error| error.to_string())
}

fn rate(given: &str) -> Result<Rate, String> {
    given.parse().map_err(|error: calor_workloads::Error| error.to_string())
}

fn goal(given: &str) -> Result<Goal, String> {
    given.parse().map_err(|error: calor_workloads::Error| error.to_string())
}

fn sample(given: &str) -> Result<usize, String> {
    size(given).ok_or_else(|| "expected a size from 4K to 1G, such as 16M".to_owned())
}
