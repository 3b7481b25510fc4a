//! `calor check`: a gate. Runs are held against a baseline and against budgets, and the exit code says what came of it.

mod advice;
mod checked;
mod json;
mod junit;
#[cfg(target_os = "linux")]
mod manner;
mod markdown;
#[cfg(target_os = "linux")]
pub(crate) mod recorded;
#[cfg(target_os = "linux")]
pub(crate) mod repeated;
mod runs;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Result, bail};
use calor_analysis::comparison::CompareMetric;
use calor_analysis::gate::{Budget, OpenVerdict};
use calor_report::{CompareFormat, CompareOptions};
use clap::{Args, ValueEnum};
use serde::Deserialize;

use self::checked::Checked;
use crate::format::Written;
use crate::page::{Page, Plain};
use crate::settings::{self, Settings};
use crate::{ExitCode, compare, news, number, output, project, terminal};

const EXAMPLES: &str = "\
Examples:
  calor check --baseline main -- ./bench --size 100
  calor check --baseline main --undecided fail -- ./bench --size 100
  calor check --budget 'attention=50ms' --budget 'peak=200MB' profile.calor
  calor check --budget 'main:total=2s' --budget 'cpu=10s' -- ./bench
  calor check --against './old' -- ./new         both built: in turns
  calor check --baseline main --junit check.xml --format md -- ./bench
  calor check -- ./bench                         as [check] in calor.toml says";

const AFTER: &str = "\
A budget is NAME=LIMIT: the mean of a scope's calls, or what a sampled function takes in a run, with what it calls. \
NAME:total, NAME:p50, :p95, :p99 and :max are other figures of it; wall, cpu, peak, allocated, leaked and allocations \
are of the whole program, and those of its heap are measured in a run of their own where the baseline has none.

Runs are recorded in the way those of the baseline were, and what they write goes to standard error. What is slower is \
recorded as often again, and has to be slower once more. A baseline has to be \
of several runs: `calor baseline set main --runs 10 -- ./bench`.

The exit code is 0 for the same or better and all budgets kept, 1 for regressed or a budget exceeded, 2 where something \
failed, and 3 for undecided unless --undecided says otherwise.";

const WRITTEN: Written = Written::new("the outcome");

/// Runs where nothing else is said.
const RUNS: usize = 10;
/// Runs for budgets alone, which are held against a limit and not against other runs.
const RUNS_FOR_BUDGETS: usize = 3;
/// How a comparison is shown within the page of a check.
const OF_CHECK: CompareOptions =
    CompareOptions { format: CompareFormat::Text, top: None, width: 100, color: false, is_part: true };
/// Sides of a gate did not take turns, and the machine of today is not that of the baseline.
const MARGIN: f64 = 0.05;

/// Hold a run against a baseline and against budgets: a gate for scripts
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
#[command(
    override_usage = "calor check [OPTIONS] --baseline NAME -- CMD [ARGUMENTS]...\n       calor check [OPTIONS] --budget NAME=LIMIT FILE..."
)]
pub(crate) struct Arguments {
    /// The baseline that runs are held against, see `calor baseline --help`
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// A command that is run in turns with the other, instead of a baseline
    #[arg(long, value_name = "CMD", conflicts_with = "baseline")]
    against: Option<OsString>,
    /// What may be taken at most, such as 'attention=50ms' or peak=200MB; may be given more than once
    #[arg(long = "budget", value_name = "NAME=LIMIT", value_parser = budget_of)]
    budgets: Vec<Budget>,
    /// What becomes of an open verdict [default: tell]
    #[arg(long, value_enum)]
    undecided: Option<Undecided>,
    /// How often the command is recorded [default: 10; 3 for budgets alone]
    #[arg(long, value_name = "N", value_parser = number::from_one, allow_negative_numbers = true)]
    runs: Option<usize>,
    /// Run it so often before, without recording [default: 1]
    #[arg(long, value_name = "N", value_parser = number::whole, allow_negative_numbers = true)]
    warmup: Option<usize>,
    /// Differences up to this count as none [default: 5%]
    #[arg(long, value_name = "PART", value_parser = number::part, allow_hyphen_values = true)]
    margin: Option<f64>,
    /// What is compared, as in `calor compare` [default: the first that all runs have]
    #[arg(long, value_parser = compare::metric)]
    metric: Option<CompareMetric>,
    /// The profile that the command writes by itself, as one with scopes does: read instead of recording it
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Also write the outcome as JUnit XML, for pages about tests
    #[arg(long, value_name = "OUT")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    page: Page<Plain>,
    /// Profiles to check: files of any format, or saved runs such as store:latest
    #[arg(value_name = "FILE", conflicts_with = "command")]
    files: Vec<PathBuf>,
    /// The command to record, with its arguments
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// What becomes of a verdict that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Undecided {
    /// Exit code 0
    Pass,
    /// Exit code 1
    Fail,
    /// Exit code 3
    Tell,
}

