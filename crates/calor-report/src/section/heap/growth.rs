//! What grows while the program runs.

use calor_analysis::{Growth, GrowthRow};
use calor_model::Profile;

use super::super::path_name;
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};
use crate::quantity::{byte_rate, counted, duration};

pub(crate) fn section(profile: &Profile, growth: &Growth, rows: usize) -> Section {
    let (id, title) = ("heap-growth", "Growing");
    let Growth::Measured { snapshots, span_nanos, total, paths } = growth else {
        return Section::new(id, title, Body::Lines(vec![not_enough(growth)]));
    };
    let intro = format!(
        "From {} over {}: {}; the whole heap {}.",
        counted(*snapshots as u64, "snapshot"),
        duration(*span_nanos as f64),
        found(paths),
        of_whole(total)
    );
    let body = match paths.iter().any(GrowthRow::is_growing) {
        false => Body::Lines(vec!["No call path grows for sure.".to_owned()]),
        true => Body::Table(table(profile, paths, rows)),
    };
    Section::new(id, title, body).with_intro(intro)
}

fn table(profile: &Profile, paths: &[GrowthRow], rows: usize) -> Table {
    let columns = vec![
        Column::new("at least", 0, "the lower end of the 95 % interval of bytes more a second"),
        Column::new("a second", 0, "bytes more a second, by the line of least squares through the snapshots"),
        Column::new("at most", 1, "the upper end of the 95 % interval of that"),
        Column::new("first", 2, "bytes held in the first snapshot"),
        Column::new("last", 0, "bytes held in the last one"),
    ];
    let listed = paths.iter().filter(|growth| growth.is_growing()).take(rows);
    let rows = listed.filter_map(|growth| growth.stack.map(|stack| row(path_name(profile, stack), growth)));
    Table { subject: "held by", columns, rows: rows.collect() }.without_empty_columns()
}

/// How many paths grow, and how many did and do no more.
fn found(paths: &[GrowthRow]) -> String {
    let growing = paths.iter().filter(|path| path.is_growing()).count();
    let settled = match paths.len() - growing {
        0 => String::new(),
        n => format!(", {n} grew only at first"),
    };
    match growing {
        1 => format!("1 path grows for sure{settled}"),
        n => format!("{n} paths grow for sure{settled}"),
    }
}

fn of_whole(total: &GrowthRow) -> String {
    let [low, high] = total.slope.interval;
    let rate = format!("{} ({} to {})", byte_rate(total.slope.slope), byte_rate(low), byte_rate(high));
    match (low > 0.0, total.is_lasting) {
        (true, Some(false)) => format!("grew by {rate}, but not for sure in the later half"),
        (true, _) => format!("grows by {rate}"),
        _ => format!("does not grow for sure, its slope is {rate}"),
    }
}

fn row(name: Name, growth: &GrowthRow) -> Row {
    let rate = |value: f64| Cell::new(byte_rate(value), value);
    let cells = vec![
        rate(growth.slope.interval[0]),
        rate(growth.slope.slope),
        rate(growth.slope.interval[1]),
        Cell::bytes(Some(growth.first_bytes)),
        Cell::bytes(Some(growth.last_bytes)),
    ];
    Row::new(name, cells)
}

/// Why nothing is said, and what to do.
pub(crate) fn not_enough(growth: &Growth) -> String {
    match growth {
        Growth::NotEnoughData { runs, .. } if *runs > 1 => format!(
            "Not enough data: the profile is of {runs} runs added up, and growth is a matter of one; give the profile of \
             one run."
        ),
        Growth::NotEnoughData { snapshots, .. } => format!(
            "Not enough data: {}, and at least 4 are needed; record for longer.",
            counted(*snapshots as u64, "snapshot")
        ),
        Growth::Measured { .. } => String::new(),
    }
}
