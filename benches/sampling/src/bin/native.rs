//! The native program alone. Its argument is how many turns each thread takes.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::exit(match std::env::args().nth(1).map(|text| text.parse()) {
        Some(Ok(n_turns)) => {
            sampling_bench::native::run(n_turns);
            Ok(())
        }
        _ => Err("expected a number of turns".to_owned()),
    })
}
