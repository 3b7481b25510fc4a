//! What sampling costs and what it finds: Calor and its peers on the same programs, each run in a process of its own.
//!
//! Without `--case` this is the runner: it makes the programs, starts itself once for every case, tool and round, and
//! prints Markdown tables and the goals on standard output. With `--case` it measures that one and prints its figures
//! as one line.

mod arguments;
mod case;
mod goals;
mod measure;
mod runner;
mod tables;
mod targets;
mod tools;

use std::process::ExitCode;

use arguments::Arguments;

fn main() -> ExitCode {
    harness::exit(Arguments::parse(std::env::args().skip(1)).and_then(|arguments| match &arguments.one {
        Some((case, tool, folder)) => measure::one(case, tool, folder).map(|figures| println!("{figures}")),
        None if arguments.is_help => {
            print!("{}", arguments::HELP);
            Ok(())
        }
        None => runner::run(&arguments),
    }))
}
