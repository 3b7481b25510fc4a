//! Programs that are hard to name or to follow.

use std::process::Command;

use calor_testing::{Need, cannot};

use super::workbench::{
    Beside, Recorded, Workbench, compile, program, samples, samples_in, try_compile, warns,
};

#[test]
fn a_static_program_is_followed_to_its_beginning() {
    let bench = Workbench::new();
    let path = bench.path("static");
    if !try_compile("actor", &["-static"], &path).status.success() {
        cannot(Need::Library, format_args!("there is no static C library here"));
        return;
    }
    let path = path.to_str().expect("a temporary path is text");
    let Some(recorded) = bench.outcome(bench.command(&["--", path, "spin", "300"])) else { return };
    let known = samples_in(&recorded.profile, &["main", "spin"]);
    assert!(known > 100 && known * 100 > samples(&recorded.profile) * 90, "{known}: {}", recorded.stderr);
}

#[test]
fn a_stripped_program_is_shown_by_offsets_and_the_warning_says_what_to_do() {
    let bench = Workbench::new();
    let path = bench.path("stripped");
    compile("actor", &["-s"], &path);
    let path = path.to_str().expect("a temporary path is text");
    let Some(recorded) = bench.outcome(bench.command(&["--", path, "spin", "300"])) else { return };
    let profile = &recorded.profile;
    let by_offset = super::workbench::rows(profile, calor_model::SampleKind::Cpu)
        .filter(|(names, ..)| names.iter().any(|name| name.starts_with("stripped+0x")))
        .map(|(.., weight)| weight.count)
        .sum::<u64>();
    assert!(by_offset > 100, "{}", recorded.stderr);
    let innermost: std::collections::BTreeSet<String> =
        super::workbench::rows(profile, calor_model::SampleKind::Cpu)
            .filter_map(|(names, ..)| names.last().map(ToString::to_string))
            .filter(|name| name.starts_with("stripped+0x"))
            .collect();
    assert!(innermost.len() <= 3, "one function is one name: {innermost:?}");
    let told = profile.warnings.iter().find(|warning| warning.code == "symbols_missing");
    assert!(told.is_some_and(|warning| warning.message.starts_with("stripped: ")), "{:?}", profile.warnings);
    assert!(recorded.stderr.contains("(stripped)"), "{}", recorded.stderr);
    assert!(!warns(profile, "stacks_untold"), "unwinding needs no names: {}", recorded.stderr);
}

/// A copy of the actor that changes on disk while it runs, attached to after that.
fn attached_after(change: impl Fn(&std::path::Path)) {
    let bench = Workbench::new();
    let path = bench.path("changing");
    std::fs::copy(program("actor"), &path).expect("it can be copied");
    let beside = Beside::start(Command::new(&path).args(["ready", "60000"]));
    change(&path);
    let Some(recorded) = bench.outcome(bench.command(&["-p", &beside.pid(), "--for", "500ms"])) else {
        return;
    };
    let known = samples_in(&recorded.profile, &["main", "spin"]);
    assert!(known > 50 && known * 100 > samples(&recorded.profile) * 90, "{known}: {}", recorded.stderr);
}

#[test]
fn a_program_that_was_deleted_while_it_runs_is_named_all_the_same() {
    attached_after(|path| std::fs::remove_file(path).expect("it is ours"));
}

#[test]
fn a_program_that_was_replaced_while_it_runs_is_named_as_it_was() {
    attached_after(|path| {
        std::fs::remove_file(path).expect("it is ours");
        std::fs::copy(program("known"), path).expect("it can be copied");
    });
}

/// Two programs that run one after the other under one name, the second put there by `how`.
fn one_after_the_other(bench: &Workbench, how: &str) -> Option<Recorded> {
    let (one, two, path) = (program("actor"), program("known"), bench.path("twice"));
    let line = format!(
        "cp {one} {path}; {path} spin 300; {how} {two} {path}; {path} work 150; exit 0",
        one = one.display(),
        two = two.display(),
        path = path.display()
    );
    let recorded = bench.outcome(bench.command(&["--", "sh", "-c", &line]))?;
    assert!(samples_in(&recorded.profile, &["share", "heavy"]) > 50, "{}", recorded.stderr);
    Some(recorded)
}

#[test]
fn a_program_that_takes_the_place_of_another_has_its_own_names() {
    let bench = Workbench::new();
    let Some(recorded) = one_after_the_other(&bench, "cp --remove-destination") else { return };
    assert!(samples_in(&recorded.profile, &["main", "spin"]) > 100, "{}", recorded.stderr);
}

#[test]
fn a_program_that_was_overwritten_is_shown_by_offsets_and_never_by_wrong_names() {
    let bench = Workbench::new();
    let Some(recorded) = one_after_the_other(&bench, "cp") else { return };
    assert!(warns(&recorded.profile, "image_unreadable"), "{}", recorded.stderr);
    let said = recorded.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("overwritten on disk while it was recorded"), "{said}");
    let heavy = samples_in(&recorded.profile, &["heavy"]);
    assert_eq!(heavy, samples_in(&recorded.profile, &["share", "heavy"]), "{}", recorded.stderr);
}

#[test]
fn thousands_of_pieces_of_code_without_a_file_are_no_burden() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["actor", "regions", "20000", "300"]) else { return };
    assert_eq!(
        (recorded.code, recorded.stdout.as_str()),
        (Some(0), "20000 regions\n"),
        "{}",
        recorded.stderr
    );
    assert!(samples_in(&recorded.profile, &["main", "spin"]) > 100, "{}", recorded.stderr);
}

#[test]
fn threads_that_come_and_go_all_the_time_are_followed() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["actor", "bustle", "600"]) else { return };
    let profile = &recorded.profile;
    let (first, others) =
        (samples_in(profile, &["main", "spin"]), samples_in(profile, &["spinning", "spin"]));
    assert!(first > 50 && others > 50, "{first} and {others}: {}", recorded.stderr);
}
