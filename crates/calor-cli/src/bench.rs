//! `calor bench`: the workloads that come along, to measure a machine by, and to compare models, kernels, tokenizers and
//! compressors on it.
//!
//! A workload is a module with `Arguments` and `run`, a variant of `Workload` and an arm in [`run`]. It flattens [`Common`]
//! into its arguments, and hands its engine to [`measured`](measuring::measured), which does the rest.

mod choice;
mod compression;
mod measuring;
mod model;
mod simd;
mod tokenizer;
pub(crate) mod watched;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::ExitCode;

const EXAMPLES: &str = "\
Examples:
  calor bench model
  calor bench simd --quick
  calor bench tokenizer --quick
  calor bench compression --quick";

const AFTER: &str = "\
Every case is a scope of the run's profile: with --profile run.calor or --save, `calor compare`, `calor check`, \
`calor report`, `calor roofline` and `calor findings` read it like any other.";

/// Run the workloads that come along
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
// What there is stands in the usage, which is shown with the error about anything else.
#[command(arg_required_else_help = true, subcommand_value_name = "model|simd|tokenizer|compression")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    workload: Workload,
}

#[derive(Subcommand)]
enum Workload {
    Compression(compression::Arguments),
    Simd(simd::Arguments),
    Model(model::Arguments),
    Tokenizer(tokenizer::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.workload {
        Workload::Compression(arguments) => compression::run(arguments),
        Workload::Simd(arguments) => simd::run(arguments),
        Workload::Model(arguments) => model::run(arguments),
        Workload::Tokenizer(arguments) => tokenizer::run(arguments),
    }
}
