//! Part `tokenizer`: throughput as `calor bench tokenizer` tells it, beside the bare library's loop on the same tokeniser and the
//! same documents, in turns, by CPU time of the thread. Recording is on where it is told, as in the command, and off for the bare
//! loop.

use std::hint::black_box;
use std::time::Duration;

use calor_report::bench::{Figure, Params};
use calor_workloads::clock::thread_nanos;
use calor_workloads::repeat::{Plan, site};
use calor_workloads::tokenizer::{
    CRATE_CACHE, Reference, Source, Vocabulary, crate_rate, documents, our_rate,
};
use harness::{Arguments, Bound, Goal, Table, median_of_sorted};

use crate::part::{Part, Told, nobody};

pub(crate) const PART: Part =
    Part { name: "tokenizer", about: "throughput as told beside the bare library", measure, be: nobody };

/// Turns of each side, each a pass over the documents after one that warms up.
const ROUNDS: usize = 81;
const QUICK_ROUNDS: usize = 21;
/// What the vocabulary is trained on, and what is encoded: some hundredths of a second, so that both sides see the same machine.
const TRAINING: usize = 512 << 10;
const BYTES: usize = 96 << 10;

fn measure(arguments: &Arguments) -> Result<Told, String> {
    let (training, tokens) = if arguments.is_quick { (TRAINING / 4, 2_048) } else { (TRAINING, 8_192) };
    let source = Source::new(2025);
    let reference =
        Reference::trained(&source.text(1, training), tokens).map_err(|error| error.to_string())?;
    let tokenizer = reference.tokenizer();
    let vocabulary = Vocabulary::of(tokenizer)?;
    let text = source.text(2, BYTES);
    let documents = documents(&text);
    check(&reference, &vocabulary, &documents)?;
    let plan = Plan { least: 1, most: 1, time: Duration::ZERO };
    let crate_site = site("tokenizer", "tokenizers encode_fast", &[], None);
    let our_site = site("tokenizer", "calor encode", &[], None);
    let as_told = || {
        calor::enable();
        median(crate_rate(tokenizer, &documents, crate_site, &plan).cpu_ns)
    };
    let as_is = || {
        calor::disable();
        let pass =
            || documents.iter().for_each(|document| drop(black_box(tokenizer.encode_fast(*document, false))));
        pass();
        median(vec![timed(pass)])
    };
    let (mut told, mut bare, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..arguments.rounds.unwrap_or(if arguments.is_quick { QUICK_ROUNDS } else { ROUNDS }) {
        // Whoever is second may find the machine as the first left it, so they change places.
        let (one, other) = if round % 2 == 0 {
            let one = as_told();
            (one, as_is())
        } else {
            let other = as_is();
            (as_told(), other)
        };
        told.push(one);
        bare.push(other);
        ratios.push(100.0 * (1.0 - other / one));
        calor::enable();
        ours.push(median(our_rate(&vocabulary, CRATE_CACHE, &documents, our_site, &plan).cpu_ns));
    }
    calor::disable();
    let below = Figure::of("below", Params::new(), "%", &ratios).ok_or("no round was measured")?;
    let rate = |nanos: Vec<f64>| text.len() as f64 * 1e3 / middle(nanos);
    let mut table = Table::new(["MB/s"]);
    let (bare, told, ours) = (rate(bare), rate(told), rate(ours));
    table.row("tokenizers, bare loop", [Some(format!("{bare:.2}"))]);
    table.row("tokenizers, as told", [Some(format!("{told:.2}"))]);
    table.row("calor's own BPE, as told", [Some(format!("{ours:.2}"))]);
    let page = format!(
        "{} bytes of generated text in {} documents, {} tokens in the vocabulary, words in the cache: {CRATE_CACHE}; CPU time, \
         medians of rounds; ids of both are the same. \
         As told, throughput is {:.1} % below the bare loop (95 % interval {:.1} to {:.1} %, {} turns).\n\n{table}",
        text.len(),
        documents.len(),
        reference.n_tokens(),
        below.median,
        below.low,
        below.high,
        below.n
    );
    let goals = vec![Goal {
        case: "tokenizer",
        what: "throughput as told, below the bare library's loop".to_owned(),
        unit: "%",
        bound: Bound::AtMost(2.0),
        measured: Ok(below.median),
    }];
    Ok(Told { page, goals })
}

/// Figures of other ids would be worth nothing.
fn check(reference: &Reference, vocabulary: &Vocabulary, documents: &[&str]) -> Result<(), String> {
    let mut encoder = calor_workloads::tokenizer::Encoder::new(vocabulary, CRATE_CACHE);
    for document in documents {
        let mut ids = Vec::new();
        encoder.encode(document, &mut ids);
        if reference.encode(document).map_err(|error| error.to_string())?.get_ids() != ids {
            return Err("ids of calor's BPE are not those of the crate".to_owned());
        }
    }
    Ok(())
}

fn timed(pass: impl Fn()) -> u64 {
    let begin = thread_nanos();
    pass();
    thread_nanos() - begin
}

fn median(nanos: Vec<u64>) -> f64 {
    middle(nanos.into_iter().map(|nanos| nanos as f64).collect())
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    median_of_sorted(&values)
}
