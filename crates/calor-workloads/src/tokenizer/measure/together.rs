//! Several inputs at once: batches of documents on all threads, and all documents on more and more of them. The crate encodes a
//! batch by `encode_batch_fast` on rayon's pool; ours does the same with an encoder for each thread of the pool. By the wall.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use calor_report::bench::Figure;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::json;

use super::{Measured, Scaled};
use crate::clock::process_nanos;
use crate::repeat::{Clock, Way, interleaved};
use crate::tokenizer::bed::{Bed, Side, case, megabytes, params, site};
use crate::tokenizer::bpe::Encoder;
use crate::tokenizer::reference::CRATE_CACHE;

/// By the size of a batch, on as many threads as were asked for at most.
pub(in crate::tokenizer) fn batches(bed: &Bed<'_>, measured: &mut Measured) {
    let Some(&threads) = bed.choice.threads.iter().max() else { return };
    for side in bed.sides() {
        if !bed.goes_on(&format!("{}: batches", side.name())) {
            return;
        }
        let ways: Vec<(usize, usize)> = bed.choice.batches.iter().map(|batch| (*batch, threads)).collect();
        measured.batches.extend(scaled(bed, side, "batch", &ways));
    }
}

/// By threads, all documents in one batch.
pub(in crate::tokenizer) fn threads(bed: &Bed<'_>, measured: &mut Measured) {
    for side in bed.sides() {
        if !bed.goes_on(&format!("{}: threads", side.name())) {
            return;
        }
        let all = bed.documents.len();
        let ways: Vec<(usize, usize)> = bed.choice.threads.iter().map(|threads| (all, *threads)).collect();
        measured.threads.extend(scaled(bed, side, "threads", &ways));
    }
}

/// Sizes of batches and numbers of threads, which take turns: what else goes on in the machine meets all of them alike.
fn scaled(bed: &Bed<'_>, side: Side, what: &'static str, ways: &[(usize, usize)]) -> Vec<Scaled> {
    let (bytes, tokenizer) = (bed.text.len(), bed.reference.tokenizer());
    let number = |&(batch, threads): &(usize, usize)| if what == "batch" { batch } else { threads };
    let pool = |(_, threads): &(usize, usize)| ThreadPoolBuilder::new().num_threads(*threads).build();
    let Ok(pools) = ways.iter().map(pool).collect::<Result<Vec<ThreadPool>, _>>() else { return Vec::new() };
    // CPU time of all threads, of each repetition.
    let busy: Vec<RefCell<Vec<u64>>> = ways.iter().map(|_| RefCell::default()).collect();
    let mut works: Vec<Box<dyn FnMut() + '_>> = Vec::new();
    for ((&(batch, threads), pool), busy) in ways.iter().zip(&pools).zip(&busy) {
        let mut work: Box<dyn FnMut() + '_> = match (side, bed.ours) {
            (Side::Ours, Some(ours)) => {
                let encoders: Vec<Mutex<Encoder<'_>>> =
                    (0..threads).map(|_| Mutex::new(Encoder::new(ours, CRATE_CACHE))).collect();
                Box::new(move || {
                    for batch in bed.documents.chunks(batch) {
                        black_box(encode_batch(pool, &encoders, batch));
                    }
                })
            }
            _ => Box::new(move || {
                for batch in bed.documents.chunks(batch) {
                    drop(black_box(pool.install(|| tokenizer.encode_batch_fast(batch.to_vec(), false))));
                }
            }),
        };
        works.push(Box::new(move || {
            let begin = process_nanos();
            work();
            busy.borrow_mut().push(process_nanos().saturating_sub(begin));
        }));
    }
    let mut sited: Vec<Way<'_>> = Vec::new();
    for (way, work) in ways.iter().zip(&mut works) {
        let label = number(way).to_string();
        sited.push((site(side, what, &[(what, &label)], (bytes, bed.n_tokens)), work.as_mut()));
    }
    let all = interleaved(Clock::Wall, &mut sited, &bed.choice.plan);
    drop(sited);
    drop(works);
    let Some(first) = all.first().cloned() else { return Vec::new() };
    let told = ways.iter().zip(&all).zip(&busy).filter_map(|((way, times), busy)| {
        let with = || params([(what, json!(number(way)))]);
        let figure = times.wall_figure(case(side, what), with(), "MB/s", megabytes(bytes));
        let of = |unit, values: Vec<f64>| Figure::of(case(side, what), with(), unit, &values);
        let wall = || times.wall_ns.iter().map(|nanos| (*nanos).max(1) as f64);
        let busy = busy.borrow();
        // The first is that of warming up.
        let busy = busy.iter().skip(1).zip(wall()).map(|(cpu, wall)| *cpu as f64 / wall).collect();
        let faster = first.wall_ns.iter().zip(wall()).map(|(first, wall)| *first as f64 / wall).collect();
        Some(Scaled {
            side,
            batch: way.0,
            threads: way.1,
            megabytes: bed.marked(side, figure)?,
            busy: of("processors", busy)?,
            speed_up: of("speed-up", faster)?,
        })
    });
    told.collect()
}

/// The ids of each document of a batch.
fn encode_batch(pool: &ThreadPool, encoders: &[Mutex<Encoder<'_>>], batch: &[&str]) -> Vec<Vec<u32>> {
    pool.install(|| {
        batch
            .par_iter()
            .map(|document| {
                let thread = rayon::current_thread_index().unwrap_or(0) % encoders.len();
                let mut ids = Vec::with_capacity(document.len() / 3);
                let mut encoder = encoders[thread].lock().unwrap_or_else(PoisonError::into_inner);
                encoder.encode(document, &mut ids);
                ids
            })
            .collect()
    })
}
