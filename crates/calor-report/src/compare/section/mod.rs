//! The sections of a page about a comparison, in the order they are read.

mod functions;
mod renamed;
mod totals;
mod waterfall;
mod work;

use calor_analysis::Change;
use calor_analysis::comparison::Comparison;
use calor_analysis::quantity::signed_percent;

use super::{CompareOptions, settling, words};
use crate::document::{Body, Cell, Section, Table, Tone};
use crate::text::printable::cut_back;

pub(super) use functions::{changes, functions};
pub(super) use renamed::renamed;
pub(super) use totals::totals;
pub(super) use waterfall::waterfall;
pub(super) use work::work;

/// What differs may be as long as a command line; JSON has all of it.
const SIDE_COLUMNS: usize = 120;
/// The column of what a change comes to.
pub(super) const VERDICT: &str = "verdict";

/// What moved everything, and what the sides differ in besides the program.
pub(super) fn circumstances(compared: &Comparison) -> Vec<Section> {
    let difference = &compared.difference;
    let n_judged = difference.functions.iter().filter(|function| function.q.is_some()).count();
    // Of different models it is the larger one that takes longer everywhere.
    let line = (!compared.is_of_other_work()).then(|| words::common(&difference.common, n_judged));
    let lines: Vec<String> = line.into_iter().chain(words::canary(&difference.common)).collect();
    let mut sections = Vec::new();
    if !lines.is_empty() {
        sections.push(Section::new("machine", "Machine", Body::Lines(lines)));
    }
    let facts: Vec<(String, String)> = compared
        .mismatches
        .iter()
        .map(|mismatch| {
            let [before, after] =
                [&mismatch.before, &mismatch.after].map(|side| cut_back(side, SIDE_COLUMNS));
            (mismatch.what.to_string(), format!("{before} before, {after} after"))
        })
        .collect();
    if !facts.is_empty() {
        sections.push(Section::new("not-alike", "Not alike", Body::Facts(facts)));
    }
    sections
}

/// What the reader has to know of the runs, and of a verdict that is open.
pub(super) fn notes(compared: &Comparison, options: &CompareOptions) -> Vec<String> {
    let mut notes: Vec<String> = words::banner(compared).into_iter().collect();
    notes.extend(compared.remarks.iter().map(|remark| format!("{}.", remark.message)));
    notes.extend(compared.decided_elsewhere());
    if let Some(advice) = settling(compared, options) {
        notes.push(format!("{} To settle it:", advice.reason));
    }
    notes
}

/// The table as it is; of different models, of which none is the other's regression, without verdicts.
pub(super) fn judged(compared: &Comparison, mut table: Table) -> Table {
    if compared.is_of_other_work() {
        let kept: Vec<bool> = table.columns.iter().map(|column| column.title != VERDICT).collect();
        table.only(&kept);
        table.rows.iter_mut().for_each(|row| row.tone = Tone::Plain);
    }
    table
}

/// The bounds of a change, as a cell.
pub(super) fn interval(change: Option<&Change>) -> Cell {
    match change {
        Some(Change { interval: [low, high], .. }) => {
            let low = signed_percent(*low);
            let low = low.trim_end_matches(" %");
            Cell::words(format!("{low} to {}", signed_percent(*high)))
        }
        None => Cell::missing(),
    }
}
