//! Models of profiles that are made by hand.

use calor_analysis::CPU_NANOS;
use calor_analysis::workload::{ModelRun, PROMPT_TOKENS, models};
use calor_model::{Frame, FrameKind, LabelSetId, Profile, ScopeKey, ScopeStats, StackId};

use super::*;
use crate::bench::{BenchFormat, BenchOptions, render};

/// Adds calls of a scope, each of so many nanoseconds.
fn add(profile: &mut Profile, stack: StackId, labels: LabelSetId, calls: u64, nanos: u64, flops: u64) {
    let mut stats = ScopeStats { calls, ..ScopeStats::default() };
    (0..calls).for_each(|_| stats.timed.record(nanos));
    stats.total_nanos = calls * nanos;
    stats.work.flops = flops;
    let thread = profile.intern_thread(1, 1, "main");
    profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
}

/// Two inferences of five tokens with a model.
fn add_model(profile: &mut Profile, name: &str, parameters: u64, token_nanos: u64) {
    let pairs =
        [("model", name.to_owned()), ("parameters", parameters.to_string()), ("width", "8".to_owned())];
    let pairs = pairs.map(|(key, value)| (profile.strings.intern(key), profile.strings.intern(&value)));
    let labels = profile.labels.intern(&pairs);
    let none = calor_model::LabelTable::none();
    let below = |profile: &mut Profile, parent: Option<StackId>, name: &str| {
        let name = profile.strings.intern(name);
        let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
        profile.stacks.intern(parent, frame)
    };
    let top = below(profile, None, &format!("{name} model"));
    add(profile, top, labels, 2, 10 * token_nanos, 0);
    let key = ScopeKey { stack: top, thread: profile.intern_thread(1, 1, "main"), labels };
    profile.scopes.row_mut(key).work.elements = 10;
    for (phase, calls, nanos) in [("prefill", 2, 4 * token_nanos), ("decode", 8, token_nanos)] {
        let phase = below(profile, Some(top), phase);
        add(profile, phase, none, calls, nanos, 0);
        let layer = below(profile, Some(phase), "layer");
        add(profile, layer, none, calls, nanos * 3 / 4, 0);
        let matmul = below(profile, Some(layer), "qkv");
        add(profile, matmul, none, calls, nanos / 2, 1000);
    }
}

const GROWTH: &str = "Scaling by operation, small to large";

fn two(time_ratio: u64) -> Profile {
    let mut profile = Profile::default();
    add_model(&mut profile, "large", 4_000, 100_000 * time_ratio);
    add_model(&mut profile, "small", 1_000, 100_000);
    profile
}

#[test]
fn models_are_found_by_their_labels_smallest_first_with_phases_and_own_times() {
    let found = models(&two(4));
    assert_eq!(found.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), ["small", "large"]);
    let small = &found[0];
    assert_eq!((small.size("parameters"), small.size("width")), (Some(1_000), Some(8)));
    assert_eq!((small.inferences, small.tokens, small.total_ns), (2, 10, 2_000_000));
    let decode = small.decode.as_ref().unwrap();
    assert_eq!((decode.calls, decode.flops), (8, 1000));
    assert!((decode.p50_ns.unwrap() / 100_000.0 - 1.0).abs() < 0.05, "{decode:?}");
    let own: Vec<(&str, u64)> = small.operations.iter().map(|row| (row.name.as_str(), row.own_ns)).collect();
    // Half of both phases; the rest is between operations.
    assert_eq!(own, [("(between operations)", 1_200_000), ("qkv", 800_000)]);
}

#[test]
fn scaling_is_judged_by_times_against_parameters() {
    for (time_ratio, title) in [
        (2, "Time grows less than parameters."),
        (4, "Time grows as parameters do."),
        (8, "Time grows more than parameters."),
    ] {
        let page = models_page(&models(&two(time_ratio)));
        assert_eq!(page.advice.len(), 1);
        assert_eq!(page.advice[0].title, title, "{:?}", page.advice[0]);
        assert!(page.advice[0].text.contains("4.00x the parameters"), "{:?}", page.advice[0]);
        let titles: Vec<&str> = page.tables.iter().map(|table| table.title.as_str()).collect();
        let expected =
            ["Specifications", "Metrics side by side", "Scaling", "Forward pass breakdown", GROWTH];
        assert_eq!(titles, expected);
        // As many operations for a token in both, and the time that the model takes.
        let growth = page.tables.last().unwrap();
        let qkv = growth.rows.iter().find(|row| row[0] == "qkv").unwrap();
        let [time, efficiency] = [format!("{time_ratio}.00x"), format!("{:.1} %", 100.0 / time_ratio as f64)];
        assert_eq!(qkv[1..], ["1.00x".to_owned(), time, efficiency]);
    }
}

