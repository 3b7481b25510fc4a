//! How fast text becomes ids, one document after the other on one thread: nothing but the library's own loop is timed.
//! Once with caches as they are after the text was read before, and once from an empty cache.

use std::hint::black_box;
use std::time::Instant;

use calor::{Scope, Site};
use tokenizers::Tokenizer;

use super::{Measured, Rate};
use crate::clock::thread_nanos;
use crate::repeat::{Clock, Plan, Times, timed};
use crate::tokenizer::bed::{Bed, Side, case, megabytes, params, site};
use crate::tokenizer::bpe::{Encoder, Vocabulary};
use crate::tokenizer::reference::CRATE_CACHE;

/// The call of the crate that ours is compared with: ids without offsets.
pub(in crate::tokenizer) const FAST: &str = "encode_fast";
/// The crate's usual call, which also tells where each token was.
pub(in crate::tokenizer) const WITH_OFFSETS: &str = "encode";
/// Ours.
pub(in crate::tokenizer) const OURS: &str = "encode";
/// From an empty cache.
pub(in crate::tokenizer) const FIRST: &str = "first pass";

pub(in crate::tokenizer) fn measure(bed: &Bed<'_>, measured: &mut Measured) {
    let Bed { documents, choice, .. } = bed;
    let tokenizer = bed.reference.tokenizer();
    let work = (bed.text.len(), bed.n_tokens);
    let mut add = |side, what, times: &Times| {
        let (bytes, tokens) = (work.0, work.1 as f64);
        let name = case(side, what);
        let megabytes = times.figure(name.clone(), params([]), "MB/s", megabytes(bytes));
        let tokens = times.figure(name, params([]), "tokens/s", |nanos| tokens * 1e9 / nanos);
        if let (Some(megabytes), Some(tokens)) = (bed.marked(side, megabytes), bed.marked(side, tokens)) {
            measured.rates.push(Rate { side, what, megabytes, tokens });
        }
    };
    if !bed.goes_on("tokenizers: throughput") {
        return;
    }
    let at = site(Side::Crate, FAST, &[], work);
    add(Side::Crate, FAST, &crate_rate(tokenizer, documents, at, &choice.plan));
    if !bed.goes_on("tokenizers: throughput with offsets") {
        return;
    }
    let at = site(Side::Crate, WITH_OFFSETS, &[], work);
    let times = timed(at, &choice.plan, || {
        documents.iter().for_each(|document| drop(black_box(tokenizer.encode(*document, false))));
    });
    add(Side::Crate, WITH_OFFSETS, &times);
    if let Some(ours) = bed.ours {
        if !bed.goes_on("calor: throughput") {
            return;
        }
        let at = site(Side::Ours, OURS, &[], work);
        add(Side::Ours, OURS, &our_rate(ours, CRATE_CACHE, documents, at, &choice.plan));
    }
    for side in bed.sides() {
        if !bed.goes_on(&format!("{}: from an empty cache", side.name())) {
            return;
        }
        add(side, FIRST, &first_passes(bed, side, site(side, FIRST, &[], work)));
    }
}

/// The times of encoding all documents with the crate, ids only: its bare loop.
pub fn crate_rate(tokenizer: &Tokenizer, documents: &[&str], site: &'static Site, plan: &Plan) -> Times {
    timed(site, plan, || {
        documents.iter().for_each(|document| drop(black_box(tokenizer.encode_fast(*document, false))));
    })
}

/// The times of encoding all documents with ours.
pub fn our_rate(
    vocabulary: &Vocabulary,
    cached_words: usize,
    documents: &[&str],
    site: &'static Site,
    plan: &Plan,
) -> Times {
    let (mut encoder, mut ids) = (Encoder::new(vocabulary, cached_words), Vec::new());
    timed(site, plan, || {
        for document in documents {
            ids.clear();
            encoder.encode(document, &mut ids);
            black_box(&ids);
        }
    })
}

/// Each pass on a thread of its own: caches of the crate belong to threads.
fn first_passes(bed: &Bed<'_>, side: Side, site: &'static Site) -> Times {
    let (tokenizer, ours, documents) = (bed.reference.tokenizer(), bed.ours, &bed.documents);
    let pass = || {
        let (wall, cpu) = (Instant::now(), thread_nanos());
        let scope = Scope::enter(site);
        match (side, ours) {
            (Side::Ours, Some(ours)) => {
                let (mut encoder, mut ids) = (Encoder::new(ours, CRATE_CACHE), Vec::new());
                for document in documents {
                    ids.clear();
                    encoder.encode(document, &mut ids);
                    black_box(&ids);
                }
            }
            _ => {
                documents
                    .iter()
                    .for_each(|document| drop(black_box(tokenizer.encode_fast(*document, false))));
            }
        }
        let cpu = thread_nanos().saturating_sub(cpu);
        Clock::Cpu.tell(&scope, cpu);
        (wall.elapsed(), cpu)
    };
    let mut times = Times::default();
    let pass = &pass;
    for _ in 0..bed.choice.plan.least {
        // A thread that cannot be started is a pass less; without any there is no figure.
        let timed = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, pass).ok()?;
            thread.join().ok()
        });
        timed.into_iter().for_each(|(wall, cpu)| times.push(wall, cpu));
    }
    times
}
