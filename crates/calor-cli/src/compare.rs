//! `calor compare`: two sets of runs, what changed between them and how sure that is.

mod models;
pub(crate) mod sides;

use std::path::PathBuf;

use anyhow::{Result, bail};
use calor_analysis::comparison::{CompareBy, CompareMetric, Comparison, ComparisonOptions};
use calor_report::{CompareOptions, render_compared};
use clap::{Args, ValueEnum};

use crate::format::Written;
use crate::page::{Page, Paged, Top};
use crate::{number, output, progress, terminal};

const EXAMPLES: &str = "\
Examples:
  calor compare before.calor after.calor
  calor compare a1.calor a2.calor a3.calor -- b1.calor b2.calor b3.calor
  calor compare before.calor after.calor --metric allocated
  calor compare before.calor after.calor --by total
  calor compare before.calor after.calor -o compare.html
  calor compare before.calor after.calor --format md -o comment.md
  calor compare before.calor after.calor --format json | jq .verdict
  calor compare --models run.calor
  calor compare --models small.calor medium.calor";

const AFTER: &str = "\
One run a side tells what may have changed and not more, but for runs of `calor bench model --enhanced`, whose rounds can tell \
that nothing did: several runs a side, in turns, tell how sure that is. Runs are files of any format that `calor convert --list` shows, or saved ones such as \
store:latest; baseline:NAME stands for all runs of a baseline.";

const WRITTEN: Written = Written::new("a comparison");

/// Compare runs: a verdict with its interval, and which functions changed
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
#[command(
    override_usage = "calor compare [OPTIONS] A B\n       calor compare [OPTIONS] A1 A2 ... -- B1 B2 ...\n       \
                      calor compare [OPTIONS] --models REPORT..."
)]
pub(crate) struct Arguments {
    /// The run before and the run after; or all runs before, with -- behind them
    #[arg(required_unless_present = "models", value_name = "A")]
    before: Vec<PathBuf>,
    /// All runs after
    #[arg(last = true, value_name = "B")]
    after: Vec<PathBuf>,
    /// Compare the models of one run instead, such as `calor bench model --enhanced` wrote, or of several: profiles, or reports
    #[arg(long, value_name = "REPORT", num_args = 1.., conflicts_with_all = ["before", "after", "metric", "interleaved"])]
    models: Vec<PathBuf>,
    /// What is compared: scopes, cpu, wall, off_cpu, gpu, allocated (or heap), or the name of a counter such as
    /// page-faults [default: the first of these that all runs have]
    #[arg(long, value_parser = metric)]
    metric: Option<CompareMetric>,
    /// What functions are listed by
    #[arg(long, value_enum, default_value_t = By::Own)]
    by: By,
    /// Differences up to this count as none [default: 2%; 5% of one run a side that is in rounds]
    #[arg(long, value_name = "PART", value_parser = number::part, allow_negative_numbers = true)]
    margin: Option<f64>,
    /// The runs took turns, the first of one side beside the first of the other: they are compared in pairs
    #[arg(long)]
    interleaved: bool,
    #[command(flatten)]
    top: Top,
    #[command(flatten)]
    page: Page<Paged>,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// What they take themselves: this adds up
    #[value(name = "self")]
    Own,
    /// What they take with what they call
    Total,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let reports = &arguments.models;
    if !reports.is_empty() {
        reports.iter().try_for_each(|report| arguments.page.refuse_input(report))?;
        let format = arguments.page.format(WRITTEN)?;
        let page = models::page(reports, format, terminal::width(), arguments.page.is_coloured())?;
        return arguments.page.write(&page);
    }
    let [before, after] = arguments.sides()?;
    for file in before.iter().chain(&after) {
        arguments.page.refuse_input(file)?;
    }
    let shown = CompareOptions {
        format: arguments.page.format(WRITTEN)?.into(),
        top: arguments.top.rows,
        width: terminal::width(),
        color: arguments.page.is_coloured(),
        is_part: false,
    };
    let sides = sides::read(&before, &after)?;
    let options = ComparisonOptions {
        metric: arguments.metric.clone(),
        by: match arguments.by {
            By::Own => CompareBy::Own,
            By::Total => CompareBy::Total,
        },
        is_interleaved: arguments.interleaved,
        margin: arguments.margin,
        remarks: sides.remarks,
    };
    let mut page = Vec::new();
    progress::waited("comparing", || -> Result<()> {
        let compared = Comparison::new(&sides.before, &sides.after, &options)?;
        Ok(render_compared(&compared, &shown, &mut page)?)
    })?;
    arguments.page.write(&page)
}

impl Arguments {
    /// The names of the runs before and after.
    fn sides(&self) -> Result<[Vec<PathBuf>; 2]> {
        let is_option =
            |path: &&PathBuf| path.to_string_lossy().starts_with('-') && !output::is_standard(path);
        if let Some(option) = self.after.iter().find(is_option) {
            bail!(
                "{} stands behind --, where runs are named: options stand before the runs",
                option.display()
            );
        }
        match (&self.before[..], &self.after[..]) {
            ([_, ..], [_, ..]) => Ok([self.before.clone(), self.after.clone()]),
            ([before, after], []) => Ok([vec![before.clone()], vec![after.clone()]]),
            ([one], _) => bail!(
                "expected a run before and a run after, found only {}: name both, as in `calor compare A B`",
                one.display()
            ),
            (several, _) => bail!(
                "expected two runs, found {}: put -- between those before and those after, as in `calor compare A1 A2 -- \
                 B1 B2`",
                several.len()
            ),
        }
    }
}

/// What is compared, by its word.
pub(crate) fn metric(given: &str) -> Result<CompareMetric, String> {
    match given {
        "live" | "peak" | "temporary" => Err(format!(
            "expected one of {}, or the name of a counter; `calor heap --diff A B` compares what heaps hold",
            CompareMetric::WORDS.join(", ")
        )),
        given => Ok(given.parse().unwrap_or_else(|never: std::convert::Infallible| match never {})),
    }
}
