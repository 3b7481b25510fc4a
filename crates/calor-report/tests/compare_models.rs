//! Runs of different models held against each other: none is the other's regression, and nothing on the page says so.

use calor_analysis::comparison::{ComparedRun, Comparison, ComparisonOptions};
use calor_analysis::workload::PROMPT_TOKENS;
use calor_model::{FrameKind, LabelTable, Profile, Run, ScopeKey, ScopeStats};
use calor_report::{CompareFormat, CompareOptions, render_compared};

/// What a token is made of.
const OPERATIONS: [&str; 12] =
    ["embed", "ln", "q", "k", "v", "scores", "softmax", "mix", "out", "mlp_up", "gelu", "mlp_down"];

/// A run of a model, which may be told with its width as in `custom 128`, whose tokens take so long.
fn run(model: &str, nanos: u64) -> Profile {
    let mut profile = Profile { runs: vec![Run::default()], ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    let (name, width) = model.split_once(' ').map_or((model, None), |(name, width)| (name, Some(width)));
    let pairs = [("model", Some(name)), ("width", width)];
    let pairs = pairs.into_iter().filter_map(|(key, value)| Some([key, value?]));
    let pairs: Vec<_> = pairs.map(|pair| pair.map(|text| profile.strings.intern(text)).into()).collect();
    let of_model = profile.labels.intern(&pairs);
    let paths = [
        (vec!["inference"], of_model, 20 * nanos),
        (vec!["inference", "decode"], LabelTable::none(), 15 * nanos),
    ];
    // Enough of them that it could be told what moved all.
    let operations = OPERATIONS.map(|name| (vec!["inference", "decode", name], LabelTable::none(), nanos));
    for (path, labels, nanos) in paths.into_iter().chain(operations) {
        let stack = profile.intern_named_path(&path, FrameKind::Scope).expect("a path has a frame");
        let mut stats = ScopeStats { calls: 100, total_nanos: 100 * nanos, ..ScopeStats::default() };
        (0..100).for_each(|_| stats.timed.record(nanos));
        stats.work.flops = 1_000_000;
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
    }
    profile
}

fn page(models: [&str; 2], n_runs: u64, format: CompareFormat) -> String {
    pages(models, [run, run], n_runs, format)
}

/// The page of sides whose runs are made in a way of their own.
fn pages(
    models: [&str; 2],
    runs: [fn(&str, u64) -> Profile; 2],
    n_runs: u64,
    format: CompareFormat,
) -> String {
    let side = |at: usize, nanos: u64| -> Vec<ComparedRun> {
        let run =
            |n: u64| ComparedRun::new(format!("{}{n}", models[at]), runs[at](models[at], nanos + 100 * n));
        (0..n_runs).map(run).collect()
    };
    // In turns everything that moves is the build; of one run a side nobody knows.
    let options = ComparisonOptions { is_interleaved: n_runs > 1, ..ComparisonOptions::default() };
    let compared =
        Comparison::new(&side(0, 100_000), &side(1, 800_000), &options).expect("they can be compared");
    let options = CompareOptions { format, ..CompareOptions::default() };
    let mut page = Vec::new();
    render_compared(&compared, &options, &mut page).expect("memory takes it");
    String::from_utf8_lossy(&page).into_owned()
}

#[test]
fn different_models_have_no_verdicts() {
    for (n_runs, format) in [1, 4].into_iter().flat_map(|n_runs| {
        [CompareFormat::Text, CompareFormat::Markdown, CompareFormat::Html].map(|format| (n_runs, format))
    }) {
        let page = page(["small", "medium"], n_runs, format);
        assert!(page.contains("Different models, so no verdict"), "{page}");
        // The style and the words about the picture name them all.
        let (_, body) = page.rsplit_once("Before and after").expect("totals have a section");
        for word in [
            "regressed",
            "undecided",
            " suspected",
            "(suspected",
            "not known to be changes",
            "verdict",
            "Regressions",
            "Changed functions",
            "it is the build",
            "the machine",
            "in turns",
        ] {
            assert!(!body.contains(word), "{n_runs} {format:?}: {word}: {body}");
        }
    }
}

#[test]
fn json_of_different_models_judges_nothing() {
    for n_runs in [1, 4] {
        let page = page(["small", "medium"], n_runs, CompareFormat::Json);
        let page: serde_json::Value = serde_json::from_str(&page).expect("it is JSON");
        assert_eq!((&page["verdict"], &page["suspected"]), (&"undecided".into(), &serde_json::Value::Null));
        assert_eq!(
            (&page["common"]["cause"], &page["machine_factor"]),
            (&"none".into(), &serde_json::Value::Null)
        );
        for part in ["functions", "metrics", "work"] {
            let rows = page[part].as_array().expect("a list");
            assert!(!rows.is_empty(), "{part}: {page}");
            for row in rows {
                let judged = (&row["verdict"], &row["suspected"]);
                assert_eq!(judged, (&"undecided".into(), &serde_json::Value::Null), "{part}: {row}");
            }
        }
    }
}

#[test]
fn models_are_told_apart_by_their_sizes_and_by_names_where_those_are_not_known() {
    for (models, are_other) in [
        (["custom 128", "custom 512"], true),
        (["v1 128", "v2 128"], false),
        (["small 128", "small"], false),
        (["small 128", "medium"], true),
    ] {
        let text = page(models, 4, CompareFormat::Text);
        assert_eq!(text.contains("Different models, so no verdict"), are_other, "{models:?}: {text}");
    }
    let text = page(["custom 128", "custom 512"], 4, CompareFormat::Text);
    assert!(text.contains("custom (width 512) has"), "{text}");
}

#[test]
fn one_model_has_them() {
    let text = page(["small", "small"], 4, CompareFormat::Text);
    assert!(text.contains("Regressed: ") && text.contains("verdict"), "{text}");
    let json = page(["small", "small"], 4, CompareFormat::Json);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["verdict"], "regressed");
}

