//! One run of a command: started and measured as `calor stat` does it, with its children.

use std::os::fd::RawFd;
use std::process::ExitStatus;

use anyhow::{Context, Result, bail};
use calor_analysis::Metric;
use calor_record::counters::{Absence, Counter, Counting, Streams, pmu};

use super::captured::{Onward, captured};
use super::variant::Variant;
use crate::launch;

/// How many lines of a failed command's output are shown.
const LAST_LINES: usize = 10;

/// Measures runs.
pub(super) struct Measuring {
    counting: Counting,
    /// In the order of the counters.
    metrics: Vec<Metric>,
    /// Where standard output and standard error of commands go.
    onward: [Onward; 2],
}

/// What a run came to.
pub(super) struct Ran {
    /// In the order of the metrics.
    pub(super) figures: Vec<Result<f64, Absence>>,
    /// Of what it wrote to its standard output: bytes and digest.
    pub(super) digest: (u64, u64),
    /// Whether it wrote anything at all.
    pub(super) has_written: bool,
    /// Whether somebody asked for the end.
    pub(super) was_interrupted: bool,
    status: ExitStatus,
    /// The last lines it wrote.
    last_lines: Vec<String>,
}

impl Measuring {
    /// Makes ready to measure, `decisive` first. Refuses what this machine does not measure before anything is run.
    pub(super) fn new(decisive: Metric, onward: [Onward; 2]) -> Result<Self> {
        let mut metrics = vec![Metric::Cpu, Metric::Wall, Metric::Rss];
        match pmu() {
            Ok(pmu) if pmu.offered.contains(&"instructions") => metrics.push(Metric::Instructions),
            Ok(_) if decisive == Metric::Instructions => return Err(missing(decisive, Absence::NotOffered)),
            Err(absence) if decisive == Metric::Instructions => return Err(missing(decisive, absence)),
            _ => {}
        }
        metrics.sort_by_key(|metric| *metric != decisive);
        let counters: Result<Vec<Counter>, _> =
            metrics.iter().map(|metric| Counter::named(counter(*metric))).collect();
        let counters = counters.context("a metric has no counter")?;
        let counting = Counting::new(counters).map_err(|error| launch::failed(error, "calor ab"))?;
        Ok(Self { counting, metrics, onward })
    }

    /// What is measured, that which decides first.
    pub(super) fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// Runs a command to its end. One that fails is an error, unless somebody asked for the end.
    pub(super) fn run(&mut self, variant: &Variant, when: &str) -> Result<Ran> {
        let ran = self.start(variant)?;
        if !ran.status.success() && !ran.was_interrupted {
            bail!(failure(variant, when, &ran));
        }
        Ok(ran)
    }

    fn start(&mut self, variant: &Variant) -> Result<Ran> {
        let run = |ends: [RawFd; 2]| {
            let streams = Streams { no_input: true, taken_by: Some(ends), ..Streams::default() };
            self.counting.run(&variant.words, streams)
        };
        let (counted, [output, errors]) =
            captured(self.onward, run).context("cannot read what a command writes")?;
        let name = variant.name;
        let counted =
            counted.map_err(|error| launch::failed(error, "calor ab").context(format!("command {name}")))?;
        let figures = counted.amounts.into_iter().map(|amount| amount.map(|amount| amount.value as f64));
        // Most tell what went wrong on standard error.
        let told = errors.last_lines(LAST_LINES);
        Ok(Ran {
            figures: figures.collect(),
            digest: output.digest(),
            has_written: !(output.is_empty() && errors.is_empty()),
            was_interrupted: counted.was_interrupted,
            status: counted.status,
            last_lines: if told.is_empty() { output.last_lines(LAST_LINES) } else { told },
        })
    }
}

/// The figure that decides, which has to be there. Memory that is too little to be measured is at most what a process has
/// before it becomes the program, which is enough where a bound is asked for.
pub(super) fn decisive(metric: Metric, ran: &Ran, takes_bounds: bool) -> Result<f64> {
    match ran.figures.first() {
        Some(Ok(figure)) => Ok(*figure),
        Some(Err(Absence::BelowStart(bytes))) if takes_bounds => Ok(*bytes as f64),
        Some(Err(absence)) => Err(missing(metric, *absence)),
        None => Err(missing(metric, Absence::NotOffered)),
    }
}

/// What a metric is called among the counters.
fn counter(metric: Metric) -> &'static str {
    match metric {
        Metric::Wall => "elapsed",
        Metric::Rss => "max-rss",
        Metric::Instructions => "instructions",
        _ => "task-clock",
    }
}

fn missing(metric: Metric, absence: Absence) -> anyhow::Error {
    let others: Vec<&str> = [Metric::Cpu, Metric::Wall, Metric::Rss]
        .into_iter()
        .filter(|other| *other != metric)
        .map(Metric::word)
        .collect();
    let (word, others) = (metric.word(), others.join("` or `--metric "));
    anyhow::anyhow!("`--metric {word}` is not available {}: compare with `--metric {others}`", absence.what())
}

fn failure(variant: &Variant, when: &str, ran: &Ran) -> String {
    let Variant { name, shown, .. } = variant;
    let end = launch::ending(ran.status);
    let mut text = format!(
        "command {name} failed {when}, and the experiment with it: `{shown}` {end}; see whether it works on its own, and \
         where such an end is as it should be, add `|| true` to it"
    );
    if !ran.last_lines.is_empty() {
        text += "\nthe last lines it wrote:";
        ran.last_lines.iter().for_each(|line| text += &format!("\n  {line}"));
    }
    text
}
