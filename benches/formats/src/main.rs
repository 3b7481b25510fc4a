//! What reading, converting and drawing profiles costs: Calor and its peers, each case of each in a process of its
//! own, in one run.
//!
//! Without `--case` this is the runner: it makes the inputs, starts itself once for every case, participant and
//! round, and prints Markdown tables and the goals on standard output. With `--case` it measures that one and prints
//! its figures as one line.

mod arguments;
mod case;
mod goals;
mod inputs;
mod jobs;
mod runner;
mod tables;

use std::process::ExitCode;

use arguments::Arguments;

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| match &arguments.one {
        Some(one) => (one.job.work)(one.case.input, &one.folder).map(|figures| println!("{figures}")),
        None if arguments.is_help => {
            print!("{}", arguments::HELP);
            Ok(())
        }
        None => runner::run(&arguments),
    });
    harness::exit(outcome)
}
