//! What room in the word cache is worth: throughput and hits by its size, once the text was read before.

use calor_report::bench::Figure;
use serde_json::json;

use super::counts::{Counted, crate_counts, our_counts};
use super::throughput::{crate_rate, our_rate};
use super::{Measured, Side};
use crate::tokenizer::bed::{Bed, case, megabytes, params, site};

/// What a size of the cache gives.
#[derive(Clone, Debug)]
pub(in crate::tokenizer) struct Cached {
    pub side: Side,
    /// Words that there is room for.
    pub words: usize,
    pub megabytes: Figure,
    /// Of a pass over a text that was read before.
    pub counted: Counted,
}

pub(in crate::tokenizer) fn measure(bed: &Bed<'_>, measured: &mut Measured) {
    for &words in &bed.choice.caches {
        for side in bed.sides() {
            if side == Side::Crate && !bed.reference.has_word_cache() {
                continue;
            }
            if !bed.goes_on(&format!("{}: a cache of {words} words", side.name())) {
                return;
            }
            measured.caches.extend(cached(bed, side, words));
        }
    }
}

fn cached(bed: &Bed<'_>, side: Side, words: usize) -> Option<Cached> {
    let (bytes, plan) = (bed.text.len(), &bed.choice.plan);
    let at = site(side, "cache", &[("words", &words.to_string())], (bytes, bed.n_tokens));
    let (times, counted) = match (side, bed.ours) {
        (Side::Ours, Some(ours)) => {
            (our_rate(ours, words, &bed.documents, at, plan), our_counts(ours, &bed.documents, words)[1])
        }
        _ => (
            crate_rate(&bed.reference.with_cache(words)?, &bed.documents, at, plan),
            crate_counts(bed.reference, &bed.documents, words)?[1],
        ),
    };
    let figure =
        times.figure(case(side, "cache"), params([("words", json!(words))]), "MB/s", megabytes(bytes));
    Some(Cached { side, words, megabytes: bed.marked(side, figure)?, counted })
}
