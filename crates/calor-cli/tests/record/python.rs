//! Python programs: their functions and lines in one stack with compiled code, for every CPython that is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use calor_model::{FrameKind, Profile, SampleKind};
use calor_testing::{Need, cannot};

use crate::interpreters::interpreters;

use super::workbench::{Beside, Recorded, Workbench, rows, samples, samples_in, text, try_compile, warns};

const UNVERIFIED: &str = "(Python not verified)";

/// The program that knows where it runs.
pub(super) fn known() -> String {
    format!("{}/tests/record/programs/known.py", env!("CARGO_MANIFEST_DIR"))
}

/// One of them.
fn python() -> PathBuf {
    interpreters().into_values().next().expect("there is one")
}

/// Records a program run by an interpreter; `None` where sampling is refused.
fn record(bench: &Workbench, options: &[&str], python: &Path, words: &[&str]) -> Option<Recorded> {
    let python = python.to_str().expect("it is text");
    bench.outcome(bench.command(&[options, &["--", python], words].concat()))
}

/// The part of the samples in Python functions of one of these names, of all that are in one of `all`.
fn share(profile: &Profile, names: &[&str], all: &[&str]) -> f64 {
    let count = |names: &[&str]| -> u64 {
        rows(profile, SampleKind::Cpu)
            .filter(|(path, ..)| path.iter().any(|frame| names.iter().any(|name| is_called(frame, name))))
            .map(|(.., weight)| weight.count)
            .sum()
    };
    count(names) as f64 / count(all).max(1) as f64
}

/// Names have their classes in front since 3.11.
fn is_called(frame: &str, name: &str) -> bool {
    frame == name || frame.starts_with(&format!("{name}.")) || name == "Model" && frame == "forward"
}

#[test]
fn every_cpython_shows_its_functions_where_they_ran() {
    let script = known();
    for (version, python) in interpreters() {
        let bench = Workbench::new();
        let Some(recorded) = record(&bench, &[], &python, &[&script, "work", "1"]) else { return };
        calor_testing::aloud(format_args!("recorded CPython {version}"));
        let (profile, stderr) = (&recorded.profile, &recorded.stderr);
        assert_eq!(recorded.code, Some(0), "{stderr}");
        let kinds = ["sort_by_key", "add_squares", "count_up", "Model"];
        for part in recorded.stdout.trim().split(' ').skip(1) {
            let (name, truth) = part.split_once('=').expect("the program says name=share");
            let truth: f64 = truth.parse().expect("a share is a number");
            let seen = share(profile, &[name], &kinds);
            assert!((seen - truth).abs() < 0.15, "{version}: {name} {seen:.3} instead of {truth}: {stderr}");
        }
        let whole = samples_in(profile, &["<module>", "main", "work"]);
        assert!(whole * 10 > samples(profile) * 5, "{version}: {whole} of {}: {stderr}", samples(profile));
        let unverified = samples_in(profile, &[UNVERIFIED]);
        assert!(unverified * 10 < samples(profile) * 4, "{version}: {unverified} not verified: {stderr}");
        let callback = samples_in(profile, &["sort_by_key", "key_of"]);
        assert!(callback > 0, "{version}: functions that compiled code calls: {stderr}");
    }
}

#[test]
fn frames_have_the_file_and_the_line_that_ran() {
    let (bench, script) = (Workbench::new(), known());
    let Some(recorded) = record(&bench, &[], &python(), &[&script, "work", "1"]) else { return };
    let profile = &recorded.profile;
    let source = std::fs::read_to_string(&script).expect("it is part of the project");
    let line_of = |text: &str| {
        let index = source.lines().position(|line| line.trim() == text).expect("the program has the line");
        u32::try_from(index + 1).expect("it is short")
    };
    let loop_lines = [line_of("for number in range(count):"), line_of("total += number")];
    let mut n_inside = 0;
    for (_, frame) in profile.frames.iter() {
        if profile.strings.get(frame.name) == "count_up" {
            assert_eq!(frame.kind, FrameKind::Python);
            assert_eq!(frame.file.map(|file| profile.strings.get(file)), Some(script.as_str()));
            n_inside +=
                u32::from(frame.line.is_some_and(|line| line >= loop_lines[0] && line <= loop_lines[1] + 8));
        }
    }
    assert!(n_inside > 0, "{}", recorded.stderr);
}

#[test]
fn recursion_is_as_deep_as_it_was() {
    let (bench, script) = (Workbench::new(), known());
    let Some(recorded) = record(&bench, &[], &python(), &[&script, "work", "1"]) else { return };
    let deepest = rows(&recorded.profile, SampleKind::Cpu)
        .filter(|(path, ..)| path.contains(&"count_up") && !path.contains(&UNVERIFIED))
        .map(|(path, ..)| path.iter().filter(|name| **name == "deep").count())
        .max();
    assert_eq!(deepest, Some(31), "{}", recorded.stderr);
}

