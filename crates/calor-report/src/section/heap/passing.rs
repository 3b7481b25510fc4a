//! What comes and goes: places that free as they allocate, by how much, and how long it lives in between. Large buffers that
//! are soon freed are among them, which the order of events does not show.

use calor_analysis::quantity::{bytes, duration};
use calor_analysis::{HeapAnswer, HeapPath, HeapPlaces};
use calor_model::Profile;

use super::is_sampled;
use super::place::place_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};

/// What lives for a larger part of the run than this does not come and go.
const PART_OF_RUN: u64 = 20;

/// The first `rows` places with the most bytes freed.
pub(crate) fn section(profile: &Profile, heap: &HeapAnswer, rows: usize) -> Section {
    let (id, title) = ("heap-passing", "Passing through");
    if heap.lifetimes.is_empty() {
        let line = "Not enough data: how long blocks of a place live is told from 8 snapshots or more, which take a second."
            .to_owned();
        return Section::new(id, title, Body::Lines(vec![line]));
    }
    let longest = profile.duration_nanos() / PART_OF_RUN;
    let lived = |path: &HeapPath| heap.lifetimes.get(&path.stack).copied().filter(|nanos| *nanos <= longest);
    let mut paths: Vec<(&HeapPath, u64)> =
        heap.allocated.iter().filter_map(|path| Some((path, lived(path)?))).collect();
    paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.site.freed_bytes));
    let intro = format!(
        "Places whose bytes live for less than a twentieth of the run ({}) in the mean, by what they freed. How long is an \
         estimate: what a place held in the mean of the snapshots, by what it allocated in that time.",
        duration(longest as f64)
    );
    let body = match paths.is_empty() {
        true => Body::Lines(vec!["Nothing that snapshots saw.".to_owned()]),
        false => Body::Table(table(profile, &heap.places, &paths[..paths.len().min(rows)])),
    };
    Section::new(id, title, body).with_intro(intro)
}

fn table(profile: &Profile, places: &HeapPlaces, paths: &[(&HeapPath, u64)]) -> Table {
    let is_estimated = is_sampled(profile);
    let columns = vec![
        Column::new("freed", 0, "bytes that were allocated here and freed"),
        Column::new("lived", 0, "how long bytes of this place lived in the mean, about"),
        Column::new("blocks", 0, "number of blocks that were freed"),
        Column::new("mean size", 1, "bytes a block"),
    ];
    let row = |(path, nanos): &(&HeapPath, u64)| {
        let site = &path.site;
        let cells = vec![
            Cell::bytes(Some(site.freed_bytes)).estimated(is_estimated),
            Cell::new(duration(*nanos as f64), *nanos as f64).estimated(true),
            Cell::count(Some(site.freed_count)).estimated(is_estimated),
            Cell::of(site.freed_bytes.checked_div(site.freed_count), bytes, |size| size as f64)
                .estimated(is_estimated),
        ];
        Row::new(place_name(profile, places, path.stack), cells)
    };
    Table { subject: "allocated in", columns, rows: paths.iter().map(row).collect() }
}
