//! What the command line of an area asks for.

use std::path::PathBuf;

use super::{Area, Case as _, Participant as _};
use crate::{Arguments, choose, find};

/// The options of every area.
const OPTIONS: &str = "  --quick             2 rounds
  --only case,case    these cases alone
  --who name,name     these tools alone
  --case X --who Y --inputs FOLDER
                      measure one in this process and print its figures as a line
";

/// What was asked for.
pub(super) enum Asked<A: Area> {
    /// The text of `--help`.
    Help(String),
    /// A run of so many rounds.
    Run { n_rounds: usize, cases: Vec<A::Case>, tools: Vec<&'static A::Tool> },
    /// One measurement in this process, and where its inputs are.
    One { case: A::Case, tool: &'static A::Tool, folder: PathBuf },
}

impl<A: Area> Asked<A> {
    /// Reads the arguments after the program's name.
    pub(super) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let asked = Arguments::parse(arguments)?;
        if asked.is_help {
            return Ok(Self::Help(help::<A>()));
        }
        let n_rounds = asked.n_rounds(A::N_ROUNDS);
        let tools = choose(A::TOOLS, asked.who.as_deref(), "tools", |tool| tool.name())?;
        let mut cases = A::cases()?;
        let only = match (asked.case, tools.as_slice(), asked.inputs) {
            (None, _, None) => asked.only,
            (Some(name), &[tool], Some(folder)) => {
                find(&cases, &name, "cases", |case| case.name())?;
                let at = cases.iter().position(|case| case.name() == name);
                let case = cases.swap_remove(at.expect("it was found just above"));
                return Ok(Self::One { case, tool, folder });
            }
            _ => return Err("--case, --inputs and one name after --who belong together".to_owned()),
        };
        let chosen = choose(&cases, only.as_deref(), "cases", |case| case.name())?;
        let names: Vec<_> = chosen.into_iter().map(|case| case.name()).collect();
        cases.retain(|case| names.contains(&case.name()));
        Ok(Self::Run { n_rounds, cases, tools })
    }
}

fn help<A: Area>() -> String {
    let rounds =
        format!("  --rounds N          full rounds over all cases and tools (default {})", A::N_ROUNDS);
    format!("{}\n\nOptions:\n{rounds}\n{OPTIONS}", A::HELP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::example::Example;

    fn parse(line: &str) -> Result<Asked<Example>, String> {
        Asked::parse(line.split_whitespace().map(str::to_owned))
    }

    fn names(line: &str) -> (usize, Vec<&'static str>, Vec<&'static str>) {
        let Ok(Asked::Run { n_rounds, cases, tools }) = parse(line) else { panic!("{line} is no run") };
        let cases = cases.iter().map(|case| case.name()).collect();
        (n_rounds, cases, tools.iter().map(|tool| tool.name()).collect())
    }

    #[test]
    fn nothing_said_means_everything_as_often_as_usual() {
        assert_eq!(names(""), (5, vec!["short", "long"], vec!["bare", "calor"]));
        assert_eq!(names("--quick --only long --who calor"), (2, vec!["long"], vec!["calor"]));
    }

    #[test]
    fn one_measurement_needs_its_case_its_tool_and_its_folder() {
        let Ok(Asked::One { case, tool, .. }) = parse("--case long --who calor --inputs x") else {
            panic!("it is one measurement")
        };
        assert_eq!((case.name(), tool.name()), ("long", "calor"));
        for line in ["--case long", "--case long --who bare", "--who bare --inputs x"] {
            let error = parse(line).err().unwrap_or_default();
            assert!(error.contains("belong together"), "{line}: {error}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for line in ["--only medium", "--who nobody", "--case medium --who bare --inputs x"] {
            let error = parse(line).err().unwrap_or_default();
            assert!(error.contains("is none of the"), "{line}: {error}");
        }
    }

    #[test]
    fn help_is_given_before_anything_else_is_looked_at() {
        let Ok(Asked::Help(text)) = parse("--help --only medium") else { panic!("it is help") };
        assert!(
            text.starts_with("Measures nothing.\n\nOptions:\n  --rounds N") && text.contains("default 5")
        );
    }
}
