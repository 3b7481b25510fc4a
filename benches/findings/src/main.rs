//! How right findings are: planted bottlenecks and their healthy twins over several seeds, recorded by the real command;
//! whether the gains that are told hold; and how long the analysis of a long recording takes.

mod gains;
mod goals;
mod speed;
mod suite;

use std::path::PathBuf;
use std::process::ExitCode;

use harness::{Arguments, Folder, Goal};

const HELP: &str = "\
cargo xtask bench findings [--quick] [--seeds N] [--rounds N] [--only CASE,CASE]

cases: speed, and the planted programs by their names; suite is all of these
--seeds N is how many programs are written of each case, 3 otherwise, 1 with --quick
--rounds N is how many pairs of runs tell the gain of a fix, 5 otherwise, 2 with --quick
";

/// What was asked for.
pub(crate) struct Asked {
    n_seeds: u64,
    n_pairs: usize,
    only: Option<Vec<String>>,
    /// The command.
    calor: PathBuf,
}

impl Asked {
    pub(crate) fn is_wanted(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|wanted| wanted == name || wanted == "suite"))
    }
}

fn main() -> ExitCode {
    harness::exit(run())
}

fn run() -> Result<(), String> {
    let (seeds, rest) = split_seeds(std::env::args().skip(1))?;
    let arguments = Arguments::parse(rest.into_iter())?;
    if arguments.is_help {
        print!("{HELP}");
        return Ok(());
    }
    let calor =
        std::env::var_os("CALOR_COMMAND").ok_or("CALOR_COMMAND says where calor is, and is not set")?;
    let asked = Asked {
        n_seeds: seeds.unwrap_or(if arguments.is_quick { 1 } else { 3 }),
        n_pairs: arguments.n_rounds(5),
        only: arguments.only.map(|only| only.split(',').map(str::to_owned).collect()),
        calor: PathBuf::from(calor),
    };
    if arguments.case.is_some() {
        let file = arguments.inputs.ok_or("--case expects --inputs FILE")?;
        println!("{}", speed::of_file(&asked.calor, &file)?);
        return Ok(());
    }
    let folder = Folder::new("findings")?;
    let mut goals: Vec<Goal> = Vec::new();
    if asked.only.as_ref().is_none_or(|only| only.iter().any(|name| name == "speed")) {
        goals.extend(speed::run(folder.path())?);
    }
    if asked.only.as_ref().is_none_or(|only| only.iter().any(|name| name != "speed")) {
        goals.extend(suite::run(&asked, folder.path())?);
    }
    println!("{}", Goal::markdown(&goals, |_| true));
    Ok(())
}

/// `--seeds N` is of this area alone, the rest is for all.
fn split_seeds(arguments: impl Iterator<Item = String>) -> Result<(Option<u64>, Vec<String>), String> {
    let (mut seeds, mut rest) = (None, Vec::new());
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        if argument != "--seeds" {
            rest.push(argument);
            continue;
        }
        let value = arguments.next().unwrap_or_default();
        let number = value.parse().ok().filter(|n| *n > 0);
        seeds = Some(number.ok_or(format!("--seeds expects a whole number from 1, found '{value}'"))?);
    }
    Ok((seeds, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_taken_out_of_the_arguments() {
        let split = |words: &[&str]| split_seeds(words.iter().map(|word| (*word).to_owned()));
        assert_eq!(
            split(&["--quick", "--seeds", "4", "--only"]),
            Ok((Some(4), vec!["--quick".into(), "--only".into()]))
        );
        assert!(split(&["--seeds", "0"]).is_err() && split(&["--seeds"]).is_err());
    }
}
