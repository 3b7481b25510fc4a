//! `calor check --format json`: fields that scripts may rely on.

use anyhow::Result;
use calor_analysis::gate::{BudgetUnit, Spending};
use calor_report::compared_json;
use calor_wire::Envelope;
use calor_wire::check::{Baseline, Budget, Check};
use calor_wire::utc;

use super::checked::Checked;
use super::runs::Before;
use super::{OF_CHECK, Undecided};

pub(super) fn page(checked: &Checked) -> Result<String> {
    let outcome = &checked.outcome;
    let compare = outcome.comparison.as_ref();
    let compare = compare.map(|gated| compared_json(&gated.comparison, &OF_CHECK)).transpose()?;
    let baseline = checked.before.as_ref().and_then(Before::baseline);
    let body = Check {
        verdict: outcome.verdict().word(),
        exit_code: checked.exit_code(),
        sentence: outcome.sentences().join(" "),
        undecided: match checked.undecided {
            Undecided::Pass => "pass",
            Undecided::Fail => "fail",
            Undecided::Tell => "tell",
        },
        runs: checked.n_runs,
        baseline: baseline.map(|baseline| Baseline {
            name: baseline.name.clone(),
            runs: baseline.runs.len(),
            set_at: utc(baseline.set_at_unix_nanos),
            commit: baseline.revision.commit.clone(),
        }),
        budgets: outcome.budgets.iter().map(budget).collect(),
        compare,
        advice: checked.advice.clone(),
    };
    Ok(Envelope::new(&checked.warnings, body).text()?)
}

fn budget(spending: &Spending) -> Budget {
    let unit = spending.budget.unit();
    let nanos = |value: f64| (unit == BudgetUnit::Nanos).then(|| value.round() as u64);
    Budget {
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
