//! `calor history`: what saved runs took over time, where that changed, and with which commit.

mod choice;
#[cfg(target_os = "linux")]
mod confirmation;
mod repeated;
mod scopes;
#[cfg(target_os = "linux")]
mod work_trees;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anyhow::{Result, bail};
use calor_analysis::quantity::counted;
use calor_analysis::{ChangePointOptions, FEWEST_POINTS, changes_of_runs};
use calor_model::Warning;
use calor_report::{History, HistoryOptions, HistoryRun, HistorySeries, HistoryValue, render_history};
use calor_store::{Filter, SavedRun, Store, SumKind, commits_after};
use clap::{Args, ValueEnum};

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
    let mut choice = choice::choose(store.runs(&arguments.filter())?, arguments)?;
    sum_up(&mut store, &mut choice)?;
    #[cfg_attr(not(target_os = "linux"), expect(unused_mut))]
    let mut history = history(&store, choice, arguments)?;
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
fn sum_up(store: &mut Store, choice: &mut choice::Choice) -> Result<()> {
    let summed_up = progress::shown("adding up runs", Some(choice.runs.len()), |done| {
        store.sum_up(&choice.runs, || {
            done.fetch_add(1, Relaxed);
        })
    })?;
    let Some((first, why)) = summed_up.unread.first() else { return Ok(()) };
    if summed_up.unread.len() == choice.runs.len() {
        bail!("none of the runs can be read: {first}: {why}");
    }
    let n_unread = summed_up.unread.len() as u64;
    let message =
        format!("{} left out that cannot be read, such as {first}: {why}", counted(n_unread, "run"));
    choice.warnings.push(Warning::counted("unread_runs", message, n_unread));
    choice.runs.retain(|run| summed_up.unread.iter().all(|(id, _)| *id != run.id));
    Ok(())
}

fn history(store: &Store, choice: choice::Choice, arguments: &Arguments) -> Result<History> {
    let choice::Choice { runs, subject, mut warnings } = choice;
    let found = scopes::find(store, &runs, arguments)?;
    warnings.extend(found.warnings);
    if runs.len() < FEWEST_POINTS {
        let found = counted(runs.len() as u64, "run");
        warnings.push(Warning::new(
            "few_runs",
            format!("{found}: a change is seen from {FEWEST_POINTS} runs on, three of them on either side of it; save more with `calor record --save`"),
        ));
    }
    let canaries: Vec<Option<f64>> = match found.kind {
        SumKind::Scopes | SumKind::Cpu | SumKind::Wall => {
            store.canaries(&runs)?.into_iter().map(|nanos| nanos.map(|nanos| nanos as f64)).collect()
        }
        // A slow machine allocates no more, and waits for other things than the processor.
        _ => vec![None; runs.len()],
    };
    let mut series = found.series;
    let values: Vec<Vec<Option<f64>>> = series.iter().map(|series| series.values.clone()).collect();
    let changes = progress::waited("looking for changes", || {
        changes_of_runs(&values, &canaries, &ChangePointOptions::default())
    });
    let step = scopes::step(found.kind, &runs);
    for (series, changes) in series.iter_mut().zip(changes) {
        // The whole program is timed, and not sampled.
        let step = step.filter(|_| series.scope.is_some()).unwrap_or(0.0);
        series.changes = changes.into_iter().map(|change| change.counted_in(step)).collect();
    }
    let mut rest = series.split_off(found.n_asked);
    let n_all = rest.len();
    rest.retain(|series| !series.changes.is_empty());
    let n_unchanged = n_all - rest.len();
    rest.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    if rest.len() > arguments.top {
        let left_out = counted((rest.len() - arguments.top) as u64, "more scope");
        let message = format!("{left_out} changed: --top {} shows all", rest.len());
        warnings.push(Warning::new("scopes_left_out", message));
        rest.truncate(arguments.top);
    }
    series.extend(rest);
    let n_commits = commits(&runs, &series);
    Ok(History {
        subject,
        metric: found.kind.word(),
        metric_name: scopes::name(found.kind),
        is_bytes: found.kind == SumKind::Allocated,
        runs: runs.iter().map(shown).collect(),
        series,
        n_commits,
        n_unchanged,
        warnings,
        confirmation: None,
    })
}

/// How many commits came between the runs of each change, where the repository is here to tell.
fn commits(runs: &[SavedRun], series: &[HistorySeries]) -> BTreeMap<[usize; 2], u64> {
    let Ok(here) = std::env::current_dir() else { return BTreeMap::new() };
    let changes = series.iter().flat_map(|series| &series.changes);
    let places: BTreeSet<[usize; 2]> = changes.map(|change| [change.before, change.at]).collect();
    let counted = |places: [usize; 2]| {
        let [before, after] = places.map(|at| runs[at].revision.commit.as_deref());
        Some((places, commits_after(&here, before?, after?)?))
    };
    places.into_iter().filter_map(counted).collect()
}

/// The largest step of a series.
fn largest(series: &HistorySeries) -> f64 {
    series.changes.iter().map(|change| (change.levels[1] - change.levels[0]).abs()).fold(0.0, f64::max)
}

fn shown(run: &SavedRun) -> HistoryRun {
    HistoryRun {
        id: run.id.to_string(),
        at_unix_nanos: choice::time(run),
        commit: run.revision.commit.clone(),
        is_dirty: run.revision.is_dirty == Some(true),
    }
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

    fn kind(&self) -> Option<SumKind> {
        self.metric.map(|metric| match metric {
            MetricWord::Scopes => SumKind::Scopes,
            MetricWord::Cpu => SumKind::Cpu,
            MetricWord::Wall => SumKind::Wall,
            MetricWord::OffCpu => SumKind::OffCpu,
            MetricWord::Allocated => SumKind::Allocated,
        })
    }

    fn value(&self) -> Option<HistoryValue> {
        self.value.map(|value| match value {
            ValueWord::Total => HistoryValue::Total,
            ValueWord::Own => HistoryValue::Own,
            ValueWord::Call => HistoryValue::Call,
        })
    }
}
