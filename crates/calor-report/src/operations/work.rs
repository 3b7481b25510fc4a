//! What scopes told that they worked on: operations, bytes and elements, calls by backend, and counters of their own. It is what
//! each told itself: what is inside it told for itself.

use std::collections::BTreeMap;

use calor_analysis::quantity::{amount, rate, signed_count};
use calor_analysis::{ScopeCalls, ScopeSum};
use calor_model::{Profile, ScopeStats, StringId};
use serde::Serialize;

use super::OperationsReport;
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};

/// The fields of a scope that told something; those that it did not tell are absent.
#[derive(Serialize, Default)]
pub(super) struct Work<'p> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) elements: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flops: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) elements_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flops_per_s: Option<f64>,
    /// How many calls each served.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) backends: BTreeMap<&'p str, u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) counters: BTreeMap<&'p str, i64>,
}

impl<'p> Work<'p> {
    pub(super) fn of(profile: &'p Profile, stats: &ScopeStats, total_nanos: u64) -> Self {
        let work = &stats.work;
        let told = |sum: u64| Some(sum).filter(|sum| *sum > 0);
        let rate = |amount: u64| per_second(told(amount)? as f64, total_nanos);
        let text = |name: StringId| profile.strings.get(name);
        Self {
            elements: told(work.elements),
            bytes: told(work.bytes),
            flops: told(work.flops),
            elements_per_s: rate(work.elements),
            bytes_per_s: rate(work.bytes),
            flops_per_s: rate(work.flops),
            backends: work.backends.iter().map(|(name, calls)| (text(*name), *calls)).collect(),
            counters: work.counters.iter().map(|(name, sum)| (text(*name), *sum)).collect(),
        }
    }

    /// What served most of the calls.
    pub(super) fn backend(&self) -> Option<&'p str> {
        self.backends.iter().max_by_key(|(_, calls)| **calls).map(|(name, _)| *name)
    }

    /// Each of them in words, and how much.
    fn list(&self) -> Vec<(String, i64)> {
        let whole = |sum: u64| i64::try_from(sum).unwrap_or(i64::MAX);
        let told = [("FLOP", self.flops), ("bytes", self.bytes), ("elements", self.elements)];
        let told = told.into_iter().filter_map(|(what, sum)| Some((what.to_owned(), whole(sum?))));
        let backends = self.backends.iter().map(|(name, calls)| (format!("calls on {name}"), whole(*calls)));
        let counters = self.counters.iter().map(|(name, sum)| ((*name).to_owned(), *sum));
        told.chain(backends).chain(counters).collect()
    }
}

/// The page's list of all that scopes told; `None` where they told nothing.
pub(super) fn section(report: &OperationsReport<'_>, n_rows: usize) -> Option<Section> {
    let columns = vec![
        Column::words("what", 0, "what was counted: as scopes told it"),
        Column::new("total", 0, "how much in all"),
        Column::new("per call", 1, "how much in a call"),
        Column::new("per second", 0, "how much in a second of the scope's time, with what is inside"),
    ];
    let rows_of = |sum: &ScopeSum<'_>| {
        let calls = ScopeCalls::of(&sum.stats, sum.total_nanos).count;
        let row = |(what, total): (String, i64)| {
            let cells = vec![
                Cell::words(what),
                Cell::new(signed_count(total), total as f64),
                Cell::of((calls > 0).then(|| total as f64 / calls as f64), amount, |value| value),
                Cell::of(per_second(total as f64, sum.total_nanos), rate, |value| value)
                    .estimated(sum.is_estimated),
            ];
            Row::new(Name::plain(sum.name), cells)
        };
        Work::of(report.answer.profile, &sum.stats, sum.total_nanos)
            .list()
            .into_iter()
            .map(row)
            .collect::<Vec<_>>()
    };
    let mut rows: Vec<Row> = report.answer.scopes.iter().flat_map(rows_of).collect();
    let n_more = rows.len().saturating_sub(n_rows);
    rows.truncate(n_rows);
    if rows.is_empty() {
        return None;
    }
    let section =
        Section::new("work", "Work and counters", Body::Table(Table { subject: "name", columns, rows }));
    Some(match n_more {
        0 => section,
        more => {
            let n_all = n_rows + more;
            section.with_intro(format!(
                "The first {n_rows}; `calor.profile_report(top={n_all})` lists {more} more."
            ))
        }
    })
}

fn per_second(amount: f64, total_nanos: u64) -> Option<f64> {
    (total_nanos > 0).then(|| amount * 1e9 / total_nanos as f64)
}
