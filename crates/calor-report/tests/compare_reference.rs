//! Runs with passes of a reference loop: what the machine did to them is taken out, and what the program did stays.

use calor_model::{Frame, FrameKind, LabelTable, Profile, Run, ScopeKey, ScopeStats};
use calor_report::{CompareFormat, CompareOptions, Compared, ComparedRun, REFERENCE, render_compared};
use serde_json::Value;

/// How slow the machine was in each run: a shared one.
const MACHINE: [f64; 8] = [1.0, 1.31, 0.92, 1.12, 1.55, 0.97, 1.2, 1.04];

/// A run of two scopes and so many passes on a machine that is so slow.
fn run(machine: f64, slowed: f64, n_passes: u64) -> Profile {
    let mut profile = Profile::default();
    profile.runs.push(Run::default());
    let thread = profile.intern_thread(1, 1, "main");
    for (name, calls, nanos) in [("mlp_up", 200, 1e6 * slowed), ("qkv", 200, 7e5), (REFERENCE, n_passes, 3e5)]
    {
        let nanos = (nanos * machine) as u64;
        let mut stats = ScopeStats { calls, ..ScopeStats::default() };
        (0..calls).for_each(|_| stats.timed.record(nanos));
        stats.total_nanos = calls * nanos;
        let name = profile.strings.intern(name);
        let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
        let stack = profile.stacks.intern(None, frame);
        if calls > 0 {
            profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
        }
    }
    profile
}

fn compared(slowed: f64, n_passes: [u64; 2]) -> Value {
    let side = |side: usize, slowed: f64| -> Vec<ComparedRun> {
        let run = |at: usize| run(MACHINE[(at + 3 * side) % MACHINE.len()], slowed, n_passes[side]);
        (0..MACHINE.len()).map(|at| ComparedRun::new(format!("{side}-{at}"), run(at))).collect()
    };
    let options = CompareOptions { format: CompareFormat::Json, ..CompareOptions::default() };
    let compared = Compared::new(&side(0, 1.0), &side(1, slowed), &options).expect("they can be compared");
    let mut page = Vec::new();
    render_compared(&compared, &options, &mut page).expect("memory takes it");
    serde_json::from_slice(&page).expect("it is JSON")
}

fn is_told(page: &Value) -> bool {
    page["warnings"].as_array().is_some_and(|all| all.iter().any(|one| one["code"] == "by_reference"))
}

fn names(page: &Value) -> Vec<&str> {
    let functions = page["functions"].as_array().expect("there are functions");
    functions.iter().filter_map(|function| function["name"].as_str()).collect()
}

#[test]
fn runs_of_one_build_on_a_busy_machine_are_the_same() {
    let page = compared(1.0, [60; 2]);
    assert_eq!(page["verdict"], "same", "{}", page["sentence"]);
    assert!(is_told(&page), "{}", page["warnings"]);
    assert!(!names(&page).contains(&REFERENCE));
    assert_ne!(compared(1.0, [0; 2])["verdict"], "same", "without passes nobody can tell");
}

#[test]
fn what_became_slower_is_found_as_ever() {
    let page = compared(1.2, [60; 2]);
    assert_eq!(page["verdict"], "regressed", "{}", page["sentence"]);
    let functions = page["functions"].as_array().expect("there are functions");
    let found = functions.iter().find(|function| function["name"] == "mlp_up").expect("it is listed");
    assert_eq!(found["verdict"], "regressed");
    assert!((found["effect"].as_f64().unwrap_or_default() - 0.2).abs() < 0.02, "{found}");
}

#[test]
fn passes_of_one_side_or_few_of_them_are_no_reference() {
    for n_passes in [[60, 0], [0, 60], [5, 60]] {
        assert!(!is_told(&compared(1.0, n_passes)), "{n_passes:?}");
    }
}
