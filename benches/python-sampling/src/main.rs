//! What sampling Python costs and what it finds: Calor and its peers on the same programs, on every CPython that is
//! found here, each run in a process of its own.
//!
//! Without `--case` this is the runner: it looks for interpreters, installs numpy for each, starts itself once for
//! every case, tool and round, and prints Markdown tables and the goals on standard output. With `--case` it measures
//! that one and prints its figures as one line.

mod arguments;
mod case;
mod environment;
mod goals;
mod interpreter;
mod measure;
mod merged;
mod runner;
mod tables;
mod tools;
mod top;

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
