//! What was measured becomes what is told: facts, figures, tables, charts.

mod charts;
mod tables;

use calor_analysis::quantity::{bytes, count};
use calor_report::bench::{Bench, Figure};
use serde_json::json;

use super::DOCUMENT;
use super::bed::{Bed, case, params};
use super::choice::cores;
use super::measure::{Counted, Measured};

/// All but the advice. `left_out` is why ours is not among the implementations.
pub(super) fn bench(bed: &Bed<'_>, measured: &Measured, left_out: Option<&String>) -> Bench {
    let mut bench = Bench::new("tokenizer", "Tokenizers");
    facts(bed, &mut bench, left_out);
    bench.figures = figures(bed, measured);
    bench.tables = tables::tables(measured);
    bench.charts = charts::charts(measured);
    warnings(bed, &mut bench, left_out);
    bench
}

fn facts(bed: &Bed<'_>, bench: &mut Bench, left_out: Option<&String>) {
    let Bed { reference, choice, .. } = bed;
    let n_tokens = count(reference.n_tokens() as u64);
    bench.fact(
        "tokenizer",
        format!("{} with {n_tokens} tokens, {}", reference.model_name(), reference.origin),
    );
    let from = match &choice.text {
        Some(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        None => format!("generated, seed {}", choice.seed),
    };
    let n = count(bed.documents.len() as u64);
    let most = bytes(DOCUMENT as u64);
    bench.fact("text", format!("{} in {n} documents of up to {most}, {from}", bytes(bed.text.len() as u64)));
    bench.fact("tokens", format!("{}, {:.2} bytes each", count(bed.n_tokens as u64), bytes_per_token(bed)));
    bench.fact("cores", cores().to_string());
    let ours = match (left_out, bed.difference, bed.ours) {
        (Some(reason), _, _) => format!("left out: {reason}"),
        (None, Some(_), _) => "ids differ from the reference's".to_owned(),
        (None, None, Some(ours)) if ours.is_scanned() => {
            "the same ids; words are cut without a regular expression".to_owned()
        }
        _ => "the same ids; words are cut by the regular expression of the model".to_owned(),
    };
    bench.fact("calor's own BPE", ours);
}

fn warnings(bed: &Bed<'_>, bench: &mut Bench, left_out: Option<&String>) {
    if let Some(reason) = left_out {
        bench.warn("own_bpe_left_out", format!("calor's own BPE was not measured: {reason}"));
    }
    if let Some(document) = bed.difference {
        let begin: String = document.chars().take(40).collect();
        bench.warn(
            "ids_differ",
            format!("calor's own BPE gives other ids than the crate for the document {begin:?}"),
        );
    }
    for what in &bed.reference.switched_off {
        bench.warn(
            "switched_off",
            format!("the tokenizer's {what} was switched off, so that whole texts are measured"),
        );
    }
    if !tokenizers::parallelism::get_parallelism() {
        let message =
            "TOKENIZERS_PARALLELISM is off: the crate encodes batches with one thread, whatever it is given";
        bench.warn("no_parallelism", message);
    }
    if bed.is_stopped() {
        bench.warn("incomplete", "interrupted: only what was measured by then is told");
    }
}

/// How much of the text a token stands for.
pub(super) fn bytes_per_token(bed: &Bed<'_>) -> f64 {
    bed.text.len() as f64 / bed.n_tokens.max(1) as f64
}

fn figures(bed: &Bed<'_>, measured: &Measured) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    figures.extend(measured.rates.iter().flat_map(|rate| [rate.megabytes.clone(), rate.tokens.clone()]));
    figures.extend(once("vocabulary", &[], "bytes/token", bytes_per_token(bed)));
    figures.extend(measured.stages.iter().map(|stage| stage.cost.clone()));
    figures.extend(measured.counts.iter().flat_map(|counted| {
        let pass = if counted.is_first { "first" } else { "again" };
        told(counted).into_iter().filter_map(move |(name, value)| {
            let labels = [("pass", json!(pass)), ("count", json!(name))];
            once(&case(counted.side, "counts"), &labels, "count", value? as f64)
        })
    }));
    figures.extend(
        measured.lengths.iter().flat_map(|at| [at.megabytes.clone(), at.p50.clone(), at.p99.clone()]),
    );
    figures.extend(
        measured
            .batches
            .iter()
            .chain(&measured.threads)
            .flat_map(|at| [at.megabytes.clone(), at.speed_up.clone(), at.busy.clone()]),
    );
    figures.extend(measured.caches.iter().flat_map(|at| {
        let labels = [("words", json!(at.words))];
        let name = case(at.side, "cache");
        let hits = at.counted.hit_rate().and_then(|rate| once(&name, &labels, "hit rate", rate));
        let evictions = once(&name, &labels, "evictions", at.counted.evictions as f64);
        [Some(at.megabytes.clone()), hits, evictions].into_iter().flatten()
    }));
    figures
}

/// What was counted, by name; what is not known is none.
fn told(counted: &Counted) -> [(&'static str, Option<u64>); 8] {
    [
        ("words", Some(counted.words)),
        ("tokens", Some(counted.tokens)),
        ("cache hits", Some(counted.hits)),
        ("cache misses", Some(counted.misses)),
        ("cache evictions", Some(counted.evictions)),
        ("vocabulary lookups", Some(counted.lookups)),
        ("pair lookups", counted.pair_lookups),
        ("merges", Some(counted.merges)),
    ]
}

/// A figure that is the same each time.
fn once(name: &str, labels: &[(&str, serde_json::Value)], unit: &str, value: f64) -> Option<Figure> {
    let mut with = params([]);
    with.extend(labels.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    Figure::of(name, with, unit, &[value])
}
