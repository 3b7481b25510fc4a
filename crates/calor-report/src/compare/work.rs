//! How fast scopes got through what they told to have worked on, before and after: of a kernel the rate says more than the
//! time, since it does not change with the size of the work.

use std::collections::BTreeMap;

use calor_model::Profile;

use super::{Compared, ComparedRun};
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};
use crate::quantity::{giga, signed_percent};

/// What scopes of one name worked on, all runs of a side together.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Worked {
    flops: f64,
    bytes: f64,
    nanos: f64,
}

/// Rates of one scope, before and after; `None` where nothing was told.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rates {
    pub(super) name: String,
    pub(super) flops_per_s: [Option<f64>; 2],
    pub(super) bytes_per_s: [Option<f64>; 2],
}

/// The scopes that told what they worked on, the one with the most time first.
pub(super) fn rates(sides: [&[ComparedRun]; 2]) -> Vec<Rates> {
    let mut found: BTreeMap<String, [Worked; 2]> = BTreeMap::new();
    for (side, runs) in sides.into_iter().enumerate() {
        runs.iter().for_each(|run| add(&run.profile, side, &mut found));
    }
    let mut found: Vec<(String, [Worked; 2])> = found.into_iter().collect();
    let time = |sides: &[Worked; 2]| sides[0].nanos + sides[1].nanos;
    found.sort_by(|a, b| time(&b.1).total_cmp(&time(&a.1)).then_with(|| a.0.cmp(&b.0)));
    let rates = found.into_iter().map(|(name, sides)| Rates {
        name,
        flops_per_s: sides.map(|worked| worked.per_second(worked.flops)),
        bytes_per_s: sides.map(|worked| worked.per_second(worked.bytes)),
    });
    rates.collect()
}

fn add(profile: &Profile, side: usize, found: &mut BTreeMap<String, [Worked; 2]>) {
    for (key, stats) in
        profile.scopes.iter().filter(|(_, stats)| stats.work.flops > 0 || stats.work.bytes > 0)
    {
        let worked = &mut found.entry(profile.stack_name(key.stack).to_owned()).or_default()[side];
        worked.flops += stats.work.flops as f64;
        worked.bytes += stats.work.bytes as f64;
        worked.nanos += stats.inclusive_nanos() as f64;
    }
}

impl Worked {
    fn per_second(self, amount: f64) -> Option<f64> {
        (amount > 0.0 && self.nanos > 0.0).then(|| amount / self.nanos * 1e9)
    }
}

/// `None` where no scope told anything.
pub(super) fn section(compared: &Compared, rows: usize) -> Option<Section> {
    let columns = vec![
        Column::new("GFLOP/s before", 0, "thousand millions of floating-point operations a second before"),
        Column::new("after", 0, "the same after"),
        Column::new("change", 0, "how much faster it works"),
        Column::new("GB/s before", 1, "thousand millions of bytes a second before"),
        Column::new("after", 1, "the same after"),
        Column::new("change", 1, "how much faster it works"),
    ];
    let cells = |[before, after]: [Option<f64>; 2]| {
        let change = before.zip(after).map(|(before, after)| after / before - 1.0);
        [
            Cell::of(before, giga, |rate| rate),
            Cell::of(after, giga, |rate| rate),
            Cell::of(change, signed_percent, |change| change),
        ]
    };
    let row = |rates: &Rates| {
        let all = [cells(rates.flops_per_s), cells(rates.bytes_per_s)];
        Row::new(Name::plain(&rates.name), all.into_iter().flatten().collect())
    };
    let rows: Vec<Row> = compared.work.iter().take(rows).map(row).collect();
    let table = Table { subject: "scope", columns, rows }.without_empty_columns();
    let is_there = !table.rows.is_empty();
    is_there.then(|| {
        Section::new("work", "Work", Body::Table(table))
            .with_intro("What scopes told to have worked on, by their time; all runs of a side together.")
    })
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, LabelTable, ScopeKey, ScopeStats, Work};

    use super::*;

    #[test]
    fn rates_are_of_all_runs_of_a_side_and_what_was_not_told_is_missing() {
        let run = |flops: u64, total_nanos: u64| {
            let mut profile = Profile::default();
            let stack = profile.intern_named_path(&["run", "matmul"], FrameKind::Scope).unwrap();
            let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
            let work = Work { flops, ..Work::default() };
            let stats = ScopeStats { calls: 1, total_nanos, work, ..ScopeStats::default() };
            profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
            ComparedRun::new("run", profile)
        };
        let found = rates([&[run(100, 10), run(200, 20)], &[run(100, 5)]]);
        let expected = Rates {
            name: "matmul".to_owned(),
            flops_per_s: [Some(1e10), Some(2e10)],
            bytes_per_s: [None, None],
        };
        assert_eq!(found, [expected]);
        assert_eq!(rates([&[run(0, 10)], &[run(0, 10)]]), []);
    }
}
