//! Part `model`: decoding beside candle's own way on the same weights. Both write the same tokens in turns, greedily, on one
//! thread, in a process of their own that tells candle so; what counts is the ratio of CPU time within each round.

mod example;

use std::fmt::Write as _;

use calor_workloads::model::{Model, Preset, Request, Sampling, Session, generate};
use harness::clock::process_cpu_nanos;
use harness::{Arguments, Bound, Goal};

use crate::part::{Part, Told, lines, pair, process, quartiles};
use example::Example;

pub(crate) const PART: Part =
    Part { name: "model", about: "decoding beside candle's own way on the same weights", measure, be };

const SEED: u64 = 2025;
const PROMPT: [u32; 14] = [3, 141, 59, 265, 35, 89, 79, 323, 84, 62, 64, 338, 32, 7];
const TOKENS: usize = 50;

/// What writing tokens took after the first.
struct Decoded {
    tokens: Vec<u32>,
    cpu_nanos: u64,
}

fn measure(arguments: &Arguments) -> Result<Told, String> {
    let rounds = arguments.rounds.unwrap_or(if arguments.is_quick { 5 } else { 41 });
    let mut told = Told::default();
    told.page += "Decoding of 49 tokens after a prompt of 14, CPU time of all threads.\n\n";
    told.page +=
        "| model | ours, µs a token | candle's way, µs a token | ratio, middle half | same tokens |\n";
    told.page += "|---|---:|---:|---:|---|\n";
    for preset in Preset::BOTH {
        let mut command = process(&PART, preset.name(), rounds)?;
        let found = lines(command.env("RAYON_NUM_THREADS", "1"), pair)?;
        let ratios: Vec<f64> = found.iter().map(|[ours, theirs]| theirs / ours).collect();
        let [low, middle, high] = quartiles(&ratios);
        let [ours, theirs] =
            [0, 1].map(|at| quartiles(&found.iter().map(|pair| pair[at]).collect::<Vec<f64>>())[1]);
        let _ = writeln!(
            told.page,
            "| {} | {ours:.1} | {theirs:.1} | {middle:.2} ({low:.2} to {high:.2}) | yes |",
            preset.name(),
        );
        if preset == Preset::Medium {
            told.goals.push(Goal {
                case: "model",
                what: "decoding of the medium model beside candle's own way, by CPU time".to_owned(),
                unit: "times as fast",
                bound: Bound::AtLeast(1.0),
                measured: Ok(middle),
            });
        }
    }
    for preset in Preset::BOTH {
        told.goals.push(held(preset)?);
    }
    Ok(told)
}

/// What the allocator held at most for a token beyond what was there before it: where that is less than the smallest matrix, no
/// block was as large as one.
fn held(preset: Preset) -> Result<Goal, String> {
    let model = Model::of_preset(preset, SEED).map_err(|error| error.to_string())?;
    let smallest = 4 * model.config().width * model.config().width;
    let request = Request { prompt: PROMPT.to_vec(), tokens: TOKENS, sampling: Sampling::Greedy, seed: SEED };
    let mut session = model.session().map_err(|error| error.to_string())?;
    calor::reset();
    calor::enable();
    let answer = generate(&model, &request, &mut session, || ());
    calor::disable();
    answer.map_err(|error| error.to_string())?;
    let profile = calor::snapshot();
    let mut decode = profile.scopes.iter().filter(|(key, _)| profile.stack_name(key.stack) == "decode");
    let memory = decode.next().and_then(|(_, stats)| stats.memory.as_ref());
    Ok(Goal {
        case: "model",
        what: format!(
            "the most that writing a token of the {} model held at a time; its smallest matrix has {smallest} bytes",
            preset.name()
        ),
        unit: "bytes",
        bound: Bound::AtMost((smallest - 1) as f64),
        measured: memory
            .map(|memory| memory.peak_bytes as f64)
            .ok_or_else(|| "no allocator counted".to_owned()),
    })
}

/// Is that process: a line for each round.
fn be(what: &str, arguments: &Arguments) -> Result<(), String> {
    let preset = Preset::of_name(what).ok_or("there is no such model")?;
    let rounds = arguments.rounds.unwrap_or(1);
    for (ours, theirs) in side_by_side(preset, rounds).map_err(|error| error.to_string())? {
        println!("{ours} {theirs}");
    }
    Ok(())
}

/// Microseconds a token of ours and of theirs, for each round.
fn side_by_side(preset: Preset, rounds: usize) -> Result<Vec<(f64, f64)>, Box<dyn std::error::Error>> {
    let model = Model::of_preset(preset, SEED)?;
    let mut session = model.session()?;
    let mut example = Example::new(model.config(), model.weights());
    let micros = |decoded: &Decoded| decoded.cpu_nanos as f64 / 1e3 / (TOKENS - 1) as f64;
    let mut found = Vec::new();
    // The first round warms up.
    for round in 0..=rounds {
        let (a, b) = if round % 2 == 0 {
            let a = ours(&model, &mut session)?;
            (a, theirs(&mut example)?)
        } else {
            let b = theirs(&mut example)?;
            (ours(&model, &mut session)?, b)
        };
        if a.tokens != b.tokens {
            return Err(
                format!("the {} model does not write the same tokens in both ways", preset.name()).into()
            );
        }
        if round > 0 {
            found.push((micros(&a), micros(&b)));
        }
    }
    Ok(found)
}

fn ours(model: &Model, session: &mut Session) -> Result<Decoded, calor_workloads::Error> {
    session.clear();
    decoded(|tokens| {
        model.forward(tokens, session)?;
        Ok(likeliest(model.logits(session)?))
    })
}

fn theirs(example: &mut Example) -> Result<Decoded, candle_core::Error> {
    example.clear();
    decoded(|tokens| Ok(likeliest(&example.forward(tokens)?)))
}

fn decoded<E>(mut next: impl FnMut(&[u32]) -> Result<u32, E>) -> Result<Decoded, E> {
    let mut tokens = vec![next(&PROMPT)?];
    let begin = process_cpu_nanos();
    while tokens.len() < TOKENS {
        let newest = tokens[tokens.len() - 1];
        tokens.push(next(&[newest])?);
    }
    Ok(Decoded { tokens, cpu_nanos: process_cpu_nanos() - begin })
}

fn likeliest(scores: &[f32]) -> u32 {
    let best = scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(0, |(token, _)| token as u32)
}
