//! Long recordings are written in parts, so that a recorder that is killed leaves what came before.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::workbench::{Workbench, may_sample, program, samples, samples_in, send};

#[test]
fn a_recorder_that_is_killed_leaves_all_parts_but_the_last() {
    if !may_sample() {
        return;
    }
    let bench = Workbench::new();
    let actor = program("actor");
    let mut command =
        bench.command(&["--", actor.to_str().expect("a temporary path is text"), "stubborn", "60000"]);
    command.env("CALOR_PART_AFTER", "150ms").stderr(Stdio::null());
    let mut beside = super::workbench::Beside::start(&mut command);
    // However busy the machine is, some part has enough of it in the end.
    let file = bench.path("profile.calor");
    let n_written = || {
        let profile = std::fs::read(&file).ok().and_then(|bytes| calor_formats::read(&bytes).ok());
        profile.map_or(0, |profile| samples_in(&profile, &["main", "spin"]))
    };
    let patience = Instant::now() + Duration::from_secs(120);
    while n_written() <= 50 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(100));
    }
    beside.child.kill().expect("it is ours");
    beside.child.wait().expect("it ends");
    // The program goes on without it.
    send("-KILL", beside.first.trim_start_matches("ready").trim());
    let bytes = std::fs::read(&file).expect("parts were written");
    let profile = calor_formats::read(&bytes).expect("it can be read up to its last part");
    let told = profile.warnings.iter().find(|warning| warning.code == "recording_cut_off");
    assert!(told.is_some_and(|warning| warning.message.contains("up to a minute")), "{:?}", profile.warnings);
    assert!(samples_in(&profile, &["main", "spin"]) > 50);
}

#[test]
fn parts_add_up_to_one_recording() {
    let bench = Workbench::new();
    let actor = program("actor");
    let mut command =
        bench.command(&["--", actor.to_str().expect("a temporary path is text"), "bustle", "1200"]);
    command.env("CALOR_PART_AFTER", "50ms");
    let Some(recorded) = bench.outcome(command) else { return };
    let profile = &recorded.profile;
    assert_eq!(profile.runs.len(), 1, "{}", recorded.stderr);
    let run = &profile.runs[0];
    let expected = run.cpu_nanos.expect("CPU time is counted") * 999 / 1_000_000_000;
    let seen = samples(profile);
    assert!(
        seen * 100 > expected * 60 && seen * 100 < expected * 120,
        "{seen} of {expected}: {}",
        recorded.stderr
    );
    assert!(recorded.stderr.contains("Hottest:"), "{}", recorded.stderr);
}
