//! What scopes counted and how fast.

use calor_analysis::{Measure, WorkRate};
use serde::Serialize;

use crate::report::Report;

#[derive(Serialize)]
pub(super) struct Work<'r> {
    name: &'r str,
    path: Vec<&'r str>,
    /// `flops`, `bytes`, `elements`, `backend` (calls that it served) or `counter`.
    measure: &'static str,
    /// Which backend or counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'r str>,
    total: i64,
    per_s: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_estimated: bool,
}

impl<'r> Work<'r> {
    pub(super) fn new(report: &'r Report<'_>, entry: &WorkRate) -> Self {
        let stack = report.answer.tree.node(entry.node).stack;
        let (measure, of) = match entry.measure {
            Measure::Flops => ("flops", None),
            Measure::Bytes => ("bytes", None),
            Measure::Elements => ("elements", None),
            Measure::Backend(name) => ("backend", Some(name)),
            Measure::Counter(name) => ("counter", Some(name)),
        };
        Self {
            name: report.answer.profile.stack_name(stack),
            path: report.answer.profile.path_names(stack),
            measure,
            of: of.map(|name| report.answer.profile.strings.get(name)),
            total: entry.total,
            per_s: entry.per_second,
            is_estimated: entry.is_estimated,
        }
    }
}
