//! How fast scopes got through what they reported to have worked on, before and after.

use calor_analysis::Verdict;
use calor_analysis::comparison::{Comparison, Rate, Rates};
use calor_analysis::quantity::{giga, signed_percent};

use super::super::words;
use super::{VERDICT, interval, judged};
use crate::document::{Body, Cell, Column, Name, Row, Section, Table, Tone};

/// `None` where no scope told anything.
pub(in crate::compare) fn work(compared: &Comparison, rows: usize) -> Option<Section> {
    let columns = vec![
        Column::new("GFLOP/s before", 0, "thousand millions of floating-point operations a second before"),
        Column::new("after", 0, "the same after"),
        Column::new("change", 0, "how much faster it works"),
        Column::new("interval", 1, "where the change truly lies, in 95 of 100 such comparisons"),
        Column::new("GB/s before", 2, "thousand millions of bytes a second before"),
        Column::new("after", 2, "the same after"),
        Column::new("change", 2, "how much faster it works"),
        Column::new("interval", 3, "where the change truly lies, in 95 of 100 such comparisons"),
        Column::words(VERDICT, 0, "what that comes to"),
    ];
    let cells = |rate: Option<&Rate>| {
        let per_second = |side: usize| rate.and_then(|rate| rate.per_second[side]);
        [
            Cell::of(per_second(0), giga, |rate| rate),
            Cell::of(per_second(1), giga, |rate| rate),
            Cell::of(rate.and_then(Rate::effect), signed_percent, |change| change),
            interval(rate.and_then(|rate| rate.change.as_ref())),
        ]
    };
    let row = |rates: &Rates| {
        let mut all: Vec<Cell> =
            [cells(rates.flops.as_ref()), cells(rates.bytes.as_ref())].into_iter().flatten().collect();
        all.push(match rates.judged() {
            Some(rate) => Cell::words(words::total_verdict(rate.verdict, rate.suspected)),
            None => Cell::missing(),
        });
        Row { tone: tone(rates), ..Row::new(Name::plain(&rates.name), all) }
    };
    let rows: Vec<Row> = compared.work.iter().take(rows).map(row).collect();
    let table = judged(compared, Table { subject: "scope", columns, rows }.without_empty_columns());
    let is_there = !table.rows.is_empty();
    is_there.then(|| {
        Section::new("work", "Work", Body::Table(table)).with_intro(
            "What scopes told to have worked on, by their time. Rates are of all runs of a side together, changes of one run \
             beside another.",
        )
    })
}

fn tone(rates: &Rates) -> Tone {
    match rates.judged().map_or(Verdict::Undecided, |rate| rate.verdict) {
        Verdict::Undecided => Tone::Quiet,
        verdict => words::tone(verdict),
    }
}
