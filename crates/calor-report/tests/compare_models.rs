//! Runs of different models held against each other: none is the other's regression, and nothing on the page says so.

use calor_model::{FrameKind, LabelTable, Profile, Run, ScopeKey, ScopeStats};
use calor_report::{CompareFormat, CompareOptions, Compared, ComparedRun, render_compared};

/// A run of a model whose tokens take so long.
fn run(model: &str, nanos: u64) -> Profile {
    let mut profile = Profile { runs: vec![Run::default()], ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    let [key, value] = ["model", model].map(|text| profile.strings.intern(text));
    let of_model = profile.labels.intern(&[(key, value)]);
    for (path, labels, nanos) in
        [(&["inference"][..], of_model, 2 * nanos), (&["inference", "decode"], LabelTable::none(), nanos)]
    {
        let stack = profile.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
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
    let options = CompareOptions { format, ..CompareOptions::default() };
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
fn one_model_has_them() {
    let text = page(["small", "small"], 4, CompareFormat::Text);
    assert!(text.contains("Regressed: ") && text.contains("verdict"), "{text}");
    let json = page(["small", "small"], 4, CompareFormat::Json);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["verdict"], "regressed");
}
