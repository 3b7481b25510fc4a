//! The command line.

use std::path::PathBuf;

use harness::sampled::Tool;

use crate::tools;

pub(crate) const HELP: &str = "\
Measures what sampling Python costs and what it finds: Calor and its peers in one run. Prints Markdown on standard
output. Interpreters are those of pyenv, those called python3.N, and what CALOR_PYTHONS names (paths, separated by
colons).

Options:
  --rounds N          full rounds over all cases and tools (default 3)
  --quick             2 rounds
  --only case,case    these cases alone: a version such as 3.11.7, stops, top
  --who name,name     these tools alone; ratios need bare
  --case X --who Y --inputs FOLDER
                      measure one in this process and print its figures as a line
";

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) rounds: usize,
    pub(crate) is_help: bool,
    /// The names of the cases, which are known when the interpreters are.
    pub(crate) only: Option<String>,
    /// The tools, in the order of the tables.
    pub(crate) who: Vec<&'static Tool>,
    /// One measurement in this process, and where its inputs are.
    pub(crate) one: Option<(String, &'static Tool, PathBuf)>,
}

impl Arguments {
    /// Reads the arguments after the program's name.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let asked = harness::Arguments::parse(arguments)?;
        let rounds = asked.n_rounds(3);
        let who = harness::choose(tools::ALL, asked.who.as_deref(), "tools", |tool| tool.name)?;
        let one = match (asked.case, who.as_slice(), asked.inputs) {
            (None, _, None) => None,
            (Some(case), [one], Some(folder)) => Some((case, *one, folder)),
            _ => return Err("--case, --inputs and one name after --who belong together".to_owned()),
        };
        Ok(Self { rounds, is_help: asked.is_help, only: asked.only, who, one })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_measurement_needs_its_case_its_tool_and_its_folder() {
        let parse = |line: &str| Arguments::parse(line.split_whitespace().map(str::to_owned));
        assert!(parse("--case 3.11.7 --who bare --inputs x").unwrap().one.is_some());
        for line in ["--case 3.11.7", "--case 3.11.7 --who bare", "--who bare --inputs x"] {
            assert!(parse(line).unwrap_err().contains("belong together"), "{line}");
        }
    }
}
