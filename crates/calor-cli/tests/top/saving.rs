//! A look becomes a profile that the other commands read.

use calor_model::SampleKind;

use crate::workbench::{Beside, Workbench, may_sample};

#[test]
fn what_was_seen_is_saved_as_an_ordinary_profile_and_nothing_is_replaced_unasked() {
    if !may_sample() {
        return;
    }
    let (bench, beside) = (Workbench::new(), Beside::start());
    let mut top = bench.top(&["-p", &beside.pid()]);
    top.wait_for("heavy");
    top.press("w");
    top.wait_for(&format!("save as: calor-top-{}-", beside.pid()));
    top.press("\x15seen.calor\r");
    top.wait_for("saved seen.calor (");
    let first = std::fs::read(bench.path("seen.calor")).expect("it was saved");
    let profile = calor_formats::read(&first).expect("it is a profile");
    let cpu = || profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu);
    let is_heavy = |stack| profile.path_names(stack).contains(&"heavy");
    let all: u64 = cpu().map(|(_, weight)| weight.count).sum();
    let heavy: u64 = cpu().filter(|(key, _)| is_heavy(key.stack)).map(|(_, weight)| weight.count).sum();
    assert!(heavy > 0 && heavy * 2 > all, "{heavy} of {all}");
    assert_eq!(profile.runs.len(), 1);
    assert!(profile.runs[0].command.as_ref().is_some_and(|command| command.contains("spin")));

    top.press("w\x15seen.calor\r");
    top.wait_for("seen.calor is there: replace it? y/n");
    top.press("n");
    top.wait_for("not saved");
    assert_eq!(std::fs::read(bench.path("seen.calor")).expect("it is there"), first);
    top.press("w\x15no/such/folder.calor\r");
    top.wait_for("not saved: there is no folder no/such");
    std::fs::write(bench.path("other.calor"), "something else").expect("the folder is ours");
    top.press("w\x15other.calor\ry");
    top.wait_for("saved other.calor (");
    let replaced = std::fs::read(bench.path("other.calor")).expect("it is there");
    assert!(calor_formats::read(&replaced).is_ok_and(|profile| !profile.samples.is_empty()));
    top.press("q");
    assert!(top.ended().success());
    assert_eq!(bench.files(), ["other.calor", "seen.calor"]);
}
