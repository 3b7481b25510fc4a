//! Both sides of a change run again, in turns, before anybody is accused.

use std::ffi::OsString;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use calor_analysis::RunChange;
use calor_analysis::history::{History, HistoryConfirmation};
use calor_model::Warning;
use clap::Args;

use super::work_trees::WorkTrees;
use crate::{ab, news, record};

#[derive(Args)]
pub(super) struct Confirming {
    /// Run both sides of the last change again: two commands, or none with --build
    #[arg(long, num_args = 0..=2, value_names = ["BEFORE", "AFTER"])]
    confirm: Option<Vec<String>>,
    /// Builds the program in a work tree of each commit, to be confirmed there
    #[arg(long, value_name = "CMD", requires = "confirm")]
    build: Option<String>,
    /// What is run in the work trees [default: the command of the runs]
    #[arg(long, value_name = "CMD", requires = "build")]
    run: Option<String>,
    /// Confirm for no longer than this
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = record::duration, allow_hyphen_values = true)]
    max_time: Duration,
}

impl Confirming {
    /// Runs the sides of the last change of what was asked for again, where somebody asked for it.
    pub(super) fn confirm(&self, history: &mut History) -> Result<()> {
        let Some(commands) = &self.confirm else { return Ok(()) };
        history.confirmation = self.confirmed(commands, history)?;
        if history.confirmation.is_none() {
            let message = "no change was found, so there is nothing to confirm";
            history.warnings.push(Warning::new("nothing_to_confirm", message));
        }
        Ok(())
    }

    fn confirmed(&self, commands: &[String], history: &History) -> Result<Option<HistoryConfirmation>> {
        let sides = match (commands, &self.build) {
            ([before, after], None) => Some([before.clone(), after.clone()]),
            ([], Some(_)) => None,
            ([_, _], Some(_)) => {
                bail!("--build is for work trees: leave it out where both commands are given")
            }
            ([], None) => bail!(
                "expected what to run: `--confirm './old' './new'`, or `--confirm --build 'cargo build --release'` to build \
                 both commits"
            ),
            ([one], _) => bail!(
                "expected two commands behind --confirm, found only `{one}`: the one before and the one after; a scope \
                 stands before --confirm"
            ),
            _ => bail!("expected at most two commands behind --confirm"),
        };
        let Some(change) = history.series.first().and_then(|series| series.changes.last()) else {
            return Ok(None);
        };
        let metric = history
            .metric
            .confirmed_by()
            .context("allocated bytes are exact: there is nothing to run again for them")?;
        let (trees, sides) = match (sides, &self.build) {
            (Some(sides), _) => (None, sides),
            (None, build) => {
                let (trees, sides) =
                    self.in_work_trees(history, change, build.as_deref().unwrap_or_default())?;
                (Some(trees), sides)
            }
        };
        news::say(format_args!("running both sides in turns, at most {:?}", self.max_time));
        let compared = ab::compared(sides.clone().map(OsString::from), metric, self.max_time)?;
        drop(trees);
        let Some(compared) = compared.map(|compared| compared.comparison) else {
            bail!("interrupted before the first pair was whole: nothing is confirmed");
        };
        let scope = history.series[0].scope.as_deref();
        Ok(Some(HistoryConfirmation::new(change, &compared, scope, sides)))
    }

    fn in_work_trees(
        &self,
        history: &History,
        change: &RunChange,
        build: &str,
    ) -> Result<(WorkTrees, [String; 2])> {
        let runs = [&history.runs[change.before], &history.runs[change.at]];
        let commit = |at: usize| {
            let run = runs[at];
            run.commit.as_deref().with_context(|| {
                format!(
                    "the commit of run {} is not known: name both sides, as in `--confirm './old' './new'`",
                    run.id
                )
            })
        };
        let commits = [commit(0)?, commit(1)?];
        if commits[0] == commits[1] {
            bail!(
                "both runs are of commit {}, so there is nothing to build apart: it was not the sources",
                commits[0]
            );
        }
        for run in runs.iter().filter(|run| run.is_dirty) {
            news::say(format_args!(
                "warning: run {} had changes that were not committed; what is built is the commit alone",
                run.id
            ));
        }
        let trees = WorkTrees::of(commits)?;
        let command = self.run.as_deref().unwrap_or(&history.subject);
        let sides = trees.commands(command)?;
        trees.build(build)?;
        Ok((trees, sides))
    }
}
