//! `calor heap --diff`: two runs, or two moments of one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use calor_analysis::quantity::{counted, duration};
use calor_analysis::{HeapOrder, HeapSide};
use calor_model::{HeapSnapshot, Profile};
use calor_report::{HeapOptions, render_heap_difference};

use super::Arguments;
use crate::input;

/// More snapshots than these are not listed one by one.
const LISTED: usize = 10;

pub(super) fn write(
    files: &[PathBuf],
    arguments: &Arguments,
    options: &HeapOptions,
    page: &mut Vec<u8>,
) -> Result<()> {
    match files {
        [before, after] => {
            if arguments.from.is_some() || arguments.to.is_some() {
                bail!("--from and --to are moments of one profile: name one, or leave them out");
            }
            let (before, after) = (heap_of(before)?, heap_of(after)?);
            let order = arguments.order();
            let sides = [&before, &after].map(|profile| HeapSide::Run(profile, order));
            Ok(render_heap_difference(sides[0], sides[1], words(order), options, page)?)
        }
        files => {
            if arguments.order() != HeapOrder::Live {
                bail!(
                    "snapshots of one profile tell what was held: leave --allocated, --peak and --temporary out"
                );
            }
            let profile = heap_of(&files[0])?;
            let (first, second) = moments(&profile, arguments)?;
            let at = |snapshot: &HeapSnapshot| duration(snapshot.at_nanos as f64);
            let what = format!("Held at {} and at {}", at(first), at(second));
            let sides = [first, second].map(|snapshot| HeapSide::Snapshot(&profile, snapshot));
            Ok(render_heap_difference(sides[0], sides[1], &what, options, page)?)
        }
    }
}

/// A profile that has a heap. Of two files it has to be said which one has none.
fn heap_of(path: &Path) -> Result<Profile> {
    let profile = input::profile(path)?;
    calor_analysis::check_heap(&profile).with_context(|| format!("cannot compare {}", path.display()))?;
    Ok(profile)
}

fn words(order: HeapOrder) -> &'static str {
    match order {
        HeapOrder::Allocated => "Allocated",
        HeapOrder::Live => "Not freed",
        HeapOrder::Peak => "Held when the heap was largest",
        HeapOrder::Temporary => "Temporary",
    }
}

/// The snapshots nearest to the moments asked for; without, the first and the last.
fn moments<'p>(profile: &'p Profile, arguments: &Arguments) -> Result<(&'p HeapSnapshot, &'p HeapSnapshot)> {
    let snapshots: Vec<&HeapSnapshot> = profile.heap.snapshots.iter().collect();
    let [first, .., last] = &snapshots[..] else {
        bail!(
            "the profile has {}, and two are compared: record for longer, or name two profiles",
            counted(snapshots.len() as u64, "snapshot")
        );
    };
    let nearest = |at: u64| snapshots.iter().min_by_key(|snapshot| snapshot.at_nanos.abs_diff(at));
    let chosen = |at: Option<u64>, usual: &'p HeapSnapshot| at.and_then(nearest).copied().unwrap_or(usual);
    if let (Some(from), Some(to)) = (arguments.from, arguments.to)
        && from > to
    {
        let at = |nanos: u64| duration(nanos as f64);
        bail!("--from {} is later than --to {}: change them over", at(from), at(to));
    }
    let (from, to) = (chosen(arguments.from, first), chosen(arguments.to, last));
    if from.at_nanos == to.at_nanos {
        let times: Vec<String> =
            snapshots.iter().map(|snapshot| duration(snapshot.at_nanos as f64)).collect();
        let there = match &times[..] {
            [first, .., last] if times.len() > LISTED => {
                format!("{} snapshots from {first} to {last}", times.len())
            }
            times => format!("snapshots at {}", times.join(", ")),
        };
        bail!("both moments are nearest to the same snapshot; there are {there}");
    }
    Ok((from, to))
}
