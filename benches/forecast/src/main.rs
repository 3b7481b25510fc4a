//! How good forecasts are. Programs of many kinds are recorded by the SDK at five sizes, each run in a process of its own, and
//! forecast at four times the largest, as `calor forecast` does it. Then they are run there. Beside it stand two others on the
//! same measurements: a straight line through the logarithms, and the single best term of the performance model normal form.

mod chance;
mod goals;
mod kernels;
mod outcome;
mod recorded;
mod rivals;
mod tables;
mod tiers;

use std::process::{Command, ExitCode};

use harness::{Arguments, Folder, choose, find};

use kernels::{KERNELS, Kernel};
use outcome::Outcome;

const HELP: &str = "\
cargo xtask bench forecast [--quick] [--only KERNEL,KERNEL] [--rounds N]

--rounds N is how many runs there are at each size, 3 otherwise
";

/// Every block of the programs is counted, so that their peaks are exact.
#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::exact(std::alloc::System);

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| {
        if arguments.is_help {
            print!("{HELP}");
            return Ok(());
        }
        if let Some(case) = &arguments.case {
            let kernel = find(&KERNELS, case, "kernels", |kernel| kernel.name)?;
            return recorded::be(kernel, &arguments);
        }
        measured(&arguments)
    });
    harness::exit(outcome)
}

fn measured(arguments: &Arguments) -> Result<(), String> {
    let chosen = choose(&KERNELS, arguments.only.as_deref(), "kernels", |kernel| kernel.name)?;
    let n_rounds = arguments.n_rounds(3);
    let tiers = tiers::of_this_machine();
    let folder = Folder::new("forecast")?;
    let mut outcomes = Vec::new();
    for kernel in chosen {
        eprintln!("{}", kernel.name);
        match recorded::runs(kernel, n_rounds, &folder).and_then(|runs| Outcome::of(kernel, &runs, &tiers)) {
            Ok(outcome) => outcomes.push(outcome),
            Err(reason) => eprintln!("warning: {}: {reason}", kernel.name),
        }
    }
    println!("{}", tables::page(&outcomes, &tiers, n_rounds));
    println!("{}", harness::Goal::markdown(&goals::goals(&outcomes), |_| true));
    Ok(())
}

/// This program as the one that is measured.
fn program(kernel: &Kernel, size: usize) -> Result<Command, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command.args(["--case", kernel.name, "--who", &size.to_string()]);
    Ok(command)
}
