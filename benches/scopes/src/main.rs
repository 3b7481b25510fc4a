//! What one scope costs: Calor and its peers, each case of each in a process of its own, in one run.
//!
//! Without `--case` this is the runner: it starts itself once for every case, participant and round, and prints
//! Markdown tables and the goals on standard output. With `--case` and `--who` it measures that one and prints
//! its figures as one line.

#[macro_use]
mod workloads;

mod arguments;
mod blocks;
mod builds;
mod case;
mod goals;
mod matmul;
mod measure;
mod participants;
mod peer;
mod peers;
#[cfg(feature = "recording")]
mod report_time;
mod runner;
mod tables;

use std::process::ExitCode;

use arguments::Arguments;

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| match arguments.one {
        Some((case, who)) => measure::one(case, who, arguments.is_quick).map(|figures| println!("{figures}")),
        None if arguments.is_help => {
            print!("{}", arguments::HELP);
            Ok(())
        }
        None => runner::run(&arguments),
    });
    harness::exit(outcome)
}