#[test]
fn threads_and_processes_are_followed() {
    let (bench, script) = (Workbench::new(), known());
    let Some(recorded) = record(&bench, &[], &python(), &[&script, "threads", "0.5"]) else { return };
    let workers: std::collections::BTreeSet<u64> = recorded
        .profile
        .samples
        .iter()
        .filter(|(key, _)| recorded.profile.path_names(key.stack).contains(&"work"))
        .map(|(key, _)| recorded.profile.threads.get(key.thread).tid)
        .collect();
    assert_eq!(workers.len(), 2, "{}", recorded.stderr);
    let Some(recorded) = record(&bench, &[], &python(), &[&script, "processes", "0.5"]) else { return };
    let processes: std::collections::BTreeSet<u32> = recorded
        .profile
        .samples
        .iter()
        .filter(|(key, _)| recorded.profile.path_names(key.stack).contains(&"work"))
        .map(|(key, _)| recorded.profile.threads.get(key.thread).pid)
        .collect();
    assert_eq!(processes.len(), 2, "{}", recorded.stderr);
}

#[test]
fn a_running_interpreter_is_attached_to_though_its_file_is_gone() {
    let (bench, script) = (Workbench::new(), known());
    // A virtual environment made of copies; what it was made from does not matter to it any more.
    let folder = bench.path("environment");
    let made = Command::new(python()).args(["-m", "venv", "--copies", "--without-pip"]).arg(&folder).output();
    let python = folder.join("bin/python3");
    if !made.is_ok_and(|made| made.status.success()) || !python.exists() {
        cannot(Need::Python, format_args!("this python3 cannot make a virtual environment"));
        return;
    }
    let beside = Beside::start(Command::new(&python).args([&script, "ready", "60"]));
    std::fs::remove_file(&python).expect("it is ours");
    let Some(recorded) = bench.outcome(bench.command(&["-p", &beside.pid(), "--for", "1s"])) else { return };
    let seen = samples_in(&recorded.profile, &["main", "work"]);
    assert!(seen * 10 > samples(&recorded.profile) * 5 && seen > 0, "{seen}: {}", recorded.stderr);
}

#[test]
fn isolated_interpreters_are_no_different() {
    let (bench, script) = (Workbench::new(), known());
    let Some(recorded) = record(&bench, &[], &python(), &["-S", "-I", &script, "work", "0.5"]) else {
        return;
    };
    let seen = samples_in(&recorded.profile, &["<module>", "main", "work"]);
    assert!(seen * 10 > samples(&recorded.profile) * 4, "{seen}: {}", recorded.stderr);
}

#[test]
fn python_is_left_alone_on_request() {
    let (bench, script) = (Workbench::new(), known());
    let Some(recorded) = record(&bench, &["--native-only"], &python(), &[&script, "work", "0.3"]) else {
        return;
    };
    let profile = &recorded.profile;
    assert!(profile.frames.iter().all(|(_, frame)| frame.kind != FrameKind::Python), "{}", recorded.stderr);
    assert!(samples(profile) > 0 && !warns(profile, "python_unverified"), "{}", recorded.stderr);
}

#[test]
fn samples_tell_who_holds_the_lock() {
    let (bench, script) = (Workbench::new(), known());
    let Some(recorded) = record(&bench, &[], &python(), &[&script, "work", "0.5"]) else { return };
    let profile = &recorded.profile;
    let held: u64 = profile
        .samples
        .iter()
        .filter(|(key, _)| {
            let labels = profile.labels.get(key.labels).iter();
            labels.clone().any(|(key, value)| {
                (profile.strings.get(*key), profile.strings.get(*value)) == ("gil", "held")
            })
        })
        .map(|(_, weight)| weight.count)
        .sum();
    assert!(held * 10 > samples(profile) * 6, "{held} of {}: {}", samples(profile), recorded.stderr);
}

#[test]
fn an_interpreter_inside_another_program_is_found() {
    let bench = Workbench::new();
    let library = interpreters().into_values().find_map(|python| {
        let question =
            "import sysconfig as s; print(s.get_config_var('LIBDIR') + '/' + s.get_config_var('INSTSONAME'))";
        let output = Command::new(python).args(["-c", question]).output().ok()?;
        let path = text(&output.stdout).trim().to_owned();
        (path.contains(".so") && Path::new(&path).exists()).then_some(path)
    });
    let Some(library) = library else {
        cannot(Need::Python, format_args!("no interpreter here comes as a shared library"));
        return;
    };
    let program = bench.path("embedding");
    let built = try_compile("embedding", &["-ldl"], &program);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let program = program.to_str().expect("it is text");
    let Some(recorded) = bench.outcome(bench.command(&["--", program, &library])) else { return };
    let seen = samples_in(&recorded.profile, &["main", "outer", "spin"]);
    assert!(seen * 10 > samples(&recorded.profile) * 4, "{seen}: {}", recorded.stderr);
}
