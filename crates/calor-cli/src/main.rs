//! The `calor` command: a table of contents. Each subcommand is a module with its arguments and what it does
//! with them; [`input`], [`output`], [`progress`] and [`failure`] are what they share. A new one is a module with `Arguments`
//! and `run`, a variant of [`Command`] and an arm in [`main`].

#![forbid(unsafe_code)]

mod demo;
mod failure;
mod input;
mod output;
mod progress;
mod report;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  calor demo                                  profile a small transformer that comes along
  calor report profile.calor                  hot paths, allocators and call tree in the terminal
  calor report profile.calor -o report.html   the same as one page for the browser
  calor report profile.calor --format json    the same for scripts";

/// Examples come before everything else: most people read no further.
const HELP: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Finds out where time and memory of a program go, how sure that is, and what to do about it
#[derive(Parser)]
#[command(name = "calor", version, before_help = EXAMPLES, help_template = HELP, arg_required_else_help = true)]
struct Calor {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Arguments),
    Report(report::Arguments),
}

fn main() -> ExitCode {
    let done = match Calor::parse().command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::exit(&error),
    }
}
