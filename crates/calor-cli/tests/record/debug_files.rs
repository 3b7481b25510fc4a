//! Names and lines that are in other files than the program. They are looked for at the end, when the program is gone.

use std::path::Path;
use std::process::Command;

use calor_testing::{Need, cannot};

use super::workbench::{Recorded, Workbench, compile, samples_in};

/// Whether a tool did what it was told; said aloud where there is none.
fn tool(words: &[&str], folder: &Path) -> bool {
    match Command::new(words[0]).args(&words[1..]).current_dir(folder).status() {
        Ok(status) => {
            assert!(status.success(), "{words:?}");
            true
        }
        Err(error) => {
            cannot(Need::Tool, format_args!("{} cannot be started ({error})", words[0]));
            false
        }
    }
}

fn record(bench: &Workbench) -> Option<Recorded> {
    bench.outcome(bench.command(&["--", "./known", "work", "200"]))
}

fn assert_has_lines(recorded: &Recorded) {
    let profile = &recorded.profile;
    assert!(samples_in(profile, &["share", "heavy", "inner_loop"]) > 30, "{}", recorded.stderr);
    let heavy = profile.frames.iter().find(|(_, frame)| profile.strings.get(frame.name) == "heavy");
    assert!(heavy.is_some_and(|(_, frame)| frame.line.is_some()), "{}", recorded.stderr);
    assert!(!recorded.stderr.contains("known)"), "{}", recorded.stderr);
}

#[test]
fn debug_information_beside_a_stripped_program_is_found_by_its_link() {
    let bench = Workbench::new();
    let folder = bench.path(".");
    compile("known", &[], &bench.path("known"));
    let is_split = tool(&["objcopy", "--only-keep-debug", "known", "known.debug"], &folder)
        && tool(&["strip", "known"], &folder)
        && tool(&["objcopy", "--add-gnu-debuglink=known.debug", "known"], &folder);
    if !is_split {
        return;
    }
    let Some(recorded) = record(&bench) else { return };
    assert_has_lines(&recorded);
    std::fs::remove_file(bench.path("known.debug")).expect("it is there");
    let Some(recorded) = record(&bench) else { return };
    assert_eq!(samples_in(&recorded.profile, &["heavy"]), 0, "{}", recorded.stderr);
}

#[test]
fn split_units_beside_a_moved_program_are_found() {
    let bench = Workbench::new();
    std::fs::create_dir(bench.path("built")).expect("a folder can be made");
    compile("known", &["-gsplit-dwarf"], &bench.path("built/known"));
    for entry in std::fs::read_dir(bench.path("built")).expect("the folder can be listed") {
        let entry = entry.expect("an entry can be read");
        let name = entry.file_name().into_string().expect("names are text");
        std::fs::rename(entry.path(), bench.path(&name)).expect("it can be moved");
    }
    let Some(recorded) = record(&bench) else { return };
    assert_has_lines(&recorded);
}
