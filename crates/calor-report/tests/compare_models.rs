//! Runs of different models held against each other: none is the other's regression, and nothing on the page says so.

use calor_model::{FrameKind, LabelTable, Profile, Run, ScopeKey, ScopeStats};
use calor_report::{CompareFormat, CompareOptions, Compared, ComparedRun, render_compared};

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
    let side = |name: &str, nanos: u64| -> Vec<ComparedRun> {
        (0..n_runs).map(|at| ComparedRun::new(format!("{name}{at}"), run(name, nanos + 100 * at))).collect()
    };
    // In turns everything that moves is the build; of one run a side nobody knows.
    let options = CompareOptions { format, is_interleaved: n_runs > 1, ..CompareOptions::default() };
    let compared = Compared::new(&side(models[0], 100_000), &side(models[1], 800_000), &options)
        .expect("they can be compared");
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
