//! Two heaps side by side.

use calor_analysis::quantity::{bytes, count, counted, signed_bytes, signed_count};
use calor_analysis::{HeapChange, HeapDifference, HeapGroup, HeapMove};
use calor_model::{HeapMode, Profile};

use super::is_sampled;
use super::place::name_of;
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};

/// The first `rows` changes. Paths that are gone are named by the profile of before.
pub(crate) fn section(
    before: &Profile,
    after: &Profile,
    (difference, group): (&HeapDifference, HeapGroup),
    what: &str,
    rows: usize,
) -> Section {
    let [of_before, of_after] = [before, after].map(|side| if is_sampled(side) { "~" } else { "" });
    let of_both = if is_sampled(before) { of_before } else { of_after };
    let total = format!(
        "{what}: {of_before}{} in {of_before}{} before, {of_after}{} in {of_after}{} after, {of_both}{}{}.",
        bytes(difference.before.bytes),
        counted(difference.before.count, "block"),
        bytes(difference.after.bytes),
        counted(difference.after.count, "block"),
        signed_bytes(difference.delta_bytes()),
        reach(difference.delta_bytes(), difference.interval())
            .map_or_else(String::new, |reach| format!(" ± {}", bytes(reach))),
    );
    let n_changes = difference.changes.len();
    let cut = (n_changes > rows)
        .then(|| format!("The first {rows} of {} places; `--top` shows more.", count(n_changes as u64)));
    let sentences = [Some(total), modes(before, after), uncertain(&difference.changes), cut];
    let intro = sentences.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let body = match difference.changes.is_empty() {
        true => Body::Lines(vec!["No place differs.".to_owned()]),
        false => Body::Table(table(before, after, group, &difference.changes[..n_changes.min(rows)])),
    };
    Section::new("heap-difference", "Difference", body).with_intro(intro)
}

fn table(before: &Profile, after: &Profile, group: HeapGroup, changes: &[HeapChange]) -> Table {
    let columns = vec![
        Column::new("difference", 0, "bytes more than before"),
        Column::new("±", 0, "how far that may be off, with 95 % certainty"),
        Column::new("blocks", 1, "blocks more than before"),
        Column::new("before", 1, "bytes before"),
        Column::new("after", 0, "bytes after"),
        Column::words("change", 0, "what became of the place"),
    ];
    let [is_before_estimated, is_after_estimated] = [before, after].map(is_sampled);
    let is_estimated = is_before_estimated || is_after_estimated;
    let row = |change: &HeapChange| {
        let profile = if change.moved == HeapMove::Gone { before } else { after };
        let blocks = i128::from(change.after.count) - i128::from(change.before.count);
        let cells = vec![
            Cell::new(signed_bytes(change.delta_bytes()), change.delta_bytes() as f64)
                .estimated(is_estimated),
            Cell::bytes(reach(change.delta_bytes(), change.interval())),
            Cell::new(with_sign(blocks), blocks as f64).estimated(is_estimated),
            Cell::bytes(Some(change.before.bytes)).estimated(is_before_estimated),
            Cell::bytes(Some(change.after.bytes)).estimated(is_after_estimated),
            Cell::words(if change.is_certain() { change.moved.word() } else { "uncertain" }),
        ];
        Row::new(name(profile, group, change), cells)
    };
    let rows = changes.iter().map(row).collect();
    Table { subject: "allocated in", columns, rows }.without_empty_columns()
}

/// The name of a place; without a line where several are added up.
fn name(profile: &Profile, group: HeapGroup, change: &HeapChange) -> Name {
    let name = name_of(profile, change.stack, group, change.n_callers);
    match change.is_of_several_lines {
        true => Name { location: None, leaf: format!("{} (several lines)", name.leaf), ..name },
        false => name,
    }
}

/// What has to be known where the sides were not watched alike, in a sentence.
pub(crate) fn modes(before: &Profile, after: &Profile) -> Option<String> {
    let (one, other) = (before.heap.summary?, after.heap.summary?);
    let (exact, sampled, distance) = match (one.mode, other.mode) {
        (HeapMode::Exact, HeapMode::Sampled) => ("before", "after", other.sampling_bytes),
        (HeapMode::Sampled, HeapMode::Exact) => ("after", "before", one.sampling_bytes),
        _ => return None,
    };
    let distance = distance.map(|distance| format!(" every {}", bytes(distance))).unwrap_or_default();
    Some(format!(
        "Every allocation was counted {exact}, and {sampled} samples{distance} were taken: what is small may differ by \
         that alone; record both in one way to compare them closely."
    ))
}

/// How many of the changes samples alone may have made.
fn uncertain(changes: &[HeapChange]) -> Option<String> {
    let n_uncertain = changes.iter().filter(|change| !change.is_certain()).count();
    (n_uncertain > 0).then(|| {
        format!(
            "{} of {} differences are uncertain: by samples alone, with 95 % certainty, there may be none.",
            count(n_uncertain as u64),
            count(changes.len() as u64)
        )
    })
}

/// How far a difference may be off.
fn reach(delta: i128, interval: Option<[i128; 2]>) -> Option<u64> {
    let [_, high] = interval?;
    Some(u64::try_from(high - delta).unwrap_or(u64::MAX))
}

fn with_sign(number: i128) -> String {
    let text = signed_count(i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX }));
    if number > 0 { format!("+{text}") } else { text }
}
