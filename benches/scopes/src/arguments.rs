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
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let asked = harness::Arguments::parse(arguments)?;
        if asked.inputs.is_some() {
            return Err("'--inputs' is not an option of this benchmark; see --help".to_owned());
        }
        let cases = harness::choose(&Case::ALL, asked.only.as_deref(), "cases", |case| case.name())?;
        let who = harness::choose(participants::ALL, asked.who.as_deref(), "participants", |who| who.name)?;
        let one = match (&asked.case, who.as_slice()) {
            (None, _) => None,
            (Some(case), [one]) => Some((Case::find(case)?, *one)),
            (Some(_), _) => return Err("--case measures one participant; name it with --who".to_owned()),
        };
        Ok(Self {
            rounds: asked.n_rounds(7),
            is_quick: asked.is_quick,
            is_help: asked.is_help,
            cases: cases.into_iter().copied().collect(),
            who,
            one,
        })
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
        for (line, part) in
            [("--only flatt", "'flatt'"), ("--who nobody", "'nobody'"), ("--case flat", "--who")]
        {
            assert!(parse(line).unwrap_err().contains(part), "{line}");
        }
    }
}
