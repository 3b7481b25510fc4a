//! What grows while the program runs.

use calor_analysis::quantity::{byte_rate, counted, duration};
use calor_analysis::{
    GROWTH_NANOS, GROWTH_SNAPSHOTS, GROWTH_SURE_NANOS, Growth, GrowthRow, GrowthTrend, HeapAnswer, HeapPlaces,
};
use calor_model::Profile;

use super::is_sampled;
use super::place::place_name;
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};

pub(crate) fn section(profile: &Profile, heap: &HeapAnswer, rows: usize) -> Section {
    let growth = &heap.growth;
    let (id, title) = ("heap-growth", "Growing");
    let Growth::Measured { snapshots, span_nanos, total, paths } = growth else {
        return Section::new(id, title, Body::Lines(vec![not_enough(growth)]));
    };
    let short = match *span_nanos < GROWTH_SURE_NANOS && paths.iter().any(GrowthRow::is_growing) {
        true => " So short a time may be a start: record for longer to tell it from a leak.",
        false => "",
    };
    let intro = format!(
        "From {} over {}, with 95 % certainty: {}; the whole heap {}.{short}",
        counted(*snapshots as u64, "snapshot"),
        duration(*span_nanos as f64),
        found(paths),
        of_whole(total)
    );
    let body = match paths.iter().any(GrowthRow::is_growing) {
        false => Body::Lines(vec!["No place grows with certainty.".to_owned()]),
        true => Body::Table(table(profile, &heap.places, paths, rows)),
    };
    Section::new(id, title, body).with_intro(intro)
}

fn table(profile: &Profile, places: &HeapPlaces, paths: &[GrowthRow], rows: usize) -> Table {
    let columns = vec![
        Column::new("at least", 0, "the lower end of the 95 % interval of bytes more a second"),
        Column::new("a second", 0, "bytes more a second, by the line of least squares through the snapshots"),
        Column::new("at most", 1, "the upper end of the 95 % interval of that"),
        Column::new("first", 2, "bytes held in the first snapshot"),
        Column::new("last", 0, "bytes held in the last one"),
        Column::words("trend", 0, "steady, or slowing: in the later half of the time less than half as fast"),
    ];
    let is_estimated = is_sampled(profile);
    let listed = paths.iter().filter(|growth| growth.is_growing()).take(rows);
    let rows = listed.filter_map(|growth| {
        let name = place_name(profile, places, growth.stack?);
        Some(row(name, growth, is_estimated))
    });
    Table { subject: "held by", columns, rows: rows.collect() }.without_empty_columns()
}

/// How many places grow, and how many did and do no more.
fn found(paths: &[GrowthRow]) -> String {
    let n_of = |trend| paths.iter().filter(|path| path.trend == trend).count() as u64;
    let steady = match n_of(GrowthTrend::Steady) {
        1 => "1 place grows steadily".to_owned(),
        n => format!("{} grow steadily", counted(n, "place")),
    };
    let slowing = match n_of(GrowthTrend::Slowing) {
        0 => String::new(),
        n => format!(", {n} ever slower, as caches that fill"),
    };
    let settled = match n_of(GrowthTrend::Settled) {
        0 => String::new(),
        n => format!(", {n} grew only at first"),
    };
    format!("{steady}{slowing}{settled}")
}

fn of_whole(total: &GrowthRow) -> String {
    let [low, high] = total.slope.interval;
    let rate = format!("{} ({} to {})", byte_rate(total.slope.slope), byte_rate(low), byte_rate(high));
    match (low > 0.0, total.trend) {
        (true, GrowthTrend::Settled) => format!("grew by {rate}, but not in the later half"),
        (true, GrowthTrend::Slowing) => format!("grows by {rate}, ever slower"),
        (true, GrowthTrend::Steady) => format!("grows steadily by {rate}"),
        _ => format!("does not grow, its slope is {rate}"),
    }
}

fn row(name: Name, growth: &GrowthRow, is_estimated: bool) -> Row {
    let rate = |value: f64| Cell::new(byte_rate(value), value).estimated(is_estimated);
    let cells = vec![
        rate(growth.slope.interval[0]),
        rate(growth.slope.slope),
        rate(growth.slope.interval[1]),
        Cell::bytes(Some(growth.first_bytes)).estimated(is_estimated),
        Cell::bytes(Some(growth.last_bytes)).estimated(is_estimated),
        Cell::words(growth.trend.word()),
    ];
    Row::new(name, cells)
}

/// Why nothing is said, and what to do.
fn not_enough(growth: &Growth) -> String {
    match growth {
        Growth::NotEnoughData { runs, .. } if *runs > 1 => format!(
            "Not enough data: the profile is of {runs} runs added up, and growth is a matter of one; give the profile of \
             one run."
        ),
        Growth::NotEnoughData { .. } => format!(
            "{}. Record for longer: a snapshot is taken every 100 ms at first, and later more rarely.",
            capitalised(&too_little(growth))
        ),
        Growth::Measured { .. } => String::new(),
    }
}

/// The same in short.
pub(crate) fn too_little(growth: &Growth) -> String {
    match growth {
        Growth::NotEnoughData { runs, .. } if *runs > 1 => {
            format!("not enough data: {runs} runs are added up here")
        }
        Growth::NotEnoughData { snapshots, span_nanos, .. } => format!(
            "not enough data: {} over {} ({GROWTH_SNAPSHOTS} over {} needed)",
            counted(*snapshots as u64, "snapshot"),
            duration(*span_nanos as f64),
            duration(GROWTH_NANOS as f64)
        ),
        Growth::Measured { .. } => String::new(),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}