#[test]
fn inferences_that_differ_by_more_than_the_verdict_leave_it_open() {
    let mut found = models(&two(8));
    found[1].spread = Some([0.4, 1.3]);
    let page = models_page(&found);
    assert_eq!(page.advice[0].title, "Whether time grows as parameters do cannot be told.");
    let efficiency = &page.tables[2].rows[0][3];
    assert!(efficiency.starts_with("50.0 % (") && efficiency.contains(" to 125.0 %"), "{efficiency}");
    // Nor is one inference enough.
    found[1].spread = None;
    assert!(models_page(&found).advice[0].title.contains("cannot be told"));
}

#[test]
fn json_tells_the_models_and_they_are_read_again() {
    let found = models(&two(4));
    let mut page = Vec::new();
    let options = BenchOptions { format: BenchFormat::Json, width: 80, color: false };
    render(&models_page(&found), None, &options, &mut page).unwrap();
    let page: serde_json::Value = serde_json::from_slice(&page).unwrap();
    let again: Vec<calor_wire::bench::Model> = serde_json::from_value(page["models"].clone()).unwrap();
    assert_eq!(again.into_iter().map(ModelRun::from).collect::<Vec<_>>(), found);
    assert!(
        page["results"].as_array().unwrap().iter().any(|row| row["case"] == "scaling efficiency"),
        "{page}"
    );
}

#[test]
fn one_model_has_a_breakdown_alone_and_none_nothing() {
    let mut profile = Profile::default();
    add_model(&mut profile, "small", 1_000, 100_000);
    let page = models_page(&models(&profile));
    assert_eq!((page.tables.len(), page.advice.len()), (1, 0));
    assert!(models(&Profile::default()).is_empty());
}

#[test]
fn percentiles_that_a_page_had_no_room_for_are_told_beside_the_dash() {
    let mut found = models(&two(4));
    let note = |found: &[ModelRun]| models_page(found).tables[1].note.clone().unwrap_or_default();
    assert!(!note(&found).contains("no room for the percentiles"), "{}", note(&found));
    found[0].prefill.as_mut().expect("prompts were read").p50_ns = None;
    assert!(note(&found).ends_with("give the profile itself."), "{}", note(&found));
}

#[test]
fn prompts_and_cpu_time_are_known_where_inferences_counted_them() {
    let mut profile = two(4);
    assert!(models(&profile).iter().all(|model| (model.prompt_tokens, model.lost()) == (None, None)));
    count(&mut profile, "small", 32, 1_500_000);
    let found = models(&profile);
    assert_eq!(
        (found[0].prompt_tokens, found[0].cpu_ns, found[0].lost()),
        (Some(32), Some(1_500_000), Some(0.25))
    );
    assert_eq!(found[1].cpu_ns, None);
}

#[test]
fn models_that_others_disturbed_are_told() {
    for (cpu_nanos, is_told) in [(2_000_000, false), (1_620_000, false), (1_500_000, true)] {
        let mut profile = two(4);
        count(&mut profile, "small", 32, cpu_nanos);
        let page = models_page(&models(&profile));
        assert_eq!(page.warnings.len(), usize::from(is_told), "{cpu_nanos}: {:?}", page.warnings);
        let message = page.warnings.first().map(|warning| warning.message.clone()).unwrap_or_default();
        assert_eq!(
            message.contains("the small model was off the processor for 25.0 %"),
            is_told,
            "{message}"
        );
    }
}

/// What the two inferences with a model counted.
fn count(profile: &mut Profile, name: &str, prompt_tokens: i64, cpu_nanos: i64) {
    let counters = [(PROMPT_TOKENS, prompt_tokens), (CPU_NANOS, cpu_nanos)];
    let counters = counters.map(|(counter, sum)| (profile.strings.intern(counter), sum));
    let top = format!("{name} model");
    let is_top = |profile: &Profile, key: &ScopeKey| profile.stack_name(key.stack) == top;
    let key =
        profile.scopes.iter().map(|(key, _)| key).find(|key| is_top(profile, key)).expect("it is there");
    let row = profile.scopes.row_mut(key);
    counters.into_iter().for_each(|(counter, sum)| row.work.add_counter(counter, sum));
}
