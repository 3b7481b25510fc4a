//! Runs of workloads that were kept: compared like any other profile, and their models beside each other. The profiles are
//! made by hand, with the spread that repetitions have, so that nothing here hangs on how busy a machine is.

use calor_model::{Frame, FrameKind, LabelTable, Profile, ScopeKey, ScopeStats, StackId};

use super::schema_check::problems;
use super::workbench::Workbench;

/// Repetitions of a case.
const CALLS: u32 = 60;

/// Numbers from 0 to 1, the same for a seed.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

fn stack(profile: &mut Profile, parent: Option<StackId>, name: &str) -> StackId {
    let name = profile.strings.intern(name);
    let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
    profile.stacks.intern(parent, frame)
}

fn add(profile: &mut Profile, stack: StackId, labels: &[(&str, &str)], nanos: &[u64], elements: u64) {
    let pairs: Vec<_> = labels
        .iter()
        .map(|(key, value)| (profile.strings.intern(key), profile.strings.intern(value)))
        .collect();
    let labels = if pairs.is_empty() { LabelTable::none() } else { profile.labels.intern(&pairs) };
    let mut stats = ScopeStats { calls: nanos.len() as u64, ..ScopeStats::default() };
    nanos.iter().for_each(|nanos| stats.timed.record(*nanos));
    stats.total_nanos = nanos.iter().sum();
    stats.work.elements = elements;
    let thread = profile.intern_thread(1, 1, "main");
    profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
}

fn file(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    calor_formats::native::write(profile, &mut bytes).expect("a profile can be written");
    bytes
}

/// A run of four cases, whose calls differ by a few hundredths; one of them may take longer.
fn run(seed: u64, slowed: Option<(&str, f64)>) -> Vec<u8> {
    let mut state = seed;
    let mut profile = Profile::default();
    for (name, usual) in [("matmul", 4e6), ("softmax", 1e6), ("gelu", 2e6), ("layer_norm", 8e5)] {
        let factor = slowed.filter(|(slow, _)| *slow == name).map_or(1.0, |(_, factor)| factor);
        let calls: Vec<u64> =
            (0..CALLS).map(|_| (usual * factor * (1.0 + 0.04 * random(&mut state))) as u64).collect();
        let stack = stack(&mut profile, None, name);
        add(&mut profile, stack, &[("size", "512")], &calls, 0);
    }
    file(&profile)
}

#[test]
fn two_runs_of_one_build_are_not_called_changed_and_a_slowed_case_is_named_first() {
    let bench = Workbench::new();
    bench.put("a.calor", &run(1, None));
    bench.put("b.calor", &run(2, None));
    bench.put("slow.calor", &run(3, Some(("gelu", 1.2))));
    let same = bench.json(&["compare", "a.calor", "b.calor", "--format", "json"]);
    let word = same["verdict"].as_str().unwrap_or_default().to_owned();
    assert!(!["regressed", "improved"].contains(&word.as_str()), "{word}: {same}");
    let text = bench.stdout(&["compare", "a.calor", "slow.calor"]);
    let first = ["gelu", "matmul", "softmax", "layer_norm"]
        .into_iter()
        .filter_map(|name| Some((text.find(name)?, name)))
        .min();
    assert_eq!(first.map(|(_, name)| name), Some("gelu"), "{text}");
}

/// Three inferences of ten tokens with each of two models.
fn models() -> Vec<u8> {
    models_writing(10)
}

/// The same of so many tokens each.
fn models_writing(tokens: usize) -> Vec<u8> {
    let mut profile = Profile::default();
    for (name, parameters, token) in [("small", "470528", 100_000), ("medium", "3454464", 500_000)] {
        let top = stack(&mut profile, None, &format!("{name} model"));
        add(
            &mut profile,
            top,
            &[("model", name), ("parameters", parameters)],
            &[(4 + tokens as u64) * token; 3],
            3 * tokens as u64,
        );
        for (phase, nanos, calls) in [("prefill", 4 * token, 3), ("decode", token, 3 * tokens - 3)] {
            let phase = stack(&mut profile, Some(top), phase);
            add(&mut profile, phase, &[], &vec![nanos; calls], 0);
            let qkv = stack(&mut profile, Some(phase), "qkv");
            add(&mut profile, qkv, &[], &vec![nanos / 2; calls], 0);
        }
    }
    file(&profile)
}

#[test]
fn the_models_of_a_run_are_compared_from_its_profile_and_from_its_json() {
    let bench = Workbench::new();
    bench.put("run.calor", &models());
    let text = bench.stdout(&["compare", "--models", "run.calor"]);
    for part in ["470,528", "7.34x", "5.00x", "Time grows less than parameters.", "qkv"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let page = bench.json(&["compare", "--models", "run.calor", "--format", "json"]);
    let found = problems(&bench.json(&["schema", "bench/1"]), &page);
    assert!(found.is_empty(), "{found:#?}");
    bench.stdout(&["compare", "--models", "run.calor", "-o", "run.json"]);
    assert_eq!(bench.stdout(&["compare", "--models", "run.json"]), text);
    for name in ["run.md", "run.html"] {
        bench.stdout(&["compare", "--models", "run.calor", "-o", name]);
        assert!(String::from_utf8_lossy(&bench.get(name)).contains("470,528"), "{name}");
    }
}

#[test]
fn what_holds_no_models_and_two_kinds_of_comparison_at_once_are_refused() {
    let bench = Workbench::new();
    bench.put("plain.calor", &run(1, None));
    let message = bench.failure(&["compare", "--models", "plain.calor"]);
    assert!(
        message.contains("found no model") && message.contains("calor bench model --enhanced"),
        "{message}"
    );
    let message = bench.failure(&["compare", "plain.calor", "plain.calor", "--models", "plain.calor"]);
    assert!(message.contains("cannot be used with"), "{message}");
    assert!(bench.failure(&["compare"]).contains("required"));
}

#[test]
fn runs_that_wrote_other_numbers_of_tokens_are_neither_judged_nor_checked() {
    let bench = Workbench::new();
    for tokens in [10, 30] {
        let names = [1, 2, 3].map(|n| format!("{tokens}-{n}.calor"));
        names.iter().for_each(|name| bench.put(name, &models_writing(tokens)));
    }
    let text = bench.stdout(&["compare", "10-1.calor", "30-1.calor"]);
    assert!(text.contains("Different work, so no verdict: 30 tokens"), "{text}");
    for word in ["suspected", "calor ab", "the build"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    bench.stdout(&["baseline", "set", "main", "10-1.calor", "10-2.calor", "10-3.calor"]);
    let output = bench.run(&["check", "--baseline", "main", "30-1.calor", "30-2.calor", "30-3.calor"]);
    let page = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{page}");
    assert!(
        page.contains("Different work, so no verdict") && page.contains("the same --tokens and --prompt"),
        "{page}"
    );
}

fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    // As it is before it is wrapped.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
