//! The heap of this very process, as the SDK's allocator counted it.

use calor_heap::{Image, Mode};
use calor_model::{HeapKey, HeapMode, HeapSummary, LabelTable, Profile, StackId};

use super::gathering::{Files, Gathering, Told};
use crate::cpu::images::Images;
use crate::cpu::naming::Naming;
use crate::cpu::tally::Tally;
use crate::python::Python;
use crate::symbols::{SymbolOptions, Symbolizer};
use crate::unwind::Unwinder;

/// What call paths of a process did to its heap, with the names of their functions.
#[must_use]
pub fn heap_profile(image: &Image) -> Profile {
    let (mut images, mut unwinder, mut tally) = (Images::default(), Unwinder::new(), Tally::default());
    let (mut python, mut told) = (Python::default(), Told::default());
    let files = Files { images: &mut images, unwinder: &mut unwinder, python: &mut python };
    let mut gathering = Gathering::of(image, &mut told, files);
    let rows: Vec<_> = image
        .sites
        .iter()
        .filter_map(|site| {
            let node = gathering.node(site, &mut tally)?;
            Some((node, gathering.told.news(site, image.mode, true)))
        })
        .collect();
    let mut profile = Profile::default();
    let mut naming = Naming::new(Symbolizer::new(SymbolOptions::default()), false);
    let stacks = naming.stacks(&tally, &images, &python.functions, &mut profile);
    let thread = profile.intern_thread(image.process, u64::from(image.process), "(all threads)");
    for (node, site) in rows {
        if let Some(stack) = stacks[node as usize].and_then(|stack| without_own(&profile, stack)) {
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        }
    }
    let mode = if image.mode == Mode::Exact { HeapMode::Exact } else { HeapMode::Sampled };
    let mut summary = HeapSummary::new(mode, image.peak_bytes, None);
    summary.sampling_bytes = Some(image.sampling_bytes).filter(|_| mode == HeapMode::Sampled);
    profile.heap.summary = Some(summary);
    profile
}

/// The path without the allocator's own functions at its end.
fn without_own(profile: &Profile, stack: StackId) -> Option<StackId> {
    let mut at = Some(stack);
    while let Some(stack) = at {
        let row = profile.stacks.get(stack);
        let name = profile.strings.get(profile.frames.get(row.frame).name);
        if !["calor::heap::", "calor_heap::"].iter().any(|own| name.contains(own)) {
            break;
        }
        at = row.parent;
    }
    at
}
