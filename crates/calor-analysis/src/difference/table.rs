//! The functions of all runs in one table: a row for each function, a column for each run.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::{FunctionFigures, FunctionName, RunFigures};

/// What one function took in every run of both sides, for each unit of work.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) function: FunctionName,
    /// What it was called before, if it was renamed.
    pub(super) renamed_from: Option<FunctionName>,
    /// By side and run; 0 where it did not run.
    pub(super) values: [Vec<f64>; 2],
    /// The same; `None` as soon as they are not known of some run.
    pub(super) calls: Option<[Vec<f64>; 2]>,
    /// Samples of all runs of a side; `None` where values were measured.
    pub(super) samples: Option<[u64; 2]>,
    pub(super) neighbours: Vec<String>,
    pub(super) waits_for: Option<String>,
    /// Whether it is in a run of that side at all, be it as a caller of others.
    pub(super) is_there: [bool; 2],
}

impl Row {
    fn new(function: FunctionName, n_runs: [usize; 2]) -> Self {
        let zeros = || n_runs.map(|n| vec![0.0; n]);
        Self {
            function,
            renamed_from: None,
            values: zeros(),
            calls: Some(zeros()),
            samples: None,
            neighbours: Vec::new(),
            waits_for: None,
            is_there: [false; 2],
        }
    }

    pub(super) fn total(&self, side: usize) -> f64 {
        self.values[side].iter().sum()
    }

    pub(super) fn mean(&self, side: usize) -> f64 {
        self.total(side) / self.values[side].len().max(1) as f64
    }

    /// Takes in the row of what the function was called before, which has nothing after.
    pub(super) fn absorb_former(&mut self, former: Self) {
        let [before, _] = former.values;
        self.values[0] = before;
        self.calls = match (self.calls.take(), former.calls) {
            (Some([_, after]), Some([before, _])) => Some([before, after]),
            _ => None,
        };
        self.samples = match (self.samples, former.samples) {
            (Some([_, after]), Some([before, _])) => Some([before, after]),
            (own, theirs) => own.or(theirs),
        };
        self.waits_for = self.waits_for.take().or(former.waits_for);
        self.is_there = [true; 2];
        self.renamed_from = Some(former.function);
    }

    /// Logarithms by side and run. Where a function did not run it is taken for half of the least that it ever took; `None`
    /// where it is missing in most runs of a side.
    pub(super) fn logs(&self) -> Option<[Vec<f64>; 2]> {
        let is_there = |value: &&f64| **value > 0.0;
        for side in &self.values {
            if side.iter().filter(is_there).count() * 2 <= side.len() {
                return None;
            }
        }
        let least = self
            .values
            .iter()
            .flatten()
            .filter(is_there)
            .fold(f64::INFINITY, |least, value| least.min(*value));
        let log = |value: &f64| if *value > 0.0 { value.ln() } else { (least / 2.0).ln() };
        Some([0, 1].map(|side| self.values[side].iter().map(log).collect()))
    }

    /// The same of calls, where they are known and there are some in every run.
    pub(super) fn call_logs(&self) -> Option<[Vec<f64>; 2]> {
        let calls = self.calls.as_ref()?;
        let are_there = calls.iter().flatten().all(|calls| *calls > 0.0);
        are_there.then(|| [0, 1].map(|side| calls[side].iter().map(|calls| calls.ln()).collect()))
    }
}

/// All functions in the order of their first appearance, from these figures of each run. Those that only call others are among
/// them, with nothing.
pub(super) fn rows<'r>(
    sides: [&'r [RunFigures]; 2],
    of_run: impl Fn(&'r RunFigures) -> &'r [FunctionFigures],
) -> Vec<Row> {
    let n_runs = sides.map(<[RunFigures]>::len);
    let mut rows: IndexMap<&FunctionName, Row, RandomState> = IndexMap::default();
    for (side, runs) in sides.into_iter().enumerate() {
        for (at, run) in runs.iter().enumerate() {
            for figures in of_run(run) {
                let row = rows
                    .entry(&figures.function)
                    .or_insert_with(|| Row::new(figures.function.clone(), n_runs));
                row.values[side][at] += figures.value / run.work;
                row.is_there[side] = true;
                match (&mut row.calls, figures.calls) {
                    (Some(calls), Some(n)) => calls[side][at] += n as f64 / run.work,
                    (calls, _) => *calls = None,
                }
                if let Some(n) = figures.samples {
                    row.samples.get_or_insert([0; 2])[side] += n;
                }
                if row.neighbours.is_empty() {
                    row.neighbours.clone_from(&figures.neighbours);
                }
                if figures.waits_for.is_some() {
                    row.waits_for.clone_from(&figures.waits_for);
                }
            }
            for caller in &run.callers {
                let row = rows.entry(caller).or_insert_with(|| Row::new(caller.clone(), n_runs));
                row.is_there[side] = true;
            }
        }
    }
    rows.into_values().collect()
}
