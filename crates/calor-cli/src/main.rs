//! The `calor` command as a program of its own; what it does is in the library, which the Python package has as well.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    calor_cli::run(std::env::args_os().collect()).into()
}
