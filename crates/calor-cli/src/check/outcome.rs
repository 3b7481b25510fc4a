//! What a check came to: what text, Markdown, JSON and JUnit are made of.

use anyhow::Result;
use calor_analysis::Verdict;
use calor_model::{Profile, Warning, add_warning};
use calor_report::{CompareFormat, CompareOptions};

use super::advice::Asked;
use super::comparison::Comparison;
use super::runs::Held;
use super::spending::{Figures, Spending, spending};
use super::{Budget, Demand, Undecided};
use crate::command_line;

/// Everything.
pub(super) struct Outcome {
    /// What runs were held against, and what that came to.
    pub(super) comparison: Option<Comparison>,
    pub(super) budgets: Vec<Spending>,
    pub(super) undecided: Undecided,
    /// How many runs were checked.
    pub(super) n_runs: usize,
    /// What to do next, where it is undecided: one of these.
    pub(super) advice: Vec<String>,
    /// What the runs that were checked could not see.
    pub(super) warnings: Vec<Warning>,
    /// How a comparison is shown within the page.
    pub(super) options: CompareOptions,
}

impl Outcome {
    pub(super) fn of(demand: &Demand<'_>, mut held: Held) -> Result<Self> {
        let options = CompareOptions {
            format: CompareFormat::Text,
            metric: demand.metric.clone(),
            is_interleaved: held.is_interleaved,
            margin: demand.margin,
            margin_of_rounds: demand.margin,
            remarks: std::mem::take(&mut held.remarks),
            is_part: true,
            ..CompareOptions::default()
        };
        let comparison = Comparison::of(demand, &mut held, &options)?;
        let line = held.command.is_some().then(|| command_line::typed().to_vec());
        let budgets = budgets(&demand.budgets, &held, comparison.as_ref())?;
        // Where a budget is exceeded it fails whatever becomes of what is open.
        let is_over = budgets.iter().any(|spending| !spending.is_within());
        let asked = Asked { line, has_policy: demand.has_policy || is_over };
        let mut warnings = Vec::new();
        for warning in held.after.iter().flat_map(|run| &run.profile().warnings) {
            add_warning(&mut warnings, warning.clone());
        }
        Ok(Self {
            budgets,
            undecided: demand.undecided,
            n_runs: held.after.len(),
            advice: comparison.as_ref().map_or_else(Vec::new, |comparison| comparison.advice(&asked)),
            comparison,
            warnings,
            options,
        })
    }

    /// What it all came to: a budget that was exceeded counts as much as a comparison that says so.
    pub(super) fn verdict(&self) -> Verdict {
        if self.budgets.iter().any(|spending| !spending.is_within()) {
            return Verdict::Regressed;
        }
        self.comparison.as_ref().map_or(Verdict::Same, Comparison::verdict)
    }

    pub(super) fn exit_code(&self) -> u8 {
        match (self.verdict(), self.undecided) {
            (Verdict::Regressed, _) | (Verdict::Undecided, Undecided::Fail) => 1,
            (Verdict::Undecided, Undecided::Tell) => 3,
            (Verdict::Same | Verdict::Improved, _) | (Verdict::Undecided, Undecided::Pass) => 0,
        }
    }

    /// What it came to, in sentences: what makes it fail first.
    pub(super) fn sentences(&self) -> Vec<String> {
        let over: Vec<String> =
            self.budgets.iter().filter(|spending| !spending.is_within()).map(Spending::sentence).collect();
        let mut sentences = Vec::new();
        if !over.is_empty() {
            sentences.push(format!("Over budget: {}.", over.join("; ")));
        }
        sentences.extend(self.comparison.as_ref().map(Comparison::headline));
        if over.is_empty() && !self.budgets.is_empty() {
            sentences.push(match self.budgets.len() {
                1 => "The budget is kept.".to_owned(),
                2 => "Both budgets are kept.".to_owned(),
                n => format!("All {n} budgets are kept."),
            });
        }
        sentences
    }
}

fn budgets(budgets: &[Budget], held: &Held, comparison: Option<&Comparison>) -> Result<Vec<Spending>> {
    if budgets.is_empty() {
        return Ok(Vec::new());
    }
    let after: Vec<&Profile> = held.after.iter().map(|run| run.profile()).collect();
    let former = comparison.map_or(&[][..], |comparison| &comparison.before.runs);
    let former: Vec<&Profile> = former.iter().map(|run| run.profile()).collect();
    let (figures, former) = (Figures::of(&after), Figures::of(&former));
    let heap: Vec<&Profile> = held.heap.iter().collect();
    let of = |budget: &Budget| {
        let runs = if budget.needs_heap() && !heap.is_empty() { &heap } else { &after };
        spending(budget, runs, &figures, Some(&former))
    };
    budgets.iter().map(of).collect()
}
