//! What follows from the figures. Each rule has a threshold, and tells the figures that it follows from.

use calor_report::bench::Advice;
use calor_report::quantity::{count, percent};

use super::bed::{Bed, Side};
use super::measure::throughput::{FAST, OURS, WITH_OFFSETS};
use super::measure::{Measured, Scaled, Stage};
use super::page::bytes_per_token;
use super::reference::CRATE_CACHE;

/// A cache that knows fewer of its words is small; but only a gain of a tenth is worth a change.
const FEW_HITS: f64 = 0.9;
const GAIN: f64 = 1.1;
/// A stage that takes more than half of the time is what there is to improve.
const MOST: f64 = 0.5;
/// Below this, more threads are not worth having.
const THREADS_PAY: f64 = 1.2;
/// GPT-2's vocabulary has 4 to 5 bytes to a token of English, and about 2.5 of text that it was not made for.
const FEW_BYTES: f64 = 2.5;

/// The advice, the most useful first.
pub(super) fn advice(bed: &Bed<'_>, measured: &Measured) -> Vec<Advice> {
    let rules: [fn(&Bed<'_>, &Measured) -> Option<Advice>; 8] = [
        vocabulary_fits_badly,
        pre_tokeniser_dominates,
        cache_too_small,
        encode_in_batches,
        threads_do_not_pay,
        offsets_for_nothing,
        short_inputs,
        another_implementation,
    ];
    rules.into_iter().filter_map(|rule| rule(bed, measured)).collect()
}

fn told(title: impl Into<String>, text: impl Into<String>, evidence: Vec<String>) -> Option<Advice> {
    Some(Advice { title: title.into(), text: text.into(), evidence })
}

fn vocabulary_fits_badly(bed: &Bed<'_>, _: &Measured) -> Option<Advice> {
    let bytes = bytes_per_token(bed);
    if bytes >= FEW_BYTES {
        return None;
    }
    let mut evidence = vec![format!("{bytes:.2} bytes per token, below {FEW_BYTES}")];
    if bed.ours.is_some() {
        let share = bed.n_single_bytes as f64 / bed.n_tokens.max(1) as f64;
        evidence.push(format!("{} of all tokens are single bytes", percent(share)));
    }
    told(
        "The vocabulary fits this text badly",
        "Every token costs a step of the model. Use a tokenizer that was trained on text of this kind, or train one: twice the bytes per \
         token are half the tokens.",
        evidence,
    )
}

fn pre_tokeniser_dominates(_: &Bed<'_>, measured: &Measured) -> Option<Advice> {
    let of = |side| {
        measured.stages.iter().find(|staged| staged.side == side && staged.stage == Stage::PreTokenise)
    };
    let found = of(Side::Crate).filter(|staged| staged.share > MOST)?;
    let mut evidence = vec![format!(
        "tokenizers: {} of the time, {:.1} ns for each byte",
        percent(found.share),
        found.cost.median
    )];
    if let Some(ours) = of(Side::Ours) {
        evidence.push(format!("calor cuts the same words in {:.1} ns for each byte", ours.cost.median));
    }
    told(
        "Cutting text into words takes most of the time",
        "Merges and caches can save little here: the regular expression of the pre-tokenizer is what costs. A tokenizer that writes its \
         pattern out as code, or a build with another engine for regular expressions, is where to look.",
        evidence,
    )
}

fn cache_too_small(_: &Bed<'_>, measured: &Measured) -> Option<Advice> {
    let of = |words| measured.caches.iter().find(move |at| at.side == Side::Crate && at.words == words);
    let usual = of(CRATE_CACHE)?;
    let hits = usual.counted.hit_rate().filter(|rate| *rate < FEW_HITS)?;
    let larger = measured.caches.iter().filter(|at| at.side == Side::Crate && at.words > CRATE_CACHE);
    let best = larger.max_by(|a, b| a.megabytes.median.total_cmp(&b.megabytes.median))?;
    let gain = best.megabytes.median / usual.megabytes.median;
    if gain < GAIN || best.megabytes.low <= usual.megabytes.high {
        return None;
    }
    let rate = best.counted.hit_rate().map(percent).unwrap_or_default();
    told(
        "The word cache is too small",
        format!(
            "Give it room for {} words (`resize_cache` of the model; the default is {}).",
            count(best.words as u64),
            count(CRATE_CACHE as u64)
        ),
        vec![
            format!(
                "{} words: {} of the words are found, {:.1} MB/s",
                count(usual.words as u64),
                percent(hits),
                usual.megabytes.median
            ),
            format!(
                "{} words: {rate}, {:.1} MB/s ({gain:.2} times)",
                count(best.words as u64),
                best.megabytes.median
            ),
        ],
    )
}

fn encode_in_batches(_: &Bed<'_>, measured: &Measured) -> Option<Advice> {
    let one = measured.batches.iter().find(|at| at.side == Side::Crate && at.batch == 1)?;
    let rate = |at: &Scaled| at.megabytes.median;
    let of_crate = || measured.batches.iter().filter(|at| at.side == Side::Crate);
    let best = of_crate().map(rate).max_by(f64::total_cmp)?;
    // The smallest that gives nearly all there is.
    let enough = of_crate().filter(|at| rate(at) >= 0.9 * best).min_by_key(|at| at.batch)?;
    let gain = rate(enough) / rate(one);
    if gain < THREADS_PAY || enough.megabytes.low <= one.megabytes.high {
        return None;
    }
    told(
        format!("Encode in batches of {} or more", enough.batch),
        "`encode_batch_fast` spreads a batch over all threads; one document at a time leaves all but one idle.",
        vec![
            format!("one by one: {:.1} MB/s", rate(one)),
            format!(
                "{} at once: {:.1} MB/s ({gain:.2} times) on {} threads",
                enough.batch,
                rate(enough),
                enough.threads
            ),
        ],
    )
}

fn threads_do_not_pay(bed: &Bed<'_>, measured: &Measured) -> Option<Advice> {
    let of_crate = || measured.threads.iter().filter(|at| at.side == Side::Crate);
    let one = of_crate().find(|at| at.threads == 1)?;
    let most = of_crate().max_by_key(|at| at.threads).filter(|at| at.threads > 1)?;
    let gain = most.megabytes.median / one.megabytes.median;
    if gain >= THREADS_PAY {
        return None;
    }
    told(
        "Threads do not pay here",
        "Use one thread (TOKENIZERS_PARALLELISM=false) and leave the others to the model: starting and sharing the work costs what it \
         saves at this size, or other programs have the processors.",
        vec![format!(
            "{} documents: {:.1} MB/s on one thread, {:.1} on {} ({gain:.2} times)",
            count(bed.documents.len() as u64),
            one.megabytes.median,
            most.megabytes.median,
            most.threads
        )],
    )
}

fn offsets_for_nothing(_: &Bed<'_>, measured: &Measured) -> Option<Advice> {
    let (fast, with) = (measured.rate(Side::Crate, FAST)?, measured.rate(Side::Crate, WITH_OFFSETS)?);
    if fast < GAIN * with {
        return None;
    }
    told(
        "Ask for ids alone where nobody needs offsets",
        "`encode_fast` and `encode_batch_fast` give the same ids without working out where in the text each token was.",
        vec![format!("encode {with:.1} MB/s, encode_fast {fast:.1} MB/s ({:.2} times)", fast / with)],
    )
}

fn short_inputs(_: &Bed<'_>, measured: &Measured) -> Option<Advice> {
    let of_crate = || measured.lengths.iter().filter(|at| at.side == Side::Crate);
    let short = of_crate().min_by_key(|at| at.length)?;
    let best = of_crate().max_by(|a, b| a.megabytes.median.total_cmp(&b.megabytes.median))?;
    if best.megabytes.median < 2.0 * short.megabytes.median {
        return None;
    }
    told(
        "Short inputs cost mostly the call",
        "Join short texts where their ids may be split afterwards, or encode them in one batch.",
        vec![format!(
            "{} bytes: {:.1} MB/s; {} bytes: {:.1} MB/s",
            count(short.length as u64),
            short.megabytes.median,
            count(best.length as u64),
            best.megabytes.median
        )],
    )
}

fn another_implementation(bed: &Bed<'_>, measured: &Measured) -> Option<Advice> {
    let (theirs, ours) = (measured.rate(Side::Crate, FAST)?, measured.rate(Side::Ours, OURS)?);
    if bed.difference.is_some() || ours < 2.0 * theirs {
        return None;
    }
    told(
        "The same ids can be had faster",
        "Where encoding is a bottleneck, a byte-level BPE in the manner of tiktoken gives the same ids for this vocabulary: words are cut \
         by code instead of a regular expression, and nothing is kept but ids.",
        vec![format!(
            "tokenizers {theirs:.1} MB/s, calor {ours:.1} MB/s ({:.1} times), ids verified",
            ours / theirs
        )],
    )
}
