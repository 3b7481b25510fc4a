//! What an experiment came to: what text, Markdown and JSON are made of.

use std::time::Duration;

use calor_analysis::quantity::{amount, bytes, counted, duration};
use calor_analysis::{Change, Comparison, Metric, paired_change};
use calor_model::Warning;

use super::middle::Middle;
use super::rounds::Plan;
use super::variant::Variant;

/// Fewer pairs than this may lie close together by chance: how much they differ, and so what they find, is hardly known.
const SPREAD_KNOWN: usize = 10;

/// Everything.
pub(super) struct Outcome {
    pub(super) plan: Plan,
    pub(super) variants: Vec<Variant>,
    /// Each variant but the first with the first.
    pub(super) comparisons: Vec<Comparison>,
    /// What decides first.
    pub(super) series: Vec<Series>,
    pub(super) n_pairs: usize,
    /// With the runs to warm up.
    pub(super) elapsed: Duration,
    /// How long a round of all variants takes.
    pub(super) round: Duration,
    pub(super) is_interrupted: bool,
    pub(super) warnings: Vec<Warning>,
    /// The time that was said to be enough while it ran, where that which was given was not.
    pub(super) wanted: Option<Duration>,
    /// What to do next, where something is undecided: one of these.
    pub(super) advice: Vec<String>,
}

/// One metric over all rounds.
pub(super) struct Series {
    pub(super) metric: Metric,
    /// By variant, in the order of the rounds; no number where it was not measured.
    pub(super) values: Vec<Vec<f64>>,
}

/// One line of the table.
pub(super) struct Row {
    pub(super) metric: Metric,
    pub(super) name: char,
    /// `None` where it could not be measured.
    pub(super) middle: Option<Middle>,
    /// Against the first; `None` of the first itself, and where too little was measured.
    pub(super) change: Option<Change>,
}

impl Outcome {
    /// Whether what decides was below what can be measured in some run.
    pub(super) fn is_below_start(&self) -> bool {
        let decides = self.series.first().map(|series| &series.values);
        decides.into_iter().flatten().flatten().any(|value| value.is_nan())
    }

    /// The rows of one metric: one for each variant.
    pub(super) fn rows_of(&self, series: &Series) -> Vec<Row> {
        let row = |(at, variant): (usize, &Variant)| Row {
            metric: series.metric,
            name: variant.name,
            middle: Middle::of(&series.values[at]),
            change: self.change(series, at),
        };
        self.variants.iter().enumerate().map(row).collect()
    }

    /// The change of what decides is that of the verdict; that of the others comes without one.
    fn change(&self, series: &Series, at: usize) -> Option<Change> {
        let comparison = self.comparisons.get(at.checked_sub(1)?)?;
        match series.metric == self.plan.metric {
            true => comparison.change,
            false => paired_change(&series.values[0], &series.values[at]),
        }
    }

    /// The cells of the table, its head first.
    pub(super) fn cells(&self) -> Vec<Vec<String>> {
        let head = ["", "", "median", "middle half", "ratio to A", "95 % interval"];
        let mut cells = vec![head.map(str::to_owned).to_vec()];
        for series in &self.series {
            let mut rows = self.rows_of(series);
            rows.retain(|row| row.middle.is_some());
            for (at, row) in rows.iter().enumerate() {
                let Some(middle) = row.middle else { continue };
                let shown = |value: f64| shown(value, row.metric);
                let [ratio, interval] = match row.change {
                    Some(Change { effect, interval: [low, high] }) => {
                        [format!("{:.3}", 1.0 + effect), format!("{:.3} to {:.3}", 1.0 + low, 1.0 + high)]
                    }
                    None => Default::default(),
                };
                cells.push(vec![
                    if at == 0 { row.metric.name().to_owned() } else { String::new() },
                    row.name.to_string(),
                    shown(middle.median),
                    match middle.n {
                        // One run has no spread.
                        1 => String::new(),
                        _ => format!("{} to {}", shown(middle.low), shown(middle.high)),
                    },
                    ratio,
                    interval,
                ]);
            }
        }
        cells
    }

    /// How it was done and how far to trust it, in sentences.
    pub(super) fn notes(&self) -> Vec<String> {
        let seconds = duration(self.elapsed.as_nanos() as f64);
        let warmup = match self.plan.warmup {
            0 => String::new(),
            n => format!(" after {} of each to warm up", counted(n as u64, "run")),
        };
        let pairs = counted(self.n_pairs as u64, "pair");
        let mut notes =
            vec![format!("{pairs} in {seconds}{warmup}, in random order (seed {})", self.plan.seed)];
        let found = self.comparisons.iter().filter_map(|found| found.smallest_detectable).reduce(f64::max);
        if let Some(least) = found.filter(|_| self.n_pairs >= SPREAD_KNOWN) {
            notes.push(format!("so many pairs find a change of {} four times in five", percent(least)));
        }
        if let Some(control) = self.comparisons.iter().find_map(|found| found.null_control) {
            notes.push(format!("null control {}: A against itself {}", control.word(), control.change));
        }
        notes
    }
}

/// A figure with its unit.
pub(super) fn shown(value: f64, metric: Metric) -> String {
    match metric {
        Metric::Rss => bytes(value.round().max(0.0) as u64),
        Metric::Instructions => amount(value),
        _ => duration(value),
    }
}

/// A part in percent, to two digits that count.
pub(super) fn percent(part: f64) -> String {
    let percent = part * 100.0;
    match percent {
        percent if percent < 0.1 => format!("{percent:.2} %"),
        percent if percent < 10.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}
