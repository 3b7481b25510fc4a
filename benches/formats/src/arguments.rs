//! The command line.

use std::path::PathBuf;

use crate::case::{self, Case, Job};

pub(crate) const HELP: &str = "\
Measures what reading, converting and drawing profiles costs: Calor and its peers in one run. Prints Markdown on
standard output.

Options:
  --rounds N          full rounds over all cases and participants (default 5)
  --quick             2 rounds
  --only case,case    these cases alone
  --case X --who Y --inputs FOLDER
                      measure one in this process, with the inputs in that folder, and print its figures as a line
";

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) rounds: usize,
    pub(crate) is_help: bool,
    /// The cases, in the order of the tables.
    pub(crate) cases: Vec<&'static Case>,
    /// One measurement in this process.
    pub(crate) one: Option<One>,
}

/// One job and where its input is.
#[derive(Debug)]
pub(crate) struct One {
    pub(crate) case: &'static Case,
    pub(crate) job: &'static Job,
    pub(crate) folder: PathBuf,
}

impl Arguments {
    /// Reads the arguments after the program's name.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let asked = harness::Arguments::parse(arguments)?;
        let rounds = asked.n_rounds(5);
        let cases = harness::choose(case::ALL, asked.only.as_deref(), "cases", |case| case.name)?;
        let one = match (asked.case, asked.who, asked.inputs) {
            (None, None, None) => None,
            (Some(case), Some(who), Some(folder)) => {
                let case = Case::find(&case)?;
                Some(One { case, job: case.job(&who)?, folder })
            }
            _ => return Err("--case, --who and --inputs belong together; see --help".to_owned()),
        };
        Ok(Self { rounds, is_help: asked.is_help, cases, one })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn nothing_said_means_everything_five_times() {
        let arguments = parse("").unwrap();
        assert_eq!((arguments.rounds, arguments.cases.len()), (5, case::ALL.len()));
    }

    #[test]
    fn a_choice_keeps_the_order_of_the_tables() {
        let arguments = parse("--quick --only flame,pprof-read").unwrap();
        let names: Vec<_> = arguments.cases.iter().map(|case| case.name).collect();
        assert_eq!((arguments.rounds, names), (2, vec!["pprof-read", "flame"]));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, part) in [
            ("--only flamme", "'flamme'"),
            ("--case flame --who nobody --inputs .", "'nobody'"),
            ("--case flame", "--inputs"),
        ] {
            assert!(parse(line).unwrap_err().contains(part), "{line}");
        }
    }
}
