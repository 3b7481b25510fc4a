//! `calor history`: what saved runs took over time, where that changed, and with which commit.

#[cfg(target_os = "linux")]
mod confirmation;
mod saved;
#[cfg(target_os = "linux")]
mod work_trees;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anyhow::{Result, bail};
use calor_analysis::history::{History, HistoryChoice, HistoryMetric, HistoryQuestion, HistoryValue};
use calor_analysis::quantity::counted;
use calor_model::Warning;
use calor_report::{HistoryOptions, render_history};
use calor_store::{Filter, SavedRun, Store, commits_after};
use clap::{Args, ValueEnum};

use self::saved::{SavedSums, run_of};
use crate::format::Written;
use crate::page::{Page, Tabled};
use crate::store::{age, ago, label, place};
use crate::{number, progress, terminal};

const EXAMPLES: &str = "\
Examples:
  calor history                    the program, and scopes that changed
  calor history parse              one scope or function
  calor history parse --value call --last 50
  calor history --label suite=nightly -o history.html
  calor history --format json | jq '.series[0].change_points'
  calor history --confirm --build 'cargo build --release'
  calor history --confirm './old input' './new input'";

const AFTER: &str = "\
Runs are those that `calor store ls` lists. Times of different commands or machines are not held against each other: the \
history is that of the last run's, and what was left out is told.

--confirm runs both sides of the last change again, in turns, and says whether it is there: two commands, or with --build the \
command of the runs in work trees of the commit before and the commit after, which are built first and removed afterwards.";

const WRITTEN: Written = Written::new("a history");

/// Show what saved runs took over time, and which commit changed it
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// A scope or function, or the end of its name [default: the whole program, and the scopes that changed]
    scope: Option<String>,
    /// What was measured [default: scopes where most runs have them, otherwise cpu]
    #[arg(long, value_enum)]
    metric: Option<MetricWord>,
    /// What of a scope [default: total of the one that is named, self of all others]
    #[arg(long, value_enum)]
    value: Option<ValueWord>,
    /// Only runs with this label; may be given more than once
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// Only runs of this command line [default: that of the last run]
    #[arg(long, value_name = "CMD")]
    command: Option<String>,
    /// Only runs of this program
    #[arg(long)]
    name: Option<String>,
    /// Only runs of this branch
    #[arg(long)]
    branch: Option<String>,
    /// Only runs that were saved in this time, such as 90d
    #[arg(long, value_name = "AGE", value_parser = age)]
    since: Option<Duration>,
    /// At most so many runs, the last ones
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1000, value_parser = number::from_one, allow_negative_numbers = true)]
    last: usize,
    /// Put runs of different commands into one series
    #[arg(long)]
    any_command: bool,
    /// Put runs of different machines into one series
    #[arg(long)]
    any_machine: bool,
    /// Show at most N scopes that changed
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number::from_one, allow_negative_numbers = true)]
    top: usize,
    #[cfg(target_os = "linux")]
    #[command(flatten)]
    confirming: confirmation::Confirming,
    #[command(flatten)]
    page: Page<Tabled>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MetricWord {
    /// Time in scopes
    Scopes,
    /// Time on processors
    Cpu,
    /// Time on the wall
    Wall,
    /// Time that threads waited
    #[value(name = "off_cpu", alias = "off-cpu")]
    OffCpu,
    /// Bytes allocated
    #[value(alias = "heap")]
    Allocated,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ValueWord {
    /// With what it calls
    Total,
    /// Without what it calls
    #[value(name = "self")]
    Own,
    /// One call of it, with what that calls
    Call,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let format = arguments.page.format(WRITTEN)?;
    arguments.page.refuse_bad_place()?;
    let mut store = place::open()?;
    let question = arguments.question();
    let found = store.runs(&arguments.filter())?;
    let mut choice = HistoryChoice::of(&found.iter().map(run_of).collect::<Vec<_>>(), &question)?;
    let mut runs: Vec<SavedRun> = choice
        .runs
        .iter()
        .filter_map(|run| found.iter().find(|saved| saved.id.to_string() == run.id))
        .cloned()
        .collect();
    sum_up(&mut store, &mut choice, &mut runs)?;
    let sums = SavedSums { store: &store, runs: &runs };
    let mut history = progress::waited("looking for changes", || History::of(choice, &sums, &question))?;
    history.n_commits = commits(&runs, &history);
    #[cfg(target_os = "linux")]
    arguments.confirming.confirm(&mut history)?;
    let options = HistoryOptions {
        format: format.into(),
        width: terminal::width(),
        color: arguments.page.is_coloured(),
    };
    let mut page = Vec::new();
    render_history(&history, &options, &mut page)?;
    arguments.page.write(&page)
}

/// Reads profiles of runs that were saved before there were sums. Those that cannot be read are left out.
fn sum_up(store: &mut Store, choice: &mut HistoryChoice, runs: &mut Vec<SavedRun>) -> Result<()> {
    let summed_up = progress::shown("adding up runs", Some(runs.len()), |done| {
        store.sum_up(runs, || {
            done.fetch_add(1, Relaxed);
        })
    })?;
    let Some((first, why)) = summed_up.unread.first() else { return Ok(()) };
    if summed_up.unread.len() == runs.len() {
        bail!("none of the runs can be read: {first}: {why}");
    }
    let n_unread = summed_up.unread.len() as u64;
    let message =
        format!("{} left out that cannot be read, such as {first}: {why}", counted(n_unread, "run"));
    choice.warnings.push(Warning::counted("unread_runs", message, n_unread));
    runs.retain(|run| summed_up.unread.iter().all(|(id, _)| *id != run.id));
    choice.runs.retain(|run| runs.iter().any(|saved| saved.id.to_string() == run.id));
    Ok(())
}

/// How many commits came between the runs of each change, where the repository is here to tell.
fn commits(runs: &[SavedRun], history: &History) -> BTreeMap<[usize; 2], u64> {
    let Ok(here) = std::env::current_dir() else { return BTreeMap::new() };
    let changes = history.series.iter().flat_map(|series| &series.changes);
    let places: BTreeSet<[usize; 2]> = changes.map(|change| [change.before, change.at]).collect();
    let counted = |places: [usize; 2]| {
        let [before, after] = places.map(|at| runs[at].revision.commit.as_deref());
        Some((places, commits_after(&here, before?, after?)?))
    };
    places.into_iter().filter_map(counted).collect()
}

impl Arguments {
    fn filter(&self) -> Filter {
        Filter {
            name: self.name.clone(),
            branch: self.branch.clone(),
            labels: self.labels.clone(),
            saved_from_unix_nanos: self.since.map(ago),
            ..Filter::default()
        }
    }

    fn question(&self) -> HistoryQuestion {
        HistoryQuestion {
            scope: self.scope.clone(),
            metric: self.metric.map(|metric| match metric {
                MetricWord::Scopes => HistoryMetric::Scopes,
                MetricWord::Cpu => HistoryMetric::Cpu,
                MetricWord::Wall => HistoryMetric::Wall,
                MetricWord::OffCpu => HistoryMetric::OffCpu,
                MetricWord::Allocated => HistoryMetric::Allocated,
            }),
            value: self.value.map(|value| match value {
                ValueWord::Total => HistoryValue::Total,
                ValueWord::Own => HistoryValue::Own,
                ValueWord::Call => HistoryValue::Call,
            }),
            command: self.command.clone(),
            any_command: self.any_command,
            any_machine: self.any_machine,
            last: self.last,
            top: self.top,
        }
    }
}
