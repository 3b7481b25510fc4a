//! The `calor` command: a table of contents. Each subcommand is a module with its arguments and what it does with
//! them; `input`, `output`, `format`, `news`, `number`, `progress`, `terminal` and `failure` are what they share. A new
//! one is a module with `Arguments` and `run`, a variant of `Subcommands` and an arm in [`run`].
//!
//! It is a library so that the Python package can have the command inside the one native module it has anyway: a
//! program beside it would hold nearly the same code a second time.

#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod ab;
mod annotate;
mod baseline;
#[cfg(feature = "workloads")]
mod bench;
mod check;
mod command_line;
mod commands;
mod compare;
mod completions;
mod convert;
#[cfg(feature = "workloads")]
mod demo;
mod doctor;
mod exit_code;
mod failure;
mod findings;
mod flame;
mod forecast;
mod format;
mod heap;
mod history;
mod input;
mod language;
#[cfg(target_os = "linux")]
mod launch;
mod machine;
mod man;
mod metric;
mod news;
mod number;
mod output;
mod page;
mod progress;
mod project;
#[cfg(target_os = "linux")]
mod record;
mod report;
mod roofline;
mod schema;
mod settings;
#[cfg(target_os = "linux")]
mod stat;
mod store;
mod table;
mod terminal;
#[cfg(target_os = "linux")]
mod top;
#[cfg(target_os = "linux")]
mod verify;
mod whatif;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use exit_code::ExitCode;

const EXAMPLES: &str = "\
Examples:
  calor record -- python train.py             sample any program, Python too
  calor top -p 1234                           the same live, in the terminal
  calor report profile.calor                  where time and memory go
  calor findings profile.calor                what to change, and what it gives
  calor flame profile.calor -o flame.svg      a flame graph
  calor demo                                  profile what comes along
  calor doctor                                what works on this machine";

/// Examples come before everything else: most people read no further.
const HELP: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Finds out where time and memory of a program go, and what to do about it
#[derive(Parser)]
#[command(name = "calor", version, before_help = EXAMPLES, arg_required_else_help = true)]
struct Calor {
    /// Say nothing but errors on standard error
    #[arg(short, long, global = true, display_order = 100)]
    quiet: bool,
    /// Where saved runs are. Every command takes it; those that are about the store tell of it.
    #[arg(long, value_name = "DIR", global = true, hide = true)]
    store: Option<PathBuf>,
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    #[cfg(feature = "workloads")]
    Demo(demo::Arguments),
    #[cfg(feature = "workloads")]
    Bench(bench::Arguments),
    #[cfg(target_os = "linux")]
    Record(record::Arguments),
    #[cfg(target_os = "linux")]
    Top(top::Arguments),
    #[cfg(target_os = "linux")]
    Stat(stat::Arguments),
    #[cfg(target_os = "linux")]
    Ab(ab::Arguments),
    #[cfg(target_os = "linux")]
    Verify(verify::Arguments),
    Report(report::Arguments),
    Annotate(annotate::Arguments),
    Heap(heap::Arguments),
    Findings(findings::Arguments),
    Roofline(roofline::Arguments),
    Flame(flame::Arguments),
    Whatif(whatif::Arguments),
    Forecast(forecast::Arguments),
    Convert(convert::Arguments),
    Compare(compare::Arguments),
    Check(check::Arguments),
    History(history::Arguments),
    Store(store::Arguments),
    Baseline(baseline::Arguments),
    Doctor(doctor::Arguments),
    Machine(machine::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// Runs the command that was typed, whose first word is the command's own name. It prints, and takes what it needs of
/// the process: settings of the command line hold until the process ends, so there is one call in each.
pub fn run(typed: Vec<OsString>) -> ExitCode {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(&typed);
    command_line::keep(typed);
    let given = match matches.and_then(|matches| Calor::from_arg_matches(&matches)) {
        Ok(given) => given,
        Err(error) => {
            let error = commands::suggest(error, &command);
            // Standard error may be closed, and then there is nobody left to tell.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(failure::FAILED));
        }
    };
    if given.quiet {
        news::silence();
    }
    if let Some(folder) = given.store {
        project::choose_store(folder);
    }
    let done = match given.command {
        #[cfg(feature = "workloads")]
        Subcommands::Demo(arguments) => demo::run(&arguments),
        #[cfg(feature = "workloads")]
        Subcommands::Bench(arguments) => {
            return bench::run(&arguments).unwrap_or_else(|error| failure::exit(&error));
        }
        #[cfg(target_os = "linux")]
        Subcommands::Record(arguments) => {
            return record::run(&arguments).unwrap_or_else(|error| failure::exit(&error));
        }
        #[cfg(target_os = "linux")]
        Subcommands::Stat(arguments) => {
            return stat::run(&arguments).unwrap_or_else(|error| failure::exit(&error));
        }
        #[cfg(target_os = "linux")]
        Subcommands::Ab(arguments) => {
            return ab::run(&arguments).unwrap_or_else(|error| failure::exit(&error));
        }
        #[cfg(target_os = "linux")]
        Subcommands::Verify(arguments) => {
            return verify::run(&arguments).unwrap_or_else(|error| failure::exit(&error));
        }
        Subcommands::Findings(arguments) => {
            return findings::run(&arguments).unwrap_or_else(|error| failure::exit(&error));
        }
        Subcommands::Whatif(arguments) => {
            return whatif::run(&arguments).unwrap_or_else(|error| failure::exit(&error));
        }
        Subcommands::Check(arguments) => {
            return check::run(&arguments).unwrap_or_else(|error| failure::exit(&error));
        }
        #[cfg(target_os = "linux")]
        Subcommands::Top(arguments) => top::run(&arguments),
        Subcommands::Report(arguments) => report::run(&arguments),
        Subcommands::Annotate(arguments) => annotate::run(&arguments),
        Subcommands::Heap(arguments) => heap::run(&arguments),
        Subcommands::Roofline(arguments) => roofline::run(&arguments),
        Subcommands::Flame(arguments) => flame::run(&arguments),
        Subcommands::Forecast(arguments) => forecast::run(&arguments),
        Subcommands::Convert(arguments) => convert::run(&arguments),
        Subcommands::Compare(arguments) => compare::run(&arguments),
        Subcommands::History(arguments) => history::run(&arguments),
        Subcommands::Store(arguments) => store::run(&arguments),
        Subcommands::Baseline(arguments) => baseline::run(&arguments),
        Subcommands::Doctor(arguments) => doctor::run(&arguments),
        Subcommands::Machine(arguments) => machine::run(&arguments),
        Subcommands::Schema(arguments) => schema::run(&arguments),
        Subcommands::Completions(arguments) => completions::run(&arguments),
        Subcommands::Man(arguments) => man::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::exit(&error),
    }
}

/// The whole command line as clap knows it.
fn command() -> Command {
    let command = Calor::command();
    let groups = commands::groups(&command);
    let commands = format!("Commands, each with --help:\n{groups}\n\nOptions:\n{{options}}");
    let command = command.help_template(HELP.replace("{all-args}{after-help}", &commands));
    // Lines that are broken by the terminal itself tear words apart.
    match terminal::columns() {
        Some(columns) => command.term_width(columns.clamp(40, 100)),
        None => command,
    }
}