/// A run whose inferences begin and end with so many tokens; 0 of a prompt that was not told.
fn worked<const PROMPT: i64, const TOKENS: u64>(model: &str, nanos: u64) -> Profile {
    let mut profile = run(model, nanos);
    let counter = profile.strings.intern(PROMPT_TOKENS);
    let is_top = |profile: &Profile, key: &ScopeKey| profile.stack_name(key.stack) == "inference";
    let top =
        profile.scopes.iter().map(|(key, _)| key).find(|key| is_top(&profile, key)).expect("it is there");
    let row = profile.scopes.row_mut(top);
    row.work.elements = 100 * TOKENS;
    if PROMPT > 0 {
        row.work.add_counter(counter, 100 * PROMPT);
    }
    profile
}

#[test]
fn other_work_with_one_model_has_no_verdict_and_is_told() {
    let models = ["small 128", "small 128"];
    for n_runs in [1, 4] {
        let text = pages(models, [worked::<16, 16>, worked::<15, 50>], n_runs, CompareFormat::Text);
        let expected = "Different work, so no verdict: 50 tokens after a prompt of 15, against ";
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(expected), "{text}");
        assert!(flat.contains("16 tokens after a prompt of 16 before and 50 tokens"), "{flat}");
        assert!(flat.contains("the same --tokens and --prompt"), "{flat}");
        for word in ["suspected", "calor ab", "machine or the build", "Regressions"] {
            assert!(!flat.contains(word), "{word}: {flat}");
        }
        let json = pages(models, [worked::<16, 16>, worked::<15, 50>], n_runs, CompareFormat::Json);
        let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!((&json["verdict"], &json["suspected"]), (&"undecided".into(), &serde_json::Value::Null));
        assert!(json["warnings"].to_string().contains("other_work"), "{json}");
    }
}

#[test]
fn work_is_the_same_where_prompts_and_tokens_are_or_where_a_prompt_is_not_known() {
    let models = ["small 128", "small 128"];
    for (runs, is_other) in [
        ([worked::<16, 16>, worked::<16, 16>] as [fn(&str, u64) -> Profile; 2], false),
        ([worked::<16, 16>, worked::<32, 16>], true),
        ([worked::<16, 16>, worked::<0, 16>], false),
        ([worked::<0, 16>, worked::<0, 17>], true),
        ([worked::<16, 16>, run], false),
    ] {
        let text = pages(models, runs, 4, CompareFormat::Text);
        assert_eq!(text.contains("Different work, so no verdict"), is_other, "{text}");
        assert_eq!(text.contains("Regressed: "), !is_other, "{text}");
    }
}
