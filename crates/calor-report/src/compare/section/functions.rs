//! Functions before and after, in tables: those that changed, and all of them.

use calor_analysis::FunctionDifference;
use calor_analysis::comparison::{CompareBy, Comparison};
use calor_analysis::quantity::{count, signed_percent};

use super::super::name::Names;
use super::super::words;
use super::{VERDICT, interval, judged};
use crate::document::{Body, Cell, Column, Row, Section, Table};

/// Rows of the lists of improvements and of regressions.
const CHANGES: usize = 10;
/// Said where one run a side has too few functions to tell what is usual among them.
const TOO_FEW: &str = "One run a side of so few functions does not tell how much they differ by themselves.";

/// The functions that got slower, or larger, and those that got faster; each where there are any. Of different models there are
/// none: what a larger one takes more is no regression.
pub(in crate::compare) fn changes(compared: &Comparison, top: Option<usize>) -> Vec<Section> {
    if compared.is_of_other_work() {
        return Vec::new();
    }
    let difference = &compared.difference;
    let rows = top.unwrap_or(CHANGES);
    let list = |is_worse: bool| -> Vec<&FunctionDifference> {
        let functions = compared.listed().iter().filter(|function| compared.is_change(function));
        functions.filter(|function| (function.delta() > 0.0) == is_worse).collect()
    };
    let (worse, better) = (list(true), list(false));
    let mut sections = Vec::new();
    for (id, title, list) in
        [("regressions", "Regressions", &worse), ("improvements", "Improvements", &better)]
    {
        if !list.is_empty() {
            let mut table = table(compared, &list[..list.len().min(rows)]);
            let kept: Vec<bool> = table.columns.iter().map(|column| column.title != "q").collect();
            table.only(&kept);
            let section = Section::new(id, title, Body::Table(table));
            sections.push(match list.len() > rows {
                true => section.with_intro(format!("The first {rows} of {}.", count(list.len() as u64))),
                false => section,
            });
        }
    }
    if sections.is_empty() {
        let is_judged = compared.listed().iter().any(|function| function.q.is_some());
        let line = match (is_judged, difference.n_runs) {
            (true, _) => "None changed by more than chance and the margin.",
            (false, [1, 1]) => TOO_FEW,
            (false, _) => "None is large enough, and in enough runs, to be judged by itself.",
        };
        sections.push(Section::new("changes", "Changed functions", Body::Lines(vec![line.to_owned()])));
    }
    sections
}

/// Every function, the largest difference first.
pub(in crate::compare) fn functions(compared: &Comparison, rows: usize) -> Section {
    let functions = compared.listed();
    let listed: Vec<&FunctionDifference> = functions.iter().take(rows).collect();
    let title = match compared.metric.subject() {
        "scope" => "All scopes",
        "kernel" => "All kernels",
        _ => "All functions",
    };
    let shown = match functions.len() > rows {
        true => format!(
            "The {rows} of {} with the largest difference; `--top` shows more. ",
            count(functions.len() as u64)
        ),
        false => String::new(),
    };
    let n_judged = functions.iter().filter(|function| function.q.is_some()).count();
    let judged = match n_judged {
        n if n == functions.len() => String::new(),
        // The list of changes says so.
        0 if compared.difference.n_runs == [1, 1] => String::new(),
        _ => format!(
            "{} of {} are large enough and in enough runs to be judged. ",
            count(n_judged as u64),
            count(functions.len() as u64)
        ),
    };
    let split = match functions.iter().any(|function| function.calls_effect.is_some()) {
        true => "A change is that of calls times that of one call. ",
        false => "",
    };
    let by = match compared.by() {
        CompareBy::Own => "",
        CompareBy::Total => "Figures are with what functions call, so they do not add up. ",
    };
    let common = match compared.difference.common.change.effect == 0.0 {
        true => "",
        false => "What moved all of them together is taken out of changes.",
    };
    let intro = format!("{shown}{judged}{split}{by}{common}").trim_end().to_owned();
    let section = Section::new("functions", title, Body::Table(table(compared, &listed)));
    if intro.is_empty() { section } else { section.with_intro(intro) }
}

fn table(compared: &Comparison, functions: &[&FunctionDifference]) -> Table {
    let unit = compared.metric.unit();
    let names = Names::new(compared.listed());
    let (before, after, part) = match compared.by() {
        CompareBy::Own => (
            "mean of the runs before, without what it calls",
            "mean of the runs after, without what it calls",
            "the difference as a part of what all took before; these add up to the change of the total",
        ),
        CompareBy::Total => (
            "mean of the runs before, with what it calls",
            "mean of the runs after, with what it calls",
            "the difference as a part of what all took before",
        ),
    };
    let columns = vec![
        Column::new("difference", 4, "after less before").shortened("diff"),
        Column::new("before", 1, before),
        Column::new("after", 1, after),
        Column::new("of total", 5, part),
        Column::new("change", 0, "how much more it takes, what moved all functions together left out"),
        Column::new("interval", 1, "where the change truly lies, in 95 of 100 such comparisons"),
        Column::new("calls", 2, "how many calls more"),
        Column::new("per call", 2, "how much more one call takes"),
        Column::new("q", 3, "the share of chance findings in a list that goes down to this one"),
        Column::words(VERDICT, 0, "what that comes to"),
        Column::words("waits for", 1, "what it waited for longest, told by the call in which it waited"),
    ];
    let effect = |effect: Option<f64>| Cell::of(effect, signed_percent, |effect| effect);
    let row = |function: &&FunctionDifference| {
        let change = function.change.map(|change| change.effect);
        let ratio =
            (function.before > 0.0 && function.after > 0.0).then(|| function.after / function.before - 1.0);
        let cells = vec![
            Cell::new(unit.signed(function.delta()), function.delta()),
            Cell::new(unit.text(function.before), function.before),
            Cell::new(unit.text(function.after), function.after),
            effect(Some(function.contribution)),
            effect(change.or(ratio)),
            interval(function.change.as_ref()),
            effect(function.calls_effect),
            effect(function.per_call_effect),
            Cell::of(function.q, probability, |q| q),
            Cell::words(compared.word_of(function)),
            function.waits_for.as_deref().map_or_else(Cell::missing, Cell::words),
        ];
        Row { tone: words::function_tone(compared, function), ..Row::new(names.of(function), cells) }
    };
    let rows = functions.iter().map(row).collect();
    judged(compared, Table { subject: compared.metric.subject(), columns, rows }.without_empty_columns())
}

fn probability(q: f64) -> String {
    match q {
        q if q < 0.001 => "<.001".to_owned(),
        q => format!("{q:.3}").trim_start_matches('0').to_owned(),
    }
}
