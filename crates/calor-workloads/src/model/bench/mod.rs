//! What `calor bench model` runs: inferences of one or several models, and what they tell of latency, throughput, memory
//! and the machine's roofs.

mod advice;
mod choice;
mod measured;
mod pages;
mod roof;
mod rounds;

pub use choice::{Choice, INFERENCES, MOST_INFERENCES, Place, Size};
pub use measured::Measured;
pub use roof::{Roof, RoofTier};

use calor_report::bench::Bench;
use candle_core::Device;

use super::{Class, Model, Request, Sampling, Session};
use crate::{Error, Random, Watch};

/// Runs the chosen models, the same inferences in every run with one seed.
///
/// # Errors
/// When the choice is refused, weights cannot be read, or nothing was measured when somebody asked for the end.
pub fn run(choice: &Choice, watch: &dyn Watch) -> Result<Bench, Error> {
    choice.check()?;
    let measured = rounds::measure(choice, watch)?;
    if measured.is_empty() {
        return Err(Error::Stopped);
    }
    let is_whole = measured.len() == choice.sizes.len()
        && measured.iter().all(|model| model.answers.len() == choice.inferences as usize);
    let mut bench = pages::bench(choice, &measured);
    if !is_whole {
        bench.warn(
            "incomplete",
            "the run was ended early: what is told is of the inferences that were done by then",
        );
    }
    Ok(bench)
}

/// What a model of these sizes is asked for, one inference after the other.
///
/// # Errors
/// When that does not fit its context.
pub fn requests(choice: &Choice, config: &super::Config) -> Result<Vec<Request>, Error> {
    let (prompt, tokens) = choice.lengths(config)?;
    let random = &mut Random::new(choice.seed);
    let vocabulary = config.vocabulary as u32;
    let request = |_| Request {
        prompt: (0..prompt).map(|_| random.below(vocabulary)).collect(),
        tokens,
        sampling: Sampling::Temperature(1.0),
        seed: random.bits(),
    };
    Ok((0..choice.inferences).map(request).collect())
}

/// Scores that differ by less are the same: sums of floats in another order differ by some millionths, products of matrices with
/// fewer bits (TF32) by 8e-4.
const TOLERANCE: f32 = 1e-4;

/// Whether the scores for a prompt and one more token are right: our operations are held against those of candle, and what
/// another device computes in those of candle against ours on the processor.
fn is_right(model: &Model, request: &Request, session: &mut Session) -> Result<bool, Error> {
    let check = Model::new("check", *model.config(), model.weights().clone())?.on_device(&Device::Cpu)?;
    let check = if model.device().is_cpu() { check.in_plain_operations() } else { check };
    let mut other = check.session()?;
    session.clear();
    let (last, first) = request.prompt.split_last().ok_or(Error::EmptyPrompt)?;
    for tokens in [first, &[*last][..]].into_iter().filter(|tokens| !tokens.is_empty()) {
        model.forward(tokens, session)?;
        check.forward(tokens, &mut other)?;
    }
    let (ours, theirs) = (model.logits(session)?, check.logits(&mut other)?);
    Ok(ours.iter().zip(theirs).all(|(a, b)| (*a - *b).abs() <= TOLERANCE * b.abs().max(1.0)))
}

/// What the loops of one thread are compiled for.
fn vector_class() -> &'static str {
    Class::widest().name()
}

#[cfg(test)]
mod tests {
    use super::super::Preset;
    use super::*;
    use crate::Unwatched;

    fn choice() -> Choice {
        Choice {
            sizes: vec![Size::Preset(Preset::Small)],
            inferences: 2,
            tokens: Some(4),
            ..Choice::default()
        }
    }

    #[test]
    fn a_run_tells_latency_throughput_memory_and_that_scores_are_right() {
        let bench = run(&choice(), &Unwatched).expect("it fits");
        let cases: Vec<&str> = bench.figures.iter().map(|figure| figure.case.as_str()).collect();
        for case in ["ttft", "itl p50", "itl p95", "itl p99", "prefill", "decode", "kv cache", "weights"] {
            assert!(cases.contains(&case), "{case} is not among {cases:?}");
        }
        assert!(bench.figures.iter().all(|figure| figure.verified != Some(false)));
        assert!(bench.figures.iter().all(|figure| figure.params["model"] == "small"));
        let decode = bench.figures.iter().find(|figure| figure.case == "decode").expect("it was measured");
        assert!(decode.verified == Some(true) && decode.n == 2 && decode.median > 0.0);
        // Nothing was measured of the machine, and that is said instead of 0.
        assert!(!cases.contains(&"bandwidth roof"));
        assert!(bench.warnings.iter().any(|warning| warning.code == "no_roof"));
    }

    #[test]
    fn roofs_are_told_where_the_machine_is_known() {
        let roof = Roof {
            flops_per_s: Some(1e11),
            tiers: vec![RoofTier { name: "DRAM".to_owned(), bytes: None, bytes_per_s: Some(1e10) }],
        };
        let bench = run(&Choice { roof: Some(roof), ..choice() }, &Unwatched).expect("it fits");
        for case in ["bandwidth roof", "compute roof"] {
            let figure = bench.figures.iter().find(|figure| figure.case == case).expect("it is known");
            assert!(figure.median > 0.0 && figure.unit == "%", "{figure:?}");
        }
    }

    struct Impatient;

    impl Watch for Impatient {
        fn at(&self, _: usize, _: usize, _: &str) {}

        fn is_stopped(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_run_that_is_ended_before_the_first_inference_tells_nothing() {
        assert!(matches!(run(&choice(), &Impatient), Err(Error::Stopped)));
    }
}
