//! `calor check --format json`: fields that scripts may rely on.

use anyhow::Result;
use calor_analysis::gate::{BudgetUnit, Spending};
use calor_report::{compared_json, utc};
use calor_wire::Warning;
use serde::Serialize;
use serde_json::Value;

use super::checked::Checked;
use super::runs::Before;
use super::{OF_CHECK, Undecided};

#[derive(Serialize)]
struct Page<'o> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<Warning<'o>>,
    verdict: &'static str,
    exit_code: u8,
    sentence: String,
    undecided: &'static str,
    runs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineEntry>,
    budgets: Vec<Entry>,
    compare: Option<Value>,
    advice: Vec<String>,
}

#[derive(Serialize)]
struct BaselineEntry {
    name: String,
    runs: usize,
    set_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
}

#[derive(Serialize)]
struct Entry {
    scope: String,
    unit: &'static str,
    each: &'static str,
    limit: f64,
    actual: f64,
    /// `null` where the budget is of no time.
    limit_ns: Option<u64>,
    actual_ns: Option<u64>,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
}

pub(super) fn page(checked: &Checked) -> Result<String> {
    let outcome = &checked.outcome;
    let compare = outcome.comparison.as_ref();
    let compare = compare.map(|gated| compared_json(&gated.comparison, &OF_CHECK)).transpose()?;
    let baseline = checked.before.as_ref().and_then(Before::baseline);
    let page = Page {
        schema: "calor/check/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: checked.warnings.iter().map(Warning::from).collect(),
        verdict: outcome.verdict().word(),
        exit_code: checked.exit_code(),
        sentence: outcome.sentences().join(" "),
        undecided: match checked.undecided {
            Undecided::Pass => "pass",
            Undecided::Fail => "fail",
            Undecided::Tell => "tell",
        },
        runs: checked.n_runs,
        baseline: baseline.map(|baseline| BaselineEntry {
            name: baseline.name.clone(),
            runs: baseline.runs.len(),
            set_at: utc(baseline.set_at_unix_nanos),
            commit: baseline.revision.commit.clone(),
        }),
        budgets: outcome.budgets.iter().map(Entry::of).collect(),
        compare,
        advice: checked.advice.clone(),
    };
    Ok(serde_json::to_string_pretty(&page)? + "\n")
}

impl Entry {
    fn of(spending: &Spending) -> Self {
        let unit = spending.budget.unit();
        let nanos = |value: f64| (unit == BudgetUnit::Nanos).then(|| value.round() as u64);
        Self {
            scope: spending.budget.name(),
            unit: unit.word(),
            each: spending.each,
            limit: spending.budget.limit,
            actual: spending.actual,
            limit_ns: nanos(spending.budget.limit),
            actual_ns: nanos(spending.actual),
            ok: spending.is_within(),
            calls: spending.calls,
        }
    }
}
