//! How the sides did as a whole.

use calor_analysis::comparison::Comparison;
use calor_analysis::quantity::signed_percent;
use calor_analysis::{Change, Verdict};

use super::super::words;
use super::{VERDICT, interval, judged as shown};
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};

/// A difference of changes that a reader notices.
const NOTICED: f64 = 0.005;
/// Why a change is not what the figures beside it come to.
const OF_RATIOS: &str = " These are means of the runs. A change is the mean of the logarithms of runs, or of pairs that took \
                         turns, on which one slow run weighs less, and without what the machine did: it need not be after \
                         by before.";

/// What was compared, what else all runs hold, and how large they were.
pub(in crate::compare) fn totals(compared: &Comparison) -> Section {
    let columns = vec![
        Column::new("before", 0, "mean of the runs before"),
        Column::new("after", 0, "mean of the runs after"),
        Column::new("change", 0, "how much more after, by the ratios of runs: one slow run changes little"),
        Column::new("95 % interval", 2, "where the change truly lies, in 95 of 100 such comparisons"),
        Column::words(VERDICT, 1, "what that comes to"),
    ];
    let judged = std::iter::once((&compared.metric, &compared.difference))
        .chain(compared.others.iter().map(|(metric, difference)| (metric, difference)));
    let mut rows: Vec<Row> = judged
        .map(|(metric, difference)| {
            let unit = metric.unit();
            let values = [difference.before, difference.after];
            let mut row = total_row(&metric.total_name(), values, &|value| unit.text(value));
            judge(&mut row, difference.change.as_ref(), difference.verdict, difference.suspected);
            row
        })
        .collect();
    rows.extend(compared.wholes.iter().map(|whole| {
        let unit = whole.of.unit();
        let mut row = total_row(whole.of.name(), whole.means, &|value| unit.text(value));
        if let Some(judged) = &whole.judged {
            judge(&mut row, judged.change.as_ref(), judged.verdict, judged.suspected);
        }
        row
    }));
    let table = shown(compared, Table { subject: "total", columns, rows }.without_empty_columns());
    let runs = compared.names.each_ref().map(|names| words::runs(names));
    let commits = compared.commits.each_ref().map(|commits| match &commits[..] {
        [] => String::new(),
        commits => {
            format!(" at {}", commits.iter().map(|commit| short(commit)).collect::<Vec<_>>().join(", "))
        }
    });
    let of_ratios = if is_beside_means(compared) { OF_RATIOS } else { "" };
    let intro = format!("Before: {}{}. After: {}{}.{of_ratios}", runs[0], commits[0], runs[1], commits[1]);
    Section::new("totals", "Before and after", Body::Table(table)).with_intro(intro)
}

/// Whether a change differs from after by before by as much as a reader would notice.
fn is_beside_means(compared: &Comparison) -> bool {
    let judged = std::iter::once(&compared.difference).chain(compared.others.iter().map(|(_, other)| other));
    let judged = judged.map(|found| (found.change, [found.before, found.after]));
    let wholes = compared.wholes.iter();
    let wholes = wholes.map(|whole| (whole.judged.and_then(|judged| judged.change), whole.means));
    judged.chain(wholes).any(|(change, [before, after])| {
        change.is_some_and(|change| (change.effect - (after / before - 1.0)).abs() > NOTICED)
    })
}

/// The beginning of a commit's name.
fn short(commit: &str) -> String {
    commit.chars().take(10).collect()
}

fn total_row(name: &str, [before, after]: [f64; 2], text: &dyn Fn(f64) -> String) -> Row {
    let change = if before > 0.0 { Some(after / before - 1.0) } else { None };
    let cells = vec![
        Cell::new(text(before), before),
        Cell::new(text(after), after),
        Cell::of(change, signed_percent, |change| change),
        Cell::missing(),
        Cell::missing(),
    ];
    Row::new(Name::plain(name), cells)
}

/// Puts what was judged into a row.
fn judge(row: &mut Row, change: Option<&Change>, verdict: Verdict, suspected: Option<Verdict>) {
    if let Some(change) = change {
        row.cells[2] = Cell::new(signed_percent(change.effect), change.effect);
    }
    row.cells[3] = interval(change);
    row.cells[4] = Cell::words(words::total_verdict(verdict, suspected));
    row.tone = words::tone(verdict);
}
