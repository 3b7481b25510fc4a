//! A program of known shares, without frame pointers: what is recorded of it is true.

use calor_model::{FrameKind, SampleKind};

use super::workbench::{Recorded, Workbench, rows, samples, samples_in, warns};

fn work(bench: &Workbench) -> Option<Recorded> {
    let recorded = bench.record(&[], &["known", "work", "700"])?;
    assert_eq!((recorded.code, recorded.stdout.as_str()), (Some(7), "worked\n"), "{}", recorded.stderr);
    Some(recorded)
}

/// Samples whose stack does not reach a thread's beginning.
fn unrooted(recorded: &Recorded) -> u64 {
    rows(&recorded.profile, SampleKind::Cpu)
        .filter(|(path, ..)| path[0].starts_with('(') || path[0].contains("unmapped"))
        .map(|(.., weight)| weight.count)
        .sum()
}

#[test]
fn functions_have_their_shares_and_stacks_are_whole() {
    let bench = Workbench::new();
    let Some(recorded) = work(&bench) else { return };
    let profile = &recorded.profile;
    let (heavy, light) = (samples_in(profile, &["share", "heavy"]), samples_in(profile, &["share", "light"]));
    let share = heavy as f64 / (heavy + light) as f64;
    assert!((0.65..0.85).contains(&share), "three quarters are {share}: {}", recorded.stderr);
    let recursion = samples_in(profile, &["recurse", "descend"]);
    let of_all = recursion as f64 / samples(profile) as f64;
    assert!((0.40..0.60).contains(&of_all), "a half is {of_all}: {}", recorded.stderr);
    assert!(unrooted(&recorded) * 100 <= samples(profile), "{}: {}", unrooted(&recorded), recorded.stderr);
    // CPU time and samples agree: what the kernel counted, at 999 a second.
    let cpu = profile.runs[0].cpu_nanos.expect("CPU time is counted") as f64 / 1e9;
    let per_second = samples(profile) as f64 / cpu;
    assert!((900.0..1_050.0).contains(&per_second), "{per_second} samples a second: {}", recorded.stderr);
}

#[test]
fn threads_have_their_names_and_recursion_its_depth() {
    let bench = Workbench::new();
    let Some(recorded) = work(&bench) else { return };
    for (path, thread, _) in rows(&recorded.profile, SampleKind::Cpu) {
        if path.contains(&"heavy") {
            assert_eq!(thread, "sharer", "{path:?}");
        }
        if path.last() == Some(&"inner_loop") && path.contains(&"recurse") {
            assert_eq!(thread, "recurser", "{path:?}");
            let depth = path.iter().filter(|name| **name == "descend").count();
            assert_eq!(depth, 31, "{path:?}");
        }
    }
}

#[test]
fn inlined_functions_are_shown_with_file_and_line_unless_left_out() {
    let bench = Workbench::new();
    let Some(recorded) = work(&bench) else { return };
    let profile = &recorded.profile;
    assert!(samples_in(profile, &["heavy", "inner_loop"]) > 100, "{}", recorded.stderr);
    let inner = profile.frames.iter().find(|(_, frame)| profile.strings.get(frame.name) == "inner_loop");
    let (_, inner) = inner.expect("there is a frame of it");
    assert!(inner.is_inlined && inner.kind == FrameKind::Native && inner.line.is_some());
    assert!(inner.file.is_some_and(|file| profile.strings.get(file).ends_with("known.c")));
    let Some(recorded) = bench.record(&["--no-inlines"], &["known", "work", "200"]) else { return };
    assert_eq!(samples_in(&recorded.profile, &["inner_loop"]), 0);
    assert!(samples_in(&recorded.profile, &["share", "heavy"]) > 30, "{}", recorded.stderr);
}

#[test]
fn frames_larger_than_what_the_kernel_copies_do_not_cut_stacks() {
    let bench = Workbench::new();
    for (part, function, caller) in [("large", "large_frame", "large"), ("holed", "holed_frame", "holed")] {
        let Some(recorded) = bench.record(&[], &["known", part, "800"]) else { return };
        let (inside, rooted) =
            (samples_in(&recorded.profile, &[function]), samples_in(&recorded.profile, &[caller, function]));
        assert!(inside > 300, "{part}: {}", recorded.stderr);
        assert!(rooted * 100 >= inside * 97, "{part}: {rooted} of {inside}: {}", recorded.stderr);
    }
}

#[test]
fn stacks_deeper_than_asked_for_keep_their_innermost_frames() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&["--max-depth", "10"], &["known", "work", "200"]) else { return };
    assert!(warns(&recorded.profile, "stacks_longer"), "{}", recorded.stderr);
    let deepest = ["descend", "inner_loop"];
    for (path, ..) in rows(&recorded.profile, SampleKind::Cpu).filter(|(path, ..)| path.ends_with(&deepest)) {
        let depth = path.iter().filter(|name| **name == "descend").count();
        assert!(depth <= 10, "{path:?}");
        assert_eq!(path[0], "(callers left out)", "{path:?}");
    }
}

#[test]
fn contexts_that_a_program_made_have_whole_stacks() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["known", "context", "300"]) else { return };
    let inside = samples_in(&recorded.profile, &["in_context", "heavy"]);
    assert!(inside > 100, "{}", recorded.stderr);
    assert!(unrooted(&recorded) * 100 <= samples(&recorded.profile), "{}", recorded.stderr);
}

#[test]
fn a_signal_handler_on_a_stack_of_its_own_is_shown_under_what_it_interrupted() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["known", "handler", "1500"]) else { return };
    let inside = samples_in(&recorded.profile, &["on_signal", "light"]);
    let below = samples_in(&recorded.profile, &["main", "interrupted", "on_signal", "light"]);
    assert!(inside > 400, "{}", recorded.stderr);
    // What was interrupted is read from the process, which is too late for the last samples.
    assert!(below * 2 > inside, "{below} of {inside}: {}", recorded.stderr);
}

#[test]
fn names_are_shortened_on_request() {
    let calor = env!("CARGO_BIN_EXE_calor");
    let demo = ["--", calor, "demo", "--size", "small", "--tokens", "8", "--inferences", "20"];
    let names = |options: &[&str]| {
        let bench = Workbench::new();
        let recorded = bench.outcome(bench.command(&[options, &demo[..]].concat()))?;
        let profile = recorded.profile;
        let names = profile.frames.iter().map(|(_, frame)| profile.strings.get(frame.name).to_owned());
        Some(names.collect::<Vec<String>>())
    };
    let has_arguments = |name: &&String| name.contains("::<");
    let (Some(whole), Some(simple)) = (names(&[]), names(&["--simple-names"])) else { return };
    assert!(whole.iter().any(|name| has_arguments(&name)), "{whole:#?}");
    assert_eq!(simple.iter().find(has_arguments), None);
}
