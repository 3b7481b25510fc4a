//! An area that has programs of others at work on its cases. It says what its cases and its tools are, what one
//! measurement is and what its goals are; the command line, the rounds and the page follow from that and are here.

mod asked;
mod page;
mod run;

use std::path::Path;

pub use run::main;

use crate::{Figures, Goal, Results};

/// A figure, what stands above its column, and how many digits it has.
pub type Column = (&'static str, &'static str, usize);

/// What is measured, and by whom.
pub trait Area {
    /// What it calls a case.
    type Case: Case;
    /// What it calls a tool.
    type Tool: Participant;

    /// Its name: that of its folder.
    const NAME: &'static str;
    /// The heading of its page.
    const TITLE: &'static str;
    /// A sentence for the beginning of the page: what everyone is compared with.
    const BASIS: &'static str;
    /// What `--help` says before the options.
    const HELP: &'static str;
    /// How many rounds there are unless somebody asks for another number.
    const N_ROUNDS: usize;
    /// All tools, in the order of the tables.
    const TOOLS: &'static [Self::Tool];
    /// All columns, in their order. A table has those that somebody in it has figures for.
    const COLUMNS: &'static [Column];

    /// All cases, in the order of the tables. Asked again by every measurement, so it makes nothing.
    fn cases() -> Result<Vec<Self::Case>, String>;

    /// Installs what several tools need, before any of them is looked at.
    fn install() -> Result<(), String> {
        Ok(())
    }

    /// Has a tool do its work once, in this process or a child of it. The folder holds what [`Case::prepare`] made.
    fn measure(case: &Self::Case, tool: &'static Self::Tool, folder: &Path) -> Result<Figures, String>;

    /// The goals of these cases.
    fn goals(cases: &[&Self::Case], results: &Results) -> Vec<Goal>;
}

/// One case of an area.
pub trait Case {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Who takes part, by name.
    fn who(&self) -> &'static [&'static str];

    /// What its table says above the rows.
    fn about(&self) -> String;

    /// Makes what its program needs, in the folder or beside this program.
    fn prepare(&self, folder: &Path) -> Result<(), String>;

    /// A figure that the table also gives as a ratio: its name, the title, and whose figure is the one.
    fn compared(&self) -> Option<(&'static str, &'static str, &'static str)> {
        None
    }

    /// Who of those asked for takes part.
    fn tools<T: Participant>(&self, asked: &[&'static T]) -> Vec<&'static T> {
        asked.iter().copied().filter(|tool| self.who().contains(&tool.name())).collect()
    }
}

/// One tool of an area.
pub trait Participant: 'static {
    /// Its name on the command line and in the tables.
    fn name(&self) -> &'static str;

    /// Its version, or why it is not available here and what would make it so. What can be made for it is made first.
    fn version(&self) -> Result<String, String>;
}

/// An area of two cases and two tools, to test with.
#[cfg(test)]
mod example {
    use super::*;
    use crate::Bound;

    pub(super) struct Example;
    pub(super) struct ExampleCase(&'static str, &'static [&'static str]);
    pub(super) struct ExampleTool(&'static str);

    impl Area for Example {
        type Case = ExampleCase;
        type Tool = ExampleTool;
        const NAME: &'static str = "example";
        const TITLE: &'static str = "Example";
        const BASIS: &'static str = "`bare` is the program alone.";
        const HELP: &'static str = "Measures nothing.";
        const N_ROUNDS: usize = 5;
        const TOOLS: &'static [ExampleTool] = &[ExampleTool("bare"), ExampleTool("calor")];
        const COLUMNS: &'static [Column] = &[("cpu_s", "CPU, s", 1), ("files", "files", 0)];

        fn cases() -> Result<Vec<ExampleCase>, String> {
            Ok(vec![ExampleCase("short", &["bare", "calor"]), ExampleCase("long", &["calor"])])
        }

        fn measure(_: &ExampleCase, _: &'static ExampleTool, _: &Path) -> Result<Figures, String> {
            Ok(Figures::default())
        }

        fn goals(cases: &[&ExampleCase], results: &Results) -> Vec<Goal> {
            let goal = |case: &&ExampleCase| {
                let name = case.0;
                let measured = results.spread(name, "calor", "cpu_s").map(|spread| spread.median);
                let measured = measured.ok_or_else(String::new);
                Goal { case: name, what: name.to_owned(), unit: "s", bound: Bound::AtMost(3.0), measured }
            };
            cases.iter().map(goal).collect()
        }
    }

    impl Case for ExampleCase {
        fn name(&self) -> &'static str {
            self.0
        }

        fn who(&self) -> &'static [&'static str] {
            self.1
        }

        fn about(&self) -> String {
            format!("a {} case", self.0)
        }

        fn prepare(&self, _: &Path) -> Result<(), String> {
            Ok(())
        }

        fn compared(&self) -> Option<(&'static str, &'static str, &'static str)> {
            Some(("cpu_s", "CPU x bare", "bare"))
        }
    }

    impl Participant for ExampleTool {
        fn name(&self) -> &'static str {
            self.0
        }

        fn version(&self) -> Result<String, String> {
            Ok("1".to_owned())
        }
    }
}
