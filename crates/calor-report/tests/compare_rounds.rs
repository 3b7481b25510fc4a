//! Runs in rounds, compared by them where there is one a side.

use calor_analysis::comparison::{ComparedRun, Comparison, ComparisonOptions};
use calor_analysis::workload::ROUNDS;
use calor_model::{Frame, FrameKind, LabelTable, Profile, Run, ScopeKey, ScopeStats};
use calor_report::{CompareFormat, CompareOptions, render_compared};
use serde_json::Value;

const N_ROUNDS: usize = 10;
const NOISE: [f64; 5] = [1.0, 1.004, 0.997, 1.002, 0.999];

/// A run in rounds of as many calls; what they take by function and round.
fn run(label: Option<&str>, n_calls: impl Fn(usize) -> u64, nanos: impl Fn(&str, usize) -> f64) -> Profile {
    let mut profile = Profile::default();
    let labels = label.map(|value| (ROUNDS.to_owned(), value.to_owned()));
    profile.runs.push(Run { labels: labels.into_iter().collect(), ..Run::default() });
    for round in 0..N_ROUNDS {
        let thread = profile.intern_thread(1, round as u64 + 1, &format!("round {}", round + 1));
        for name in ["qkv", "mlp_up", "gelu"] {
            let each = (nanos(name, round) * NOISE[round % NOISE.len()]) as u64;
            let mut stats = ScopeStats { calls: n_calls(round), ..ScopeStats::default() };
            (0..stats.calls).for_each(|_| stats.timed.record(each));
            stats.total_nanos = stats.calls * each;
            let name = profile.strings.intern(name);
            let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
            let stack = profile.stacks.intern(None, frame);
            profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
        }
    }
    profile
}

fn usual() -> Profile {
    run(Some("10"), |_| 100, |_, _| 1e6)
}

fn compared(before: Profile, after: Profile) -> Value {
    let options = CompareOptions { format: CompareFormat::Json, ..CompareOptions::default() };
    let [before, after] =
        [("before", before), ("after", after)].map(|(name, profile)| [ComparedRun::new(name, profile)]);
    let compared =
        Comparison::new(&before, &after, &ComparisonOptions::default()).expect("they can be compared");
    let mut page = Vec::new();
    render_compared(&compared, &options, &mut page).expect("memory takes it");
    serde_json::from_slice(&page).expect("it is JSON")
}

#[test]
fn two_runs_of_one_build_are_the_same_within_a_margin_that_is_told() {
    let page = compared(usual(), usual());
    assert_eq!((&page["verdict"], &page["runs"]), (&"same".into(), &serde_json::json!([1, 1])), "{page}");
    assert_eq!((&page["rounds"], &page["margin"]), (&serde_json::json!([5, 5]), &0.05.into()));
    assert!(page["interval"].is_array());
    let codes: Vec<&str> =
        page["warnings"].as_array().into_iter().flatten().filter_map(|it| it["code"].as_str()).collect();
    assert!(codes.contains(&"by_rounds") && !codes.contains(&"one_run_a_side"), "{codes:?}");
}

#[test]
fn others_on_the_machine_make_some_rounds_slower_and_a_build_all_of_them() {
    let disturbed = run(Some("10"), |_| 100, |_, round| if round < 5 { 1.4e6 } else { 1e6 });
    assert_eq!(compared(usual(), disturbed)["verdict"], "same");
    let slower = run(Some("10"), |_| 100, |name, _| if name == "mlp_up" { 1.5e6 } else { 1e6 });
    let page = compared(usual(), slower);
    assert_eq!((&page["verdict"], &page["suspected"]), (&"undecided".into(), &"regressed".into()), "{page}");
}

#[test]
fn threads_that_are_called_so_are_no_rounds_without_the_label_and_neither_are_runs_that_were_cut_short() {
    let unlabelled = run(None, |_| 100, |_, _| 1e6);
    let other = run(Some("9"), |_| 100, |_, _| 1e6);
    let cut_short = run(Some("10"), |round| if round == 9 { 40 } else { 100 }, |_, _| 1e6);
    for after in [unlabelled, other, cut_short] {
        let page = compared(usual(), after);
        assert_eq!((&page["verdict"], &page["interval"]), (&"undecided".into(), &Value::Null), "{page}");
        assert!(page["rounds"].is_null());
    }
}
