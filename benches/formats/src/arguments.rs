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
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut rounds, mut is_quick, mut is_help) = (None, false, false);
        let (mut case, mut who, mut folder) = (None, None, None);
        let mut cases: Vec<&'static Case> = case::ALL.iter().collect();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument} expects a value; see --help"));
            match argument.as_str() {
                "--quick" => is_quick = true,
                "--help" | "-h" => is_help = true,
                "--rounds" => rounds = Some(parse_rounds(&value()?)?),
                "--case" => case = Some(Case::find(&value()?)?),
                "--who" => who = Some(value()?),
                "--inputs" => folder = Some(PathBuf::from(value()?)),
                "--only" => {
                    let asked: Vec<_> = value()?.split(',').map(Case::find).collect::<Result<_, _>>()?;
                    cases.retain(|known| asked.iter().any(|asked| asked.name == known.name));
                }
                other => return Err(format!("'{other}' is not an option of this benchmark; see --help")),
            }
        }
        let one = match (case, who, folder) {
            (None, None, None) => None,
            (Some(case), Some(who), Some(folder)) => Some(One { case, job: case.job(&who)?, folder }),
            _ => return Err("--case, --who and --inputs belong together; see --help".to_owned()),
        };
        Ok(Self { rounds: rounds.unwrap_or(if is_quick { 2 } else { 5 }), is_help, cases, one })
    }
}

fn parse_rounds(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(rounds) if rounds > 0 => Ok(rounds),
        _ => Err(format!("--rounds expects a whole number from 1, found '{text}'")),
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
            ("--rounds 0", "'0'"),
            ("--rounds", "--rounds expects"),
            ("-x", "'-x'"),
        ] {
            assert!(parse(line).unwrap_err().contains(part), "{line}");
        }
    }
}
