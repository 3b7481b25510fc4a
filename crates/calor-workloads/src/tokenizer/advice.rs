//! What follows from the figures. Each rule has a threshold, and tells the figures that it follows from.

use calor_analysis::quantity::{count, percent};
use calor_report::bench::Advice;

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
/// Threads that had less than this part of the processors they asked for waited for other programs.
const HAD: f64 = 0.8;
/// GPT-2's vocabulary has 4 to 5 bytes to a token of English, and about 2.5 of text that it was not made for.
const FEW_BYTES: f64 = 2.5;

/// The advice, the most useful first.
pub(super) fn advice(bed: &Bed<'_>, measured: &Measured) -> Vec<Advice> {
    let rules: [fn(&Bed<'_>, &Measured) -> Option<Advice>; 8] = [
        vocabulary_fits_badly,
        pre_tokeniser_dominates,
        |_, measured| cache_too_small(measured, Side::Crate),
        |_, measured| cache_too_small(measured, Side::Ours),
        threads,
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
    let found = of(Side::Crate)?;
    let share = found.share.filter(|share| *share > MOST)?;
    let mut evidence = vec![format!(
        "tokenizers: {} of the time, {:.1} ns for each byte",
        percent(share),
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

fn cache_too_small(measured: &Measured, side: Side) -> Option<Advice> {
    let of = |words| measured.caches.iter().find(move |at| at.side == side && at.words == words);
    let usual = of(CRATE_CACHE)?;
    let hits = usual.counted.hit_rate().filter(|rate| *rate < FEW_HITS)?;
    let larger = measured.caches.iter().filter(|at| at.side == side && at.words > CRATE_CACHE);
    let best = larger.max_by(|a, b| a.megabytes.median.total_cmp(&b.megabytes.median))?;
    let gain = best.megabytes.median / usual.megabytes.median;
    if gain < GAIN || best.megabytes.low <= usual.megabytes.high {
        return None;
    }
    let rate = best.counted.hit_rate().map(percent).unwrap_or_default();
    let room = count(best.words as u64);
    let (title, text) = match side {
        Side::Crate => (
            "The word cache is too small",
            format!(
                "Give it room for {room} words (`resize_cache` of the model; the default is {}).",
                count(CRATE_CACHE as u64)
            ),
        ),
        Side::Ours => (
            "A tokenizer in the manner of calor's needs a larger word cache",
            format!(
                "Room for {room} words is worth its memory on this text, where a word that is not found is merged anew."
            ),
        ),
    };
    told(
        title,
        text,
        vec![
            format!(
                "{} {} words: {} of the words are found, {:.1} MB/s",
                side.name(),
                count(usual.words as u64),
                percent(hits),
                usual.megabytes.median
            ),
            format!(
                "{} {room} words: {rate}, {:.1} MB/s ({gain:.2} times)",
                side.name(),
                best.megabytes.median
            ),
        ],
    )
}

/// The one statement about threads. It is of one measurement, whose rows took turns; nothing is said where its spread covers the
/// threshold, where batches tell otherwise, or where the threads did not have the processors that they asked for.
fn threads(bed: &Bed<'_>, measured: &Measured) -> Option<Advice> {
    let of_crate = || measured.threads.iter().filter(|at| at.side == Side::Crate);
    let one = of_crate().find(|at| at.threads == 1)?;
    let most = of_crate().max_by_key(|at| at.threads).filter(|at| at.threads > 1)?;
    // Rows are told by the first of them, which is not always that of one thread.
    let by_one = |value: f64| value / one.speed_up.median;
    let (gain, low, high) =
        (by_one(most.speed_up.median), by_one(most.speed_up.low), by_one(most.speed_up.high));
    let evidence = format!(
        "{} documents: {:.1} MB/s on one thread, {:.1} on {} ({gain:.2} times, {low:.2} to {high:.2}; its threads had {:.2} processors)",
        count(bed.documents.len() as u64),
        one.megabytes.median,
        most.megabytes.median,
        most.threads,
        most.busy.median
    );
    if low >= THREADS_PAY {
        let batches = batches(measured);
        let enough = match &batches {
            Some((_, gain)) if *gain < THREADS_PAY => return None,
            Some((enough, _)) => format!("Encode in batches of {} or more", enough.batch),
            None => "Encode in batches".to_owned(),
        };
        let mut all = vec![evidence];
        all.extend(batches.map(|(enough, gain)| {
            format!(
                "{} at once: {:.1} MB/s, {gain:.2} times one by one",
                enough.batch, enough.megabytes.median
            )
        }));
        return told(
            enough,
            "`encode_batch_fast` spreads a batch over all threads; one document at a time leaves all but one idle.",
            all,
        );
    }
    // Threads that waited for processors say nothing of what they are worth, and batches may tell otherwise.
    let had_processors = most.busy.median >= HAD * most.threads as f64 && one.busy.median >= HAD;
    let is_agreed = batches(measured).is_none_or(|(_, gain)| gain < THREADS_PAY);
    if high >= THREADS_PAY || !had_processors || !is_agreed {
        return None;
    }
    told(
        "Threads do not pay here",
        "Use one thread (TOKENIZERS_PARALLELISM=false) and leave the others to the model: starting and sharing the work costs what it \
         saves at this size.",
        vec![evidence],
    )
}

/// The smallest batch that gives nearly all there is, and how many times as fast as one by one it is at least.
fn batches(measured: &Measured) -> Option<(&Scaled, f64)> {
    let of_crate = || measured.batches.iter().filter(|at| at.side == Side::Crate);
    let one = of_crate().find(|at| at.batch == 1)?;
    let rate = |at: &Scaled| at.megabytes.median;
    let best = of_crate().map(rate).max_by(f64::total_cmp)?;
    let enough = of_crate().filter(|at| rate(at) >= 0.9 * best).min_by_key(|at| at.batch)?;
    Some((enough, enough.speed_up.median / one.speed_up.median))
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

#[cfg(test)]
mod tests {
    use calor_report::bench::{Figure, Params};

    use super::super::{Choice, Reference, Source};
    use super::*;
    use crate::Unwatched;

    fn figure(low: f64, median: f64, high: f64) -> Figure {
        let one = Figure::of("x", Params::new(), "x", &[median]).expect("a value");
        Figure { low, high, ..one }
    }

    fn at(batch: usize, threads: usize, speed_up: [f64; 3], busy: f64) -> Scaled {
        let [low, median, high] = speed_up;
        Scaled {
            side: Side::Crate,
            batch,
            threads,
            megabytes: figure(4.0 * low, 4.0 * median, 4.0 * high),
            busy: figure(busy, busy, busy),
            speed_up: figure(low, median, high),
        }
    }

    /// What is said about threads: speed-up and processors of two threads, and the speed-up of batches.
    fn check(two: ([f64; 3], f64), batches: f64, expect: Option<&str>) {
        let source = Source::new(1);
        let reference = Reference::trained(&source.text(1, 20_000), 400).expect("it can be trained");
        let (choice, text) = (Choice::new(true, 1), source.text(2, 2_000));
        let bed = Bed::new(&choice, &Unwatched, &reference, None, &text).expect("it can be encoded");
        let measured = Measured {
            threads: vec![at(9, 1, [1.0; 3], 1.0), at(9, 2, two.0, two.1)],
            batches: vec![at(1, 2, [1.0; 3], 2.0), at(32, 2, [batches; 3], 2.0)],
            ..Measured::default()
        };
        let told = threads(&bed, &measured).map(|advice| advice.title);
        assert_eq!(told.as_deref(), expect, "{two:?}, batches {batches}");
    }

    #[test]
    fn one_thing_is_said_about_threads_and_nothing_where_figures_disagree() {
        let pays = Some("Encode in batches of 32 or more");
        check(([1.7, 1.9, 2.0], 1.9), 1.8, pays);
        check(([1.0, 1.05, 1.1], 1.9), 1.1, Some("Threads do not pay here"));
        // As a user saw it: batches 2.44 times as fast, threads 1.13 times.
        check(([1.1, 1.13, 1.15], 1.9), 2.44, None);
        // Batches that gain nothing beside threads that do.
        check(([1.7, 1.9, 2.0], 1.9), 1.0, None);
        // The spread covers the threshold.
        check(([1.0, 1.13, 1.6], 1.9), 1.1, None);
        check(([1.1, 1.5, 1.8], 1.9), 1.5, None);
        // Other programs had the processors.
        check(([1.0, 1.05, 1.1], 1.1), 1.1, None);
    }
}
