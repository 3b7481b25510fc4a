//! The programs that are watched, and the line in which they tell the truth about themselves.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::Figures;

/// The word at the start of the line that tells the truth.
pub const TRUTH: &str = "truth ";

/// One program with its arguments.
#[derive(Debug)]
pub struct Program {
    words: Vec<PathBuf>,
    /// How many turns it takes: its last argument.
    pub n_turns: u64,
    environment: Vec<(OsString, OsString)>,
}

impl Program {
    /// A program that is started with these words and the number of its turns.
    #[must_use]
    pub fn new(words: Vec<PathBuf>, n_turns: u64) -> Self {
        // numpy's library would otherwise multiply on all cores, and a thread's clock not see it.
        let environment = vec![("OPENBLAS_NUM_THREADS".into(), "1".into())];
        Self { words, n_turns, environment }
    }

    /// The same with a variable of its environment.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The program alone.
    #[must_use]
    pub fn command(&self) -> Command {
        self.append_script_to(Command::new(&self.words[0]))
    }

    /// The program at the end of a tool's command line.
    #[must_use]
    pub fn append_to(&self, tool: Command) -> Command {
        self.append_from(0, tool)
    }

    /// The same without its first word, for a tool that is the program's interpreter itself.
    #[must_use]
    pub fn append_script_to(&self, tool: Command) -> Command {
        self.append_from(1, tool)
    }

    fn append_from(&self, first: usize, mut tool: Command) -> Command {
        tool.args(&self.words[first..]).arg(self.n_turns.to_string()).envs(self.environment.iter().cloned());
        tool
    }
}

/// What a program said about itself, somewhere in the output of the tool around it.
pub fn truth(stdout: &str) -> Result<Figures, String> {
    let line = stdout.lines().rev().find_map(|line| line.strip_prefix(TRUTH));
    Figures::parse(line.ok_or_else(|| format!("the program printed no line that starts with '{TRUTH}'"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_is_found_among_what_a_tool_prints() {
        let figures = truth("starting\ntruth cpu_s=0.5 stage_a=0.25\nwrote profile.calor\n").unwrap();
        assert_eq!((figures.get("cpu_s"), figures.get("stage_a")), (Some(0.5), Some(0.25)));
        assert!(truth("nothing\n").unwrap_err().contains("'truth '"));
    }
}
