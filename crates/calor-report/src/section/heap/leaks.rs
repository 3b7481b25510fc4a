//! What was never freed, less what is known and meant to be.

use calor_analysis::quantity::{bytes, counted};
use calor_analysis::{HeapAnswer, HeapGroup, HeapOrder, Leaks};
use calor_model::{HeapBlocks, Profile};

use super::{facts, is_sampled, paths};
use crate::document::{Body, Section};

pub(crate) fn section(profile: &Profile, heap: &HeapAnswer, rows: usize) -> Section {
    let (leaks, places) = (&heap.leaks, &heap.places);
    let title = if leaks.at_end.is_some() { "Not freed at the end" } else { "Not freed" };
    let body = match leaks.paths.is_empty() {
        true if heap.totals.sum.allocated_count == 0 => {
            Body::Lines(vec!["Nothing was allocated where it was watched.".to_owned()])
        }
        true => Body::Lines(vec![format!("Nothing is left{}.", facts::unseen_at_most(heap))]),
        false => Body::Table(paths::table(profile, places, HeapOrder::Live, &leaks.paths, rows)),
    };
    let section = Section::new("heap-leaks", title, body);
    let mark = if is_sampled(profile) { "~" } else { "" };
    let sentences = [
        ending(leaks, mark).filter(|_| !leaks.paths.is_empty() || leaks.at_end.is_some()),
        shown(leaks, places.group(), rows, mark),
        suppressed(leaks, mark),
        unused(leaks),
    ];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    match sentences.is_empty() {
        true => section,
        false => section.with_intro(sentences.join(" ")),
    }
}

fn ending(leaks: &Leaks, mark: &str) -> Option<String> {
    match leaks.not_of_the_end() {
        Some(0) => None,
        Some(others) => Some(format!(
            "Not all of it is leaked: {mark}{} were held by processes that became another program (exec), were killed or go on; \
             they are not told apart here.",
            bytes(others)
        )),
        None => Some(
            "The program was not seen to end by itself: what it held then it may have meant to free."
                .to_owned(),
        ),
    }
}

fn shown(leaks: &Leaks, group: HeapGroup, rows: usize, mark: &str) -> Option<String> {
    let n_paths = leaks.paths.len();
    let on = match group {
        HeapGroup::Line | HeapGroup::Function => "in",
        HeapGroup::Path | HeapGroup::WholePath => "on",
    };
    let all =
        format!("{} {on} {}.", in_words(leaks.total, mark), counted(n_paths as u64, paths::word(group)));
    match n_paths {
        0 => None,
        n if n > rows => Some(format!("{all} The first {rows} are shown; `--top` shows more.")),
        _ => Some(all),
    }
}

fn suppressed(leaks: &Leaks, mark: &str) -> Option<String> {
    let of = leaks.suppressed.iter().map(|one| {
        format!("`{}` {} on {}", one.pattern, in_words(one.blocks, mark), counted(one.n_paths as u64, "path"))
    });
    let of: Vec<String> = of.collect();
    (!of.is_empty()).then(|| format!("Suppressed: {}.", of.join("; ")))
}

fn unused(leaks: &Leaks) -> Option<String> {
    let of: Vec<String> = leaks.unused.iter().map(|pattern| format!("`{pattern}`")).collect();
    (!of.is_empty()).then(|| format!("Suppressed nothing: {}.", of.join(", ")))
}

fn in_words(blocks: HeapBlocks, mark: &str) -> String {
    format!("{mark}{} in {mark}{}", bytes(blocks.bytes), counted(blocks.count, "block"))
}