impl From<Undecided> for OpenVerdict {
    fn from(undecided: Undecided) -> Self {
        match undecided {
            Undecided::Pass => Self::Passes,
            Undecided::Fail => Self::Fails,
            Undecided::Tell => Self::StaysOpen,
        }
    }
}

/// What is asked for, by flags and settings together.
struct Demand<'a> {
    arguments: &'a Arguments,
    settings: &'a Settings,
    baseline: Option<&'a str>,
    budgets: Vec<Budget>,
    metric: Option<CompareMetric>,
    margin: f64,
    undecided: Undecided,
    /// Whether somebody said what becomes of an open verdict.
    has_policy: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    // Nothing is run for a result that has no place.
    let format = arguments.page.format(WRITTEN)?;
    arguments.page.refuse_bad_place()?;
    if let Some(path) = arguments.junit.as_deref().filter(|path| !output::is_standard(path)) {
        output::refuse_missing_folder(path)?;
    }
    let checked = project::settings().and_then(|settings| check(arguments, settings));
    if let Some(file) = &arguments.junit {
        let page = checked.as_ref().map_or_else(junit::failed, junit::page);
        output::write(Some(file), page.as_bytes())?;
    }
    let checked = checked?;
    let page = match format {
        Plain::Text => text::page(&checked, terminal::width(), arguments.page.is_coloured())?,
        Plain::Md => markdown::page(&checked)?,
        Plain::Json => json::page(&checked)?,
    };
    arguments.page.write(page.as_bytes())?;
    if arguments.page.file().is_some() {
        // Who waits for a gate wants to know what it says.
        news::say_wrapped(&checked.outcome.sentences().join(" "));
    }
    Ok(ExitCode::from(checked.exit_code()))
}

fn check(arguments: &Arguments, settings: &Settings) -> Result<Checked> {
    let demand = Demand::new(arguments, settings)?;
    let held = runs::held(&demand)?;
    Checked::of(&demand, held)
}

impl<'a> Demand<'a> {
    fn new(arguments: &'a Arguments, settings: &'a Settings) -> Result<Self> {
        let own: &settings::Check = &settings.check;
        let baseline = match arguments.against {
            Some(_) => None,
            None => arguments.baseline.as_deref().or(own.baseline.as_deref()),
        };
        // A budget that is given wins over that of the file.
        let mut budgets = arguments.budgets.clone();
        let kept =
            own.budgets.iter().filter(|budget| budgets.iter().all(|given| given.name() != budget.name()));
        budgets.extend(kept.cloned().collect::<Vec<_>>());
        if baseline.is_none() && arguments.against.is_none() && budgets.is_empty() {
            bail!(
                "nothing to hold against: name a baseline with --baseline, as `calor baseline list` shows them, or give a \
                 --budget such as 'attention=50ms'; [check] in calor.toml can have both"
            );
        }
        if arguments.files.is_empty() && arguments.command.is_empty() {
            bail!(
                "nothing to check: name profiles, or a command to record, as in `calor check --baseline main -- ./bench`"
            );
        }
        if arguments.against.is_some() && arguments.command.is_empty() {
            bail!(
                "--against takes turns with a command: name it, as in `calor check --against './old' -- ./new`"
            );
        }
        let metric = match (&arguments.metric, &own.metric) {
            (Some(metric), _) => Some(metric.clone()),
            (None, Some(word)) => Some(
                compare::metric(word)
                    .map_err(|error| anyhow::anyhow!("metric in [check] of calor.toml: {error}"))?,
            ),
            (None, None) => None,
        };
        let policy = arguments.undecided.or(own.undecided);
        Ok(Self {
            arguments,
            settings,
            baseline,
            budgets,
            metric,
            margin: arguments.margin.or(own.margin).unwrap_or(MARGIN),
            undecided: policy.unwrap_or(Undecided::Tell),
            has_policy: policy.is_some(),
        })
    }

    /// How often a command is recorded.
    fn n_runs(&self) -> usize {
        let is_compared = self.baseline.is_some() || self.arguments.against.is_some();
        let usual = if is_compared { RUNS } else { RUNS_FOR_BUDGETS };
        self.arguments.runs.or(self.settings.check.runs).unwrap_or(usual).max(1)
    }

    fn warmup(&self) -> usize {
        self.arguments.warmup.or(self.settings.check.warmup).unwrap_or(1)
    }

    /// The profile that the command writes by itself.
    fn own_profile(&self) -> Option<PathBuf> {
        self.arguments.profile.clone().or_else(|| self.settings.check.profile.clone())
    }
}

fn budget_of(given: &str) -> Result<Budget, String> {
    given.parse()
}
