//! What a check came to: what text, Markdown, JSON and JUnit are made of.

use anyhow::Result;
use calor_analysis::{CommonCause, Difference, Verdict};
use calor_model::Profile;
use calor_report::{CompareFormat, CompareOptions, Compared};

use super::runs::{Before, Held};
use super::spending::{Figures, Spending, spending};
use super::{Budget, Demand, Undecided};
use crate::progress;

/// The part of a move of everything that the machine has to explain before a gate takes it for the machine's.
const EXPLAINED: f64 = 2.0 / 3.0;

/// Everything.
pub(super) struct Outcome {
    /// What runs were held against, and what that came to.
    pub(super) compared: Option<(Before, Compared)>,
    pub(super) budgets: Vec<Spending>,
    pub(super) undecided: Undecided,
    /// How many runs were checked.
    pub(super) n_runs: usize,
    /// What to do next, where it is undecided.
    pub(super) advice: Vec<String>,
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
            remarks: std::mem::take(&mut held.remarks),
            is_part: true,
            ..CompareOptions::default()
        };
        let budgets = budgets(&demand.budgets, &held)?;
        let n_runs = held.after.len();
        let Held { before, after, command, .. } = held;
        let mut compared = None;
        if let Some(before) = before {
            let found = progress::waited("comparing", || Compared::new(&before.runs, &after, &options))?;
            compared = Some((before, found));
        }
        let mut outcome =
            Self { compared, budgets, undecided: demand.undecided, n_runs, advice: Vec::new(), options };
        outcome.advice = outcome.what_next(command.as_deref());
        Ok(outcome)
    }

    /// What it all came to: a budget that was exceeded counts as much as a comparison that says so.
    pub(super) fn verdict(&self) -> Verdict {
        if self.budgets.iter().any(|spending| !spending.is_within()) {
            return Verdict::Regressed;
        }
        self.compared.as_ref().map_or(Verdict::Same, |(_, compared)| gate(compared.difference()))
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
        if let Some((_, compared)) = &self.compared {
            sentences.push(headline(compared));
        }
        if over.is_empty() && !self.budgets.is_empty() {
            sentences.push(match self.budgets.len() {
                1 => "The budget is kept.".to_owned(),
                2 => "Both budgets are kept.".to_owned(),
                n => format!("All {n} budgets are kept."),
            });
        }
        sentences
    }

    fn what_next(&self, command: Option<&str>) -> Vec<String> {
        let Some((before, compared)) = &self.compared else { return Vec::new() };
        let difference = compared.difference();
        if gate(difference) != Verdict::Undecided {
            return Vec::new();
        }
        let command = command.unwrap_or("CMD");
        let [n_before, n_after] = difference.n_runs;
        let wanted = difference.needs_runs.unwrap_or(super::RUNS).clamp(super::RUNS, 1000);
        let mut advice = Vec::new();
        match before.baseline() {
            Some(baseline) => {
                let name = &baseline.name;
                let former = baseline.runs.first().and_then(|run| run.command.as_deref()).unwrap_or(command);
                if n_before < wanted {
                    advice.push(format!(
                        "record the baseline {wanted} times, where its program is: `calor baseline set {name} --runs {wanted} \
                         -- {former}`"
                    ));
                }
                if n_after < wanted {
                    advice.push(format!(
                        "check more runs: `calor check --baseline {name} --runs {wanted} -- {command}`"
                    ));
                }
                if difference.common.cause == CommonCause::Unknown || n_before.min(n_after) >= wanted {
                    advice.push(format!(
                        "have both programs at hand and let them take turns: `calor check --against 'CMD BEFORE' -- {command}`"
                    ));
                }
            }
            None if n_after < wanted => advice.push(format!("give it more runs: `--runs {wanted}`")),
            None => {}
        }
        if advice.is_empty() {
            advice.push(format!(
                "where less does not matter, give it a wider `--margin` than {}",
                margin(difference.margin)
            ));
        }
        advice
    }
}

fn margin(part: f64) -> String {
    format!("{}%", (part * 1e4).round() / 1e2)
}

/// What a gate makes of a comparison. Whoever asks whether something is worse need not know whether it is better or the same.
pub(super) fn gate(difference: &Difference) -> Verdict {
    match difference.verdict {
        _ if difference.n_runs.contains(&1) => Verdict::Undecided,
        Verdict::Undecided if is_no_worse(difference) => Verdict::Same,
        Verdict::Same | Verdict::Improved if is_half_explained(difference) => Verdict::Undecided,
        verdict => verdict,
    }
}

/// Whether all that is possible is better, or worse by less than the margin, and nothing else speaks against it.
fn is_no_worse(difference: &Difference) -> bool {
    let is_below = difference.change.is_some_and(|change| change.interval[1] <= difference.margin);
    is_below && difference.suspected.is_none() && difference.common.cause != CommonCause::Unknown
}

/// Whether everything became slower, and the machine explains no more than a part of it.
fn is_half_explained(difference: &Difference) -> bool {
    let common = &difference.common;
    let by_machine = common.canary.map_or(0.0, |canary| canary.effect);
    let is_worse = common.cause == CommonCause::Machine && common.change.effect > difference.margin;
    is_worse && by_machine.ln_1p() < EXPLAINED * common.change.effect.ln_1p()
}

/// The sentence about a comparison, by what the gate makes of it.
pub(super) fn headline(compared: &Compared) -> String {
    let difference = compared.difference();
    let told = compared.headline();
    let (word, rest) = told.split_once(": ").unwrap_or(("", &told));
    match (gate(difference), difference.verdict) {
        (gate, own) if gate == own => told,
        (Verdict::Same, _) => format!("Not worse by more than {}: {rest}", margin(difference.margin)),
        _ if difference.n_runs.contains(&1) => {
            format!(
                "Undecided: suspected to be {}: {rest} One run on a side is too few to tell.",
                word.to_lowercase()
            )
        }
        _ => format!(
            "Undecided: {rest} That is more than the machine explains, and all functions moved alike."
        ),
    }
}

fn budgets(budgets: &[Budget], held: &Held) -> Result<Vec<Spending>> {
    if budgets.is_empty() {
        return Ok(Vec::new());
    }
    let after: Vec<&Profile> = held.after.iter().map(|run| run.profile()).collect();
    let former: Vec<&Profile> =
        held.before.iter().flat_map(|before| &before.runs).map(|run| run.profile()).collect();
    let (figures, former) = (Figures::of(&after), Figures::of(&former));
    let heap: Vec<&Profile> = held.heap.iter().collect();
    let of = |budget: &Budget| {
        let runs = if budget.needs_heap() && !heap.is_empty() { &heap } else { &after };
        spending(budget, runs, &figures, Some(&former))
    };
    budgets.iter().map(of).collect()
}
