//! A check as it goes on: runs are compared, recorded once more where the gate asks for it, and held against budgets.

use anyhow::Result;
use calor_analysis::comparison::{ComparedRun, Comparison, ComparisonOptions};
use calor_analysis::gate::{GateOutcome, GateResult, GatedComparison, NextLook, spendings};
use calor_model::{Warning, add_warning};

use super::advice::{Asked, advice};
use super::runs::{Before, Held};
use super::{Demand, Undecided, runs};
use crate::{command_line, news, progress};

/// What a check came to: what text, Markdown, JSON and JUnit are made of.
pub(super) struct Checked {
    /// What runs were held against.
    pub(super) before: Option<Before>,
    /// What that came to.
    pub(super) outcome: GateOutcome,
    pub(super) undecided: Undecided,
    /// How many runs were checked.
    pub(super) n_runs: usize,
    /// What to do next, where it is undecided: one of these.
    pub(super) advice: Vec<String>,
    /// What the runs that were checked could not see.
    pub(super) warnings: Vec<Warning>,
}

impl Checked {
    pub(super) fn of(demand: &Demand<'_>, mut held: Held) -> Result<Self> {
        let options = ComparisonOptions {
            metric: demand.metric.clone(),
            is_interleaved: held.is_interleaved,
            margin: Some(demand.margin),
            remarks: std::mem::take(&mut held.remarks),
            ..ComparisonOptions::default()
        };
        let comparison = gated(demand, &mut held, &options)?;
        let former = held.before.as_ref().map_or(&[][..], |before| &before.runs);
        let budgets = spendings(
            &demand.budgets,
            &held.after.iter().map(ComparedRun::profile).collect::<Vec<_>>(),
            held.heap.as_ref(),
            &former.iter().map(ComparedRun::profile).collect::<Vec<_>>(),
        )?;
        let outcome = GateOutcome { comparison, budgets, open: demand.undecided.into() };
        let line = held.command.is_some().then(|| command_line::typed().to_vec());
        // Where a budget is exceeded it fails whatever becomes of what is open.
        let asked = Asked { line, has_policy: demand.has_policy || outcome.is_over_budget() };
        let mut warnings = Vec::new();
        for warning in held.after.iter().flat_map(|run| &run.profile().warnings) {
            add_warning(&mut warnings, warning.clone());
        }
        Ok(Self {
            advice: match (&outcome.comparison, &held.before) {
                (Some(comparison), Some(before)) => advice(comparison, before, &asked),
                _ => Vec::new(),
            },
            before: held.before,
            outcome,
            undecided: demand.undecided,
            n_runs: held.after.len(),
            warnings,
        })
    }

    pub(super) fn exit_code(&self) -> u8 {
        match self.outcome.result() {
            GateResult::Passed => 0,
            GateResult::Failed => 1,
            GateResult::Open => 3,
        }
    }
}

/// Compares what is held; `None` where there is nothing to hold it against.
fn gated(
    demand: &Demand<'_>,
    held: &mut Held,
    options: &ComparisonOptions,
) -> Result<Option<GatedComparison>> {
    let Some(before) = &mut held.before else { return Ok(None) };
    let compared = |before: &[ComparedRun], after: &[ComparedRun]| {
        progress::waited("comparing", || Comparison::new(before, after, options))
    };
    let n_runs = held.after.len();
    let first = GatedComparison::new(compared(&before.runs, &held.after)?, held.is_interleaved);
    Ok(Some(match first.next_look(held.command.is_some()) {
        None => first,
        Some(NextLook::Again) => {
            news::say("that is slower: once more, to be sure");
            let again = runs::again(demand, before, n_runs)?;
            let by_itself = compared(&before.runs, &again)?;
            held.after.extend(again);
            GatedComparison::after_again(by_itself, compared(&before.runs, &held.after)?)
        }
        Some(NextLook::MoreTurns) => {
            news::say("that is not sure yet: as many turns again");
            let [former, latter] = runs::more_turns(demand, n_runs)?;
            before.runs.extend(former);
            held.after.extend(latter);
            GatedComparison::new(compared(&before.runs, &held.after)?, held.is_interleaved)
        }
    }))
}
