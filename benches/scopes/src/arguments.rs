//! The command line.

use crate::case::Case;
use crate::participants::{self, Participant};

pub(crate) const HELP: &str = "\
Measures what a scope costs: Calor and its peers in one run. Prints Markdown on standard output.

Options:
  --rounds N          full rounds over all cases and participants (default 7)
  --quick             2 rounds of fewer scopes
  --only case,case    these cases alone
  --who name,name     these participants alone; ratios need tsc2, differences need empty
  --case X --who Y    measure one in this process and print its figures as a line
";

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) rounds: usize,
    pub(crate) is_quick: bool,
    pub(crate) is_help: bool,
    /// The cases, in the order of the tables.
    pub(crate) cases: Vec<Case>,
    /// The participants, in the order of the tables.
    pub(crate) who: Vec<&'static Participant>,
    /// One measurement in this process.
    pub(crate) one: Option<(Case, &'static Participant)>,
}

impl Arguments {
    /// Reads the arguments after the program's name.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut rounds, mut is_quick, mut is_help, mut case) = (None, false, false, None);
        let (mut cases, mut who) = (Case::ALL.to_vec(), participants::ALL.iter().collect::<Vec<_>>());
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument} expects a value; see --help"));
            match argument.as_str() {
                "--quick" => is_quick = true,
                "--help" | "-h" => is_help = true,
                "--rounds" => rounds = Some(parse_rounds(&value()?)?),
                "--case" => case = Some(Case::find(&value()?)?),
                "--only" => {
                    cases = value()?.split(',').map(Case::find).collect::<Result<_, _>>()?;
                    cases.sort_unstable();
                }
                "--who" => {
                    let asked: Vec<_> =
                        value()?.split(',').map(Participant::find).collect::<Result<_, _>>()?;
                    who.retain(|known| asked.iter().any(|asked| asked.name == known.name));
                }
                other => return Err(format!("'{other}' is not an option of this benchmark; see --help")),
            }
        }
        let one = match (case, who.as_slice()) {
            (None, _) => None,
            (Some(case), [one]) => Some((case, *one)),
            (Some(_), _) => return Err("--case measures one participant; name it with --who".to_owned()),
        };
        let rounds = rounds.unwrap_or(if is_quick { 2 } else { 7 });
        Ok(Self { rounds, is_quick, is_help, cases, who, one })
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
    fn nothing_said_means_everything_seven_times() {
        let arguments = parse("").unwrap();
        assert_eq!((arguments.rounds, arguments.cases.len()), (7, Case::ALL.len()));
        assert_eq!(arguments.who.len(), participants::ALL.len());
    }

    #[test]
    fn a_choice_keeps_the_order_of_the_tables() {
        let arguments = parse("--quick --only wide,flat --who hotpath,tsc2").unwrap();
        assert_eq!((arguments.rounds, arguments.cases), (2, vec![Case::Flat, Case::Wide]));
        assert_eq!(arguments.who.iter().map(|who| who.name).collect::<Vec<_>>(), ["tsc2", "hotpath"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, part) in [
            ("--only flatt", "'flatt'"),
            ("--who nobody", "'nobody'"),
            ("--rounds 0", "'0'"),
            ("--case flat", "--who"),
            ("--rounds", "--rounds expects"),
            ("-x", "'-x'"),
        ] {
            assert!(parse(line).unwrap_err().contains(part), "{line}");
        }
    }
}
