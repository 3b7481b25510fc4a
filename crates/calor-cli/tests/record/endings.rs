//! How programs end, and what is passed on of it.

use super::workbench::{Workbench, program, samples, samples_in, warns};

#[test]
fn the_exit_code_passes_through() {
    let bench = Workbench::new();
    for code in ["0", "1", "2", "77", "255"] {
        let Some(recorded) = bench.record(&[], &["actor", "spin", "20", code]) else { return };
        assert_eq!(recorded.code, code.parse().ok(), "{}", recorded.stderr);
        assert!(
            recorded.stderr.contains(&format!("ended with exit code {code} after")),
            "{}",
            recorded.stderr
        );
    }
}

#[test]
fn a_program_that_is_killed_leaves_a_whole_profile() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["actor", "killed", "200"]) else { return };
    assert_eq!(recorded.code, Some(137), "{}", recorded.stderr);
    assert!(recorded.stderr.contains("was ended by SIGKILL"), "{}", recorded.stderr);
    assert!(samples_in(&recorded.profile, &["main", "spin"]) > 50, "{}", recorded.stderr);
}

#[test]
fn a_thousand_threads_are_told_apart() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["actor", "threads", "1000", "3"]) else { return };
    assert_eq!((recorded.code, recorded.stdout.as_str()), (Some(0), "1000 threads\n"), "{}", recorded.stderr);
    let n_threads = recorded.profile.threads.len();
    // On a busy machine the kernel has no room for some records, and says for how many.
    let lost = recorded.profile.warnings.iter().find(|warning| warning.code == "samples_lost");
    let n_lost = lost.and_then(|warning| warning.count).unwrap_or(0);
    assert!(
        n_threads <= 1001 && n_threads as u64 + n_lost >= 900,
        "{n_threads} threads: {}",
        recorded.stderr
    );
    let rooted = samples_in(&recorded.profile, &["spinning", "spin"]);
    // Threads so short that the machine has no time to follow them give stacks that are cut off.
    assert!(rooted * 100 > samples(&recorded.profile) * 50, "{rooted}: {}", recorded.stderr);
}

#[test]
fn five_hundred_short_children_are_followed() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["actor", "children", "500", "4"]) else { return };
    assert_eq!((recorded.code, recorded.stdout.as_str()), (Some(0), "500 children\n"), "{}", recorded.stderr);
    let pids: std::collections::BTreeSet<u32> =
        recorded.profile.threads.iter().map(|(_, thread)| thread.pid).collect();
    assert!(pids.len() > 400, "{} processes: {}", pids.len(), recorded.stderr);
    let known = samples_in(&recorded.profile, &["main", "children", "spin"])
        + samples_in(&recorded.profile, &["main", "spin"]);
    assert!(known * 10 > samples(&recorded.profile) * 7, "{known}: {}", recorded.stderr);
}

#[test]
fn a_recording_ends_with_the_program_and_tells_of_those_that_go_on() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["actor", "daemonise", "4000"]) else { return };
    assert_eq!(recorded.code, Some(3), "{}", recorded.stderr);
    let expected = "one process that it started goes on and is no longer recorded";
    assert!(recorded.stderr.contains(expected), "{}", recorded.stderr);
}

#[test]
fn a_program_that_closes_its_standard_error_is_told_of_all_the_same() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["actor", "mute", "100"]) else { return };
    assert_eq!(recorded.code, Some(0));
    assert!(recorded.stderr.contains("Next: calor report profile.calor"), "{}", recorded.stderr);
}

#[test]
fn threads_that_outlive_the_first_one_stay_known() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["actor", "leaderless", "500"]) else { return };
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let known = samples_in(&recorded.profile, &["spinning", "spin"]);
    assert!(known > 100 && known * 100 > samples(&recorded.profile) * 95, "{known}: {}", recorded.stderr);
}

#[test]
fn time_that_is_over_ends_the_recording_and_not_the_program() {
    let bench = Workbench::new();
    let file = bench.path("end");
    let line = format!("{} spin 900; echo over > {}", program("actor").display(), file.display());
    let Some(recorded) = bench.outcome(bench.command(&["--for", "300ms", "--", "sh", "-c", &line])) else {
        return;
    };
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    assert!(recorded.stderr.contains("goes on"), "{}", recorded.stderr);
    assert!(!warns(&recorded.profile, "samples_lost"));
    while !file.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn children_too_short_to_be_sampled_are_told_of() {
    let bench = Workbench::new();
    let line = "i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done";
    let Some(recorded) = bench.outcome(bench.command(&["--rate", "200", "--", "sh", "-c", line])) else {
        return;
    };
    let told = recorded.profile.warnings.iter().find(|warning| warning.code == "cpu_time_uncovered");
    assert!(told.is_some_and(|warning| warning.message.contains("starts anew")), "{}", recorded.stderr);
}

#[test]
fn a_program_without_samples_is_offered_no_pictures() {
    let bench = Workbench::new();
    let Some(recorded) = bench.outcome(bench.command(&["--rate", "1", "--", "true"])) else { return };
    let said = &recorded.stderr;
    assert!(said.contains("for 1 sample a second") && said.contains("more than the program's own"), "{said}");
    assert!(said.ends_with("Next: calor report profile.calor\n"), "{said}");
}
