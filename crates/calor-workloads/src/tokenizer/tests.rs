//! The engine as a whole, on little text.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use super::*;
use crate::Unwatched;
use crate::repeat::Plan;

fn small() -> Choice {
    Choice {
        lengths: vec![64, 512],
        batches: vec![1, 8],
        threads: vec![1],
        caches: vec![0, 50, CRATE_CACHE],
        plan: Plan { least: 1, most: 1, time: Duration::ZERO },
        bytes: 12_000,
        training_bytes: 30_000,
        vocabulary: 700,
        ..Choice::new(true, 11)
    }
}

fn value(bench: &Bench, case: &str, unit: &str, of: &[(&str, &str)]) -> f64 {
    let figure = bench.figures.iter().find(|figure| {
        figure.case == case
            && figure.unit == unit
            && of.iter().all(|(key, value)| {
                figure.params.get(*key).is_some_and(|found| found.to_string().trim_matches('"') == *value)
            })
    });
    figure.unwrap_or_else(|| panic!("no {case} in {unit} with {of:?}")).median
}

#[test]
fn a_run_tells_rates_stages_counts_lengths_batches_threads_and_caches_of_both() {
    let bench = run(&small(), &Unwatched).expect("it runs");
    assert!(bench.warnings.is_empty(), "{:?}", bench.warnings);
    for side in ["tokenizers", "calor"] {
        assert!(value(&bench, &format!("{side} encode"), "MB/s", &[]) > 0.0);
        assert!(value(&bench, &format!("{side} encode"), "tokens/s", &[]) > 0.0);
        assert!(value(&bench, &format!("{side} stage"), "ns/byte", &[("stage", "pre-tokenise")]) > 0.0);
        assert!(
            value(&bench, &format!("{side} latency"), "ns", &[("length", "64"), ("quantile", "p99")]) > 0.0
        );
        assert!(value(&bench, &format!("{side} batch"), "MB/s", &[("batch", "8")]) > 0.0);
        assert!(value(&bench, &format!("{side} threads"), "MB/s", &[("threads", "1")]) > 0.0);
        assert!(value(&bench, &format!("{side} cache"), "MB/s", &[("words", "50")]) > 0.0);
    }
    let ours =
        bench.figures.iter().filter(|figure| figure.case.starts_with("calor ") && figure.unit == "MB/s");
    assert!(ours.into_iter().all(|figure| figure.verified == Some(true)));
    assert_eq!(bench.tables.len(), 7);
    assert_eq!(bench.charts.len(), 2, "one thread is no line");
    for table in &bench.tables {
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.title);
    }
}

#[test]
fn what_the_crate_did_follows_from_its_words_and_ours_counts_the_same_work() {
    let bench = run(&small(), &Unwatched).expect("it runs");
    let count = |side: &str, pass: &str, what: &str| {
        value(&bench, &format!("{side} counts"), "count", &[("pass", pass), ("count", what)])
    };
    for what in ["words", "tokens", "merges"] {
        assert_eq!(count("tokenizers", "first", what), count("calor", "first", what), "{what}");
    }
    assert_eq!(
        count("tokenizers", "first", "cache hits") + count("tokenizers", "first", "cache misses"),
        count("calor", "first", "words")
    );
    // Few words and much room: the second time all are known.
    for side in ["tokenizers", "calor"] {
        assert_eq!(count(side, "again", "cache misses"), 0.0);
        assert_eq!(count(side, "first", "cache evictions"), 0.0);
    }
    let hits = |words| value(&bench, "calor cache", "hit rate", &[("words", words)]);
    assert!(hits("50") < hits("10000"));
    assert!(value(&bench, "calor cache", "evictions", &[("words", "50")]) > 0.0);
    let per_token = value(&bench, "vocabulary", "bytes/token", &[]);
    assert!((1.0..6.0).contains(&per_token), "{per_token}");
}

/// Asks for the end after some steps.
struct Impatient(AtomicUsize);

impl Watch for Impatient {
    fn at(&self, _: usize, _: usize, _: &str) {
        self.0.fetch_sub(usize::from(self.0.load(Relaxed) > 0), Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

#[test]
fn a_run_that_is_ended_early_tells_what_it_has_or_nothing() {
    let bench = run(&small(), &Impatient(AtomicUsize::new(5))).expect("something was measured");
    assert!(bench.warnings.iter().any(|warning| warning.code == "incomplete"));
    assert!(bench.tables.iter().any(|table| table.title.starts_with("Throughput")));
    assert!(bench.tables.len() < 7);
    assert!(matches!(run(&small(), &Impatient(AtomicUsize::new(1))), Err(Error::Stopped)));
}

#[test]
fn a_model_that_is_no_byte_level_bpe_is_measured_without_ours_and_says_why() {
    let model = r#"{"version": "1.0", "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": null, "added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "fn": 1}, "unk_token": "[UNK]"}}"#;
    let folder = tempfile::tempdir().expect("temporary folders can be made");
    let path = folder.path().join("tokenizer.json");
    std::fs::write(&path, model).expect("and written to");
    let bench = run(&Choice { model: Some(path.clone()), ..small() }, &Unwatched).expect("it runs");
    let codes: Vec<&str> = bench.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["own_bpe_left_out", "switched_off"]);
    assert!(bench.warnings[0].message.contains("its model is WordLevel, not BPE"));
    assert!(bench.figures.iter().all(|figure| !figure.case.starts_with("calor")));
    assert!(value(&bench, "tokenizers stage", "ns/byte", &[("stage", "model")]) > 0.0);
    let stages = bench.tables.iter().find(|table| table.title == "Where the time goes").expect("it is told");
    let note = stages.note.as_deref().unwrap_or_default();
    assert!(!["Lookup", "merges", "Calor"].iter().any(|stage| note.contains(stage)), "{note}");
    for wrong in ["", "{}", "[1]", "not json"] {
        std::fs::write(&path, wrong).expect("it can be written again");
        let error =
            run(&Choice { model: Some(path.clone()), ..small() }, &Unwatched).expect_err("it is refused");
        assert!(error.to_string().contains("expected the tokenizer.json"), "{error}");
    }
}

#[test]
fn text_from_a_file_that_the_vocabulary_was_not_made_for_is_noticed() {
    let folder = tempfile::tempdir().expect("temporary folders can be made");
    let path = folder.path().join("text");
    std::fs::write(&path, "ᚠᚢᚦᚨᚱᚲ ᛋᛏᚺ ".repeat(500)).expect("and written to");
    let choice = Choice { text: Some(path), ..small() };
    let bench = run(&choice, &Unwatched).expect("it runs");
    let advice = bench
        .advice
        .iter()
        .find(|advice| advice.title.starts_with("The vocabulary fits"))
        .expect("it does not");
    assert!(advice.evidence[1].ends_with("of all tokens are single bytes"), "{advice:?}");
    assert!(bench.facts.iter().any(|fact| fact.value.ends_with(", text")));
    assert_eq!(bench.warnings[0].code, "text_cut");
}
