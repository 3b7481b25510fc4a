//! Several inputs at once: batches of documents on all threads, and all documents on more and more of them. The crate encodes a
//! batch by `encode_batch_fast` on rayon's pool; ours does the same with an encoder for each thread of the pool. By the wall.

use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;
use serde_json::json;

use super::{Measured, Scaled};
use crate::repeat::timed;
use crate::tokenizer::bed::{Bed, Side, case, megabytes, params, site};
use crate::tokenizer::bpe::Encoder;
use crate::tokenizer::reference::CRATE_CACHE;

/// By the size of a batch, on as many threads as were asked for at most.
pub(in crate::tokenizer) fn batches(bed: &Bed<'_>, measured: &mut Measured) {
    let Some(&threads) = bed.choice.threads.iter().max() else { return };
    for &batch in &bed.choice.batches {
        for side in bed.sides() {
            if !bed.goes_on(&format!("{}: batches of {batch}", side.name())) {
                return;
            }
            measured.batches.extend(scaled(bed, side, "batch", batch, threads));
        }
    }
}

/// By threads, all documents in one batch.
pub(in crate::tokenizer) fn threads(bed: &Bed<'_>, measured: &mut Measured) {
    for &threads in &bed.choice.threads {
        for side in bed.sides() {
            if !bed.goes_on(&format!("{}: {threads} threads", side.name())) {
                return;
            }
            measured.threads.extend(scaled(bed, side, "threads", bed.documents.len(), threads));
        }
    }
}

fn scaled(bed: &Bed<'_>, side: Side, what: &'static str, batch: usize, threads: usize) -> Option<Scaled> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
    let (bytes, tokenizer) = (bed.text.len(), bed.reference.tokenizer());
    let (n, label) =
        if what == "batch" { (batch, batch.to_string()) } else { (threads, threads.to_string()) };
    let at = site(side, what, &[(what, &label)], (bytes, bed.n_tokens));
    let times = match (side, bed.ours) {
        (Side::Ours, Some(ours)) => {
            let encoders: Vec<Mutex<Encoder<'_>>> =
                (0..threads).map(|_| Mutex::new(Encoder::new(ours, CRATE_CACHE))).collect();
            timed(at, &bed.choice.plan, || {
                for batch in bed.documents.chunks(batch) {
                    black_box(encode_batch(&pool, &encoders, batch));
                }
            })
        }
        _ => timed(at, &bed.choice.plan, || {
            for batch in bed.documents.chunks(batch) {
                drop(black_box(pool.install(|| tokenizer.encode_batch_fast(batch.to_vec(), false))));
            }
        }),
    };
    let figure = times.wall_figure(case(side, what), params([(what, json!(n))]), "MB/s", megabytes(bytes));
    Some(Scaled { side, batch, threads, megabytes: bed.marked(side, figure)? })
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
