//! By the length of an input: throughput, in a bare loop, and how long one input takes, with a clock around each in a pass of
//! its own. Short inputs are mostly what a call costs; long ones show whether anything grows faster than the text.

use std::hint::black_box;
use std::time::Instant;

use calor_report::bench::Figure;
use serde_json::json;

use super::Measured;
use super::throughput::{FAST, OURS, crate_rate, our_rate};
use crate::tokenizer::bed::{Bed, Side, case, megabytes, params, site};
use crate::tokenizer::bpe::Encoder;
use crate::tokenizer::input::pieces;
use crate::tokenizer::reference::CRATE_CACHE;

/// Text that is enough for rates; and inputs of a length that are enough for a 99th percentile.
const ENOUGH_BYTES: usize = 256 << 10;
const ENOUGH_INPUTS: usize = 400;
/// Inputs whose time is kept at most.
const MOST_INPUTS: usize = 20_000;

/// What inputs of a length take.
#[derive(Clone, Debug)]
pub(in crate::tokenizer) struct Length {
    pub side: Side,
    pub length: usize,
    pub megabytes: Figure,
    /// Nanoseconds on the wall that one input takes: half take less, and 99 of 100.
    pub p50: Figure,
    pub p99: Figure,
}

pub(in crate::tokenizer) fn measure(bed: &Bed<'_>, measured: &mut Measured) {
    for &length in &bed.choice.lengths {
        let inputs = inputs(bed.text, length);
        let bytes = inputs.iter().map(|input| input.len()).sum();
        let is_same = is_same(bed, &inputs);
        for side in bed.sides() {
            if !bed.goes_on(&format!("{}: inputs of {length} bytes", side.name())) {
                return;
            }
            measured.lengths.extend(measured_length(bed, side, length, &inputs, bytes, is_same));
        }
    }
}

fn measured_length(
    bed: &Bed<'_>,
    side: Side,
    length: usize,
    inputs: &[&str],
    bytes: usize,
    is_same: bool,
) -> Option<Length> {
    let plan = &bed.choice.plan;
    let label = length.to_string();
    let what = if side == Side::Crate { FAST } else { OURS };
    let at = site(side, what, &[("length", &label)], (bytes, 0));
    let tokenizer = bed.reference.tokenizer();
    let with = || params([("length", json!(length))]);
    let (times, nanos) = match (side, bed.ours) {
        (Side::Ours, Some(ours)) => {
            let times = our_rate(ours, CRATE_CACHE, inputs, at, plan);
            let (mut encoder, mut ids) = (Encoder::new(ours, CRATE_CACHE), Vec::new());
            let nanos = latencies(bed, inputs, |input| {
                ids.clear();
                encoder.encode(input, &mut ids);
                black_box(&ids);
            });
            (times, nanos)
        }
        _ => {
            let times = crate_rate(tokenizer, inputs, at, plan);
            (times, latencies(bed, inputs, |input| drop(black_box(tokenizer.encode_fast(input, false)))))
        }
    };
    let mark = |figure: Figure| match side {
        Side::Crate => figure,
        Side::Ours => figure.verified(is_same),
    };
    Some(Length {
        side,
        length,
        megabytes: mark(times.figure(case(side, what), with(), "MB/s", megabytes(bytes))?),
        p50: mark(quantile(side, length, &nanos, 0.5)?),
        p99: mark(quantile(side, length, &nanos, 0.99)?),
    })
}

/// Inputs of a length: enough text, but at least 16 where it has them.
fn inputs(text: &str, length: usize) -> Vec<&str> {
    let most = ENOUGH_BYTES.max(16 * length);
    let mut bytes = 0;
    let mut inputs = pieces(text, length);
    inputs.retain(|input| {
        let is_wanted = bytes < most;
        bytes += input.len();
        is_wanted
    });
    // The last one is a rest; where there are others it is left out.
    if inputs.len() > 1 && inputs.last().is_some_and(|last| last.len() < length / 2) {
        inputs.pop();
    }
    inputs
}

/// Whether our ids of all inputs are those of the reference.
fn is_same(bed: &Bed<'_>, inputs: &[&str]) -> bool {
    let Some(ours) = bed.ours else { return false };
    let (mut encoder, mut ids) = (Encoder::new(ours, CRATE_CACHE), Vec::new());
    inputs.iter().all(|input| {
        ids.clear();
        encoder.encode(input, &mut ids);
        bed.reference.encode(input).is_ok_and(|expected| ids == expected.get_ids())
    })
}

/// How long each input took, in passes over all of them until there are enough.
fn latencies(bed: &Bed<'_>, inputs: &[&str], mut encode: impl FnMut(&str)) -> Vec<u64> {
    let mut nanos = Vec::new();
    let begin = Instant::now();
    // The cache is filled as it is for the rate.
    inputs.iter().for_each(|input| encode(input));
    'passes: loop {
        for input in inputs {
            let start = Instant::now();
            encode(input);
            nanos.push(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
            if nanos.len() >= MOST_INPUTS {
                break 'passes;
            }
        }
        let is_enough = nanos.len() >= ENOUGH_INPUTS || begin.elapsed() >= 2 * bed.choice.plan.time;
        if is_enough || inputs.is_empty() || bed.is_stopped() {
            break;
        }
    }
    nanos.sort_unstable();
    nanos
}

/// A quantile of sorted times, with the interval of 95 % that their order gives.
fn quantile(side: Side, length: usize, sorted: &[u64], part: f64) -> Option<Figure> {
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    let at = |rank: f64| sorted[(rank.max(1.0) as usize).min(n) - 1] as f64;
    let rank = (part * n as f64).ceil();
    // The rank of the true quantile is binomial; 1.96 of its standard deviations hold 95 %.
    let spread = 1.96 * (n as f64 * part * (1.0 - part)).sqrt();
    let quantile = if part == 0.5 { "p50" } else { "p99" };
    Some(Figure {
        case: case(side, "latency"),
        params: params([("length", json!(length)), ("quantile", quantile.into())]),
        unit: "ns".to_owned(),
        median: at(rank),
        low: at((rank - spread).floor()),
        high: at((rank + spread).ceil()),
        n: n as u64,
        verified: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_by_rank_and_lie_in_their_interval() {
        let sorted: Vec<u64> = (1..=1_000).collect();
        let p50 = quantile(Side::Ours, 64, &sorted, 0.5).unwrap();
        let p99 = quantile(Side::Ours, 64, &sorted, 0.99).unwrap();
        assert_eq!((p50.median, p50.low, p50.high), (500.0, 469.0, 531.0));
        assert_eq!((p99.median, p99.low, p99.high), (990.0, 983.0, 997.0));
        let few = quantile(Side::Ours, 64, &[5, 7], 0.99).unwrap();
        assert_eq!((few.median, few.low, few.high, few.n), (7.0, 5.0, 7.0, 2));
        assert!(quantile(Side::Ours, 64, &[], 0.5).is_none());
    }

    #[test]
    fn inputs_have_the_length_asked_for() {
        let text = "word ".repeat(100_000);
        assert_eq!(inputs(&text, 50).iter().map(|input| input.len()).max(), Some(49));
        assert!(inputs(&text, 50).iter().map(|input| input.len()).sum::<usize>() < ENOUGH_BYTES + 50);
        assert_eq!(inputs("short", 50), ["short"]);
    }
}
