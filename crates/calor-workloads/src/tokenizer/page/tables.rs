//! The tables.

use calor_analysis::quantity::{count, duration, percent};
use calor_report::bench::{Column, Figure, Table};

use super::told;
use crate::tokenizer::bed::Side;
use crate::tokenizer::measure::stages::Stage;
use crate::tokenizer::measure::throughput::{FAST, OURS};
use crate::tokenizer::measure::{Measured, Scaled};
use crate::tokenizer::reference::CRATE_CACHE;

const SIDES: [Side; 2] = [Side::Crate, Side::Ours];
/// A cell without a figure.
const NOTHING: &str = "-";
/// A cell whose figure would mislead.
const UNKNOWN: &str = "not known";

/// A cache that finds more of its words is not what holds a thread back.
const FULL: f64 = 0.95;

/// All of which there is something to tell.
pub(super) fn tables(measured: &Measured) -> Vec<Table> {
    let tables = [
        rates(measured),
        stages(measured),
        counts(measured),
        lengths(measured),
        batches(measured),
        threads(measured),
        caches(measured),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// Three digits are what such figures are good for.
pub(super) fn digits(value: f64) -> String {
    match value {
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn rates(measured: &Measured) -> Table {
    let mut table = Table::new(
        "Throughput on one thread",
        [
            Column::text("call"),
            Column::number("MB/s"),
            Column::number("from .. to"),
            Column::number("million tokens/s"),
        ],
    );
    table.rows.extend(measured.rates.iter().map(|rate| {
        let Figure { low, high, .. } = rate.megabytes;
        vec![
            format!("{} {}", rate.side.name(), rate.what),
            digits(rate.megabytes.median),
            format!("{} .. {}", digits(low), digits(high)),
            digits(rate.tokens.median / 1e6),
        ]
    }));
    let note = "By CPU time. The crate's encode_fast and calor's encode give ids, its encode also where each token was. All but the \
                first pass find most words in the cache, since the text was read before. From .. to is the 95 % interval of the median, \
                of fewer than six repetitions the least and the most.";
    table.note = Some(note.to_owned());
    table
}

fn stages(measured: &Measured) -> Table {
    let mut table = Table::new("Where the time goes", [Column::text("stage")]);
    for side in sides(measured.stages.iter().map(|stage| stage.side)) {
        table.columns.push(Column::number(format!("{} ns/byte", side.name())));
        table.columns.push(Column::number("share"));
    }
    let mut stages: Vec<_> = measured.stages.iter().map(|stage| stage.stage).collect();
    stages.sort_unstable();
    stages.dedup();
    for stage in stages {
        let mut row = vec![stage.name().to_owned()];
        for side in sides(measured.stages.iter().map(|stage| stage.side)) {
            let found = measured.stages.iter().find(|staged| (staged.side, staged.stage) == (side, stage));
            row.push(found.map_or(NOTHING.to_owned(), |staged| digits(staged.cost.median)));
            row.push(
                found.map_or(NOTHING.to_owned(), |staged| staged.share.map_or(UNKNOWN.to_owned(), percent)),
            );
        }
        table.rows.push(row);
    }
    let sides = sides(measured.stages.iter().map(|stage| stage.side));
    let mut together = vec!["together".to_owned()];
    let mut whole = vec!["encoding, measured whole".to_owned()];
    for side in sides.iter().copied() {
        let costs = measured.stages.iter().filter(|staged| staged.side == side);
        let sum: f64 = costs.map(|staged| staged.cost.median).sum();
        together.extend([digits(sum), percent(1.0)]);
        let call = if side == Side::Crate { FAST } else { OURS };
        let nanos = measured.rate(side, call).map(|megabytes| 1e3 / megabytes);
        whole.push(nanos.map_or(NOTHING.to_owned(), digits));
        whole.push(nanos.filter(|_| sum > 0.0).map_or(NOTHING.to_owned(), |nanos| percent(nanos / sum)));
    }
    if !table.rows.is_empty() {
        table.rows.extend([together, whole]);
    }
    let mut note = "CPU time in passes of their own, once the text was read before.".to_owned();
    let has = |wanted: Stage| measured.stages.iter().any(|staged| staged.stage == wanted);
    // Models without merges are one stage.
    if has(Stage::Lookup) && has(Stage::Merges) {
        let room = count(CRATE_CACHE as u64);
        note += &format!(
            " Lookup is what the model takes when the cache has all words, merges what it takes more with a cache of {room}."
        );
    }
    if sides.contains(&Side::Ours) {
        note += " Calor's stages are told by differences of passes that take turns, and it gathers ids as it looks them up.";
    }
    for (side, why) in &measured.unknown_shares {
        note += &format!(" Shares of {} are not known: {why}.", side.name());
    }
    table.note = Some(note);
    table
}

fn counts(measured: &Measured) -> Table {
    let mut table = Table::new("What was done", [Column::text("")]);
    for counted in &measured.counts {
        let pass = if counted.is_first { "first pass" } else { "again" };
        table.columns.push(Column::number(format!("{}, {pass}", counted.side.name())));
    }
    let all: Vec<_> = measured.counts.iter().map(told).collect();
    let n_rows = all.first().map_or(0, |told| told.len());
    for n in 0..n_rows {
        let mut row = vec![all[0][n].0.to_owned()];
        row.extend(all.iter().map(|told| told[n].1.map_or(NOTHING.to_owned(), count)));
        table.rows.push(row);
    }
    if n_rows > 0 {
        let mut hits = vec!["cache hit rate".to_owned()];
        let mut merges = vec!["merges per word".to_owned()];
        for counted in &measured.counts {
            hits.push(counted.hit_rate().map_or(NOTHING.to_owned(), percent));
            merges.push(digits(counted.merges as f64 / counted.words.max(1) as f64));
        }
        table.rows.extend([hits, merges]);
    }
    let note = "Calor counts what it does; words of one byte need no cache. The crate counts nothing: its figures follow from its \
                words and from the rule of its cache in version 0.23, from which nothing is evicted; how often it asks for pairs \
                is not known.";
    table.note = Some(note.to_owned());
    table
}

fn lengths(measured: &Measured) -> Table {
    let mut table = Table::new("By length of input", [Column::number("bytes")]);
    let sides = sides(measured.lengths.iter().map(|length| length.side));
    for side in &sides {
        table.columns.push(Column::number(format!("{} MB/s", side.name())));
        table.columns.extend([Column::number("p50").dispensable(1), Column::number("p99").dispensable(2)]);
    }
    for (length, row) in rows(&measured.lengths, |at| at.length) {
        let mut cells = vec![count(length as u64)];
        for side in &sides {
            match row.iter().find(|at| at.side == *side) {
                Some(at) => {
                    cells.push(digits(at.megabytes.median));
                    cells.extend([&at.p50, &at.p99].map(|time| duration(time.median)));
                }
                None => cells.extend([NOTHING; 3].map(str::to_owned)),
            }
        }
        table.rows.push(cells);
    }
    let note =
        "p50 and p99: half of all inputs take at most so long, and 99 of 100, on the wall. MB/s by CPU time.";
    table.note = Some(note.to_owned());
    table
}

fn batches(measured: &Measured) -> Table {
    let threads = measured.batches.first().map_or(0, |at| at.threads);
    let title = format!("By documents in a batch, {threads} thread{}", if threads == 1 { "" } else { "s" });
    scaled(title, "documents", measured, &measured.batches, |at| at.batch)
}

fn threads(measured: &Measured) -> Table {
    let title = "By threads, all documents in one batch".to_owned();
    scaled(title, "threads", measured, &measured.threads, |at| at.threads)
}

fn scaled(
    title: String,
    what: &str,
    measured: &Measured,
    found: &[Scaled],
    by: fn(&Scaled) -> usize,
) -> Table {
    let mut table = Table::new(title, [Column::number(what)]);
    let sides = sides(found.iter().map(|at| at.side));
    for side in &sides {
        table.columns.push(Column::number(format!("{} MB/s", side.name())));
        table.columns.push(Column::number("speed-up"));
        table.columns.push(Column::number("busy").dispensable(1));
    }
    for (n, row) in &rows(found, by) {
        let mut cells = vec![count(*n as u64)];
        for side in &sides {
            match row.iter().find(|at| at.side == *side) {
                Some(at) => {
                    let Figure { median, low, high, .. } = at.speed_up;
                    cells.push(digits(at.megabytes.median));
                    cells.push(format!("{median:.2} ({low:.2} to {high:.2})"));
                    cells.push(format!("{:.2}", at.busy.median));
                }
                None => cells.extend([NOTHING; 3].map(str::to_owned)),
            }
        }
        table.rows.push(cells);
    }
    let mut note = "By the wall: what other programs take of the processors is missing here. Rows take turns; the speed-up is that of a \
                    round over the first row, with its interval of 95 %. Busy: the processors that its threads had, CPU time by time on \
                    the wall."
        .to_owned();
    for side in &sides {
        note += &more_than_threads(measured, found, *side).unwrap_or_default();
    }
    table.note = Some(note);
    table
}

/// Words for a speed-up beyond the number of threads, which sharing the work cannot give.
fn more_than_threads(measured: &Measured, found: &[Scaled], side: Side) -> Option<String> {
    let one = found.iter().find(|at| at.side == side && at.threads == 1)?;
    let most = found.iter().filter(|at| at.side == side).max_by_key(|at| at.threads)?;
    if most.threads < 2 || most.speed_up.low <= most.threads as f64 {
        return None;
    }
    let hits = measured.counts.iter().find(|counted| counted.side == side && !counted.is_first);
    let hits = hits.and_then(|counted| counted.hit_rate());
    let name = side.name();
    let begin = format!(" {name} is more than {} times as fast on {} threads", most.threads, most.threads);
    Some(match hits.filter(|hits| *hits < FULL && one.threads == 1) {
        Some(hits) => format!(
            "{begin}: each has a cache of its own, and on one thread only {} of the words are found in the one there is.",
            percent(hits)
        ),
        None => format!("{begin}; why cannot be told from these figures."),
    })
}

fn caches(measured: &Measured) -> Table {
    let mut table = Table::new("By room in the word cache", [Column::number("words")]);
    let sides = sides(measured.caches.iter().map(|at| at.side));
    for side in &sides {
        table.columns.push(Column::number(format!("{} MB/s", side.name())));
        table.columns.push(Column::number("hits"));
    }
    if sides.contains(&Side::Ours) {
        table.columns.push(Column::number("calor evictions"));
    }
    for (words, row) in rows(&measured.caches, |at| at.words) {
        let mut cells = vec![count(words as u64)];
        for side in &sides {
            let found = row.iter().find(|at| at.side == *side);
            cells.push(found.map_or(NOTHING.to_owned(), |at| digits(at.megabytes.median)));
            cells.push(found.and_then(|at| at.counted.hit_rate()).map_or(NOTHING.to_owned(), percent));
        }
        if sides.contains(&Side::Ours) {
            let ours = row.iter().find(|at| at.side == Side::Ours);
            cells.push(ours.map_or(NOTHING.to_owned(), |at| count(at.counted.evictions)));
        }
        table.rows.push(cells);
    }
    let note = "Once the text was read before. The crate keeps the words that came first, calor those that come again. Of 0 words the \
                crate's cache is asked and never filled, and calor's is not asked.";
    table.note = Some(note.to_owned());
    table
}

/// Those of the sides that are there, in order.
fn sides(found: impl Iterator<Item = Side>) -> Vec<Side> {
    let found: Vec<Side> = found.collect();
    SIDES.into_iter().filter(|side| found.contains(side)).collect()
}

/// What was measured at each setting, in the order of settings.
fn rows<T>(found: &[T], by: impl Fn(&T) -> usize) -> Vec<(usize, Vec<&T>)> {
    let mut settings: Vec<usize> = found.iter().map(&by).collect();
    settings.sort_unstable();
    settings.dedup();
    settings.into_iter().map(|at| (at, found.iter().filter(|row| by(row) == at).collect())).collect()
}
