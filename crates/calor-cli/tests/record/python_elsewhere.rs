//! Interpreters in odd places and of odd kinds: in a container, of a version that nobody knows, and not CPython at all.

use std::path::{Path, PathBuf};
use std::process::Command;

use calor_model::FrameKind;
use calor_testing::{Need, cannot};

use super::python::known;
use super::workbench::{Recorded, Workbench, samples, samples_in, text};
use crate::interpreters::interpreters;

/// An interpreter and what it needs to run from elsewhere.
struct Interpreter {
    program: PathBuf,
    prefix: String,
    /// The shared library that holds it, where one does.
    library: Option<PathBuf>,
    /// Its version as a number, as its files have it.
    version: u32,
}

impl Interpreter {
    fn of(python: &Path) -> Option<Self> {
        let question = "import os, sys, sysconfig as s; print(os.path.realpath(sys.executable)); \
                        print(sys.base_prefix); print(sys.hexversion); \
                        print(os.path.join(s.get_config_var('LIBDIR') or '', s.get_config_var('INSTSONAME') or ''))";
        let answer = text(&Command::new(python).args(["-c", question]).output().ok()?.stdout);
        let mut lines = answer.lines();
        let (program, prefix, version) = (lines.next()?, lines.next()?, lines.next()?);
        let library = lines.next().filter(|path| path.contains(".so") && Path::new(path).exists());
        Some(Self {
            program: program.into(),
            prefix: prefix.to_owned(),
            library: library.map(PathBuf::from),
            version: version.parse().ok()?,
        })
    }
}

fn all() -> Vec<Interpreter> {
    interpreters().values().filter_map(|python| Interpreter::of(python)).collect()
}

/// Whether this user may make a container; said aloud where not.
fn may_contain(folder: &Path) -> bool {
    let words = ["--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none"];
    let is_made = Command::new("unshare").args(words).arg(folder).output();
    let is_made = is_made.is_ok_and(|made| made.status.success());
    if !is_made {
        cannot(Need::Container, format_args!("this user may not make containers with `unshare`"));
    }
    is_made
}

/// Records a shell script in a container of its own.
fn record_inside(bench: &Workbench, script: &str) -> Option<Recorded> {
    let words = ["--", "unshare", "--mount", "--pid", "--fork", "sh", "-ec", script];
    bench.outcome(bench.command(&words))
}

/// Most of the samples stand under the functions of the program, with the program's file.
#[track_caller]
fn check(recorded: &Recorded) {
    let (profile, stderr) = (&recorded.profile, &recorded.stderr);
    assert_eq!(recorded.code, Some(0), "{stderr}");
    let seen = samples_in(profile, &["<module>", "main", "work"]);
    assert!(seen * 10 > samples(profile) * 4 && seen > 0, "{seen} of {}: {stderr}", samples(profile));
    let has_file = profile.frames.iter().any(|(_, frame)| {
        frame.kind == FrameKind::Python && frame.file.is_some_and(|file| profile.strings.get(file) == known())
    });
    assert!(has_file, "{stderr}");
}

#[test]
fn an_interpreter_that_only_its_container_has_is_read_there() {
    let bench = Workbench::new();
    let folder = bench.path("own");
    std::fs::create_dir(&folder).expect("the folder is ours");
    if !may_contain(&folder) {
        return;
    }
    for Interpreter { program, prefix, library, .. } in all() {
        let (folder, program) = (folder.display(), program.display());
        let library = library.map(|library| library.display().to_string()).unwrap_or_default();
        let script = format!(
            "mount -t tmpfs none {folder}; cp {program} {folder}/python; for it in {library}; do cp $it {folder}; done; \
             LD_LIBRARY_PATH={folder} PYTHONHOME={prefix} exec {folder}/python {} work 0.5",
            known()
        );
        let Some(recorded) = record_inside(&bench, &script) else { return };
        assert!(!bench.path("own/python").exists(), "it is in the container alone");
        check(&recorded);
    }
}

#[test]
fn another_interpreter_of_the_same_name_is_not_taken_for_the_one_in_the_container() {
    let bench = Workbench::new();
    let folder = bench.path("own");
    std::fs::create_dir(&folder).expect("the folder is ours");
    if !may_contain(&folder) {
        return;
    }
    let all = all();
    let [first, .., last] = &all[..] else {
        cannot(Need::Python, format_args!("there is one CPython only"));
        return;
    };
    for (inside, outside) in [(first, last), (last, first)] {
        let name = outside.program.display();
        let script = format!(
            "mount --bind {} {name}; PYTHONHOME={} exec {name} {} work 0.5",
            inside.program.display(),
            inside.prefix,
            known()
        );
        let Some(recorded) = record_inside(&bench, &script) else { return };
        check(&recorded);
    }
}

#[test]
fn an_interpreter_of_an_unknown_version_gives_native_frames_and_a_warning() {
    let bench = Workbench::new();
    // From 3.13 on an interpreter describes itself, and a newer one is read by that.
    let is_told_by_number =
        |it: &Interpreter| (0x030b_0000..0x030d_0000).contains(&it.version) && it.library.is_some();
    let Some(interpreter) = all().into_iter().find(is_told_by_number) else {
        cannot(Need::Python, format_args!("there is no CPython 3.11 or 3.12 with a shared library"));
        return;
    };
    let library = interpreter.library.expect("it was chosen by that");
    let mut bytes = std::fs::read(&library).expect("it is there");
    let (now, unknown) = (interpreter.version.to_le_bytes(), 0x0310_00f0_u32.to_le_bytes());
    let places: Vec<usize> = (0..bytes.len() - 4).filter(|at| bytes[*at..*at + 4] == now).collect();
    for at in places {
        bytes[at..at + 4].copy_from_slice(&unknown);
    }
    let copy = bench.path(library.file_name().and_then(|name| name.to_str()).expect("it is text"));
    std::fs::write(copy, bytes).expect("the folder is ours");
    let program = interpreter.program.to_str().expect("it is text");
    let mut command = bench.command(&["--", program, &known(), "work", "0.3"]);
    command.env("LD_LIBRARY_PATH", bench.path(".")).env("PYTHONHOME", interpreter.prefix);
    let Some(recorded) = bench.outcome(command) else { return };
    let (profile, stderr) = (&recorded.profile, &recorded.stderr);
    assert_eq!(recorded.code, Some(0), "{stderr}");
    assert!(profile.frames.iter().all(|(_, frame)| frame.kind != FrameKind::Python), "{stderr}");
    assert!(samples_in(profile, &["_PyEval_EvalFrameDefault"]) > 0, "{stderr}");
    let unread = profile.warnings.iter().find(|warning| warning.code == "python_unread");
    let unread = unread.map_or("", |warning| &warning.message);
    assert!(unread.contains("CPython 3.16.0") && unread.contains("newer calor"), "{unread}");
}

#[test]
fn pypy_gives_native_frames_and_a_warning() {
    let bench = Workbench::new();
    let is_there = Command::new("pypy3").arg("--version").output().is_ok_and(|it| it.status.success());
    if !is_there {
        cannot(Need::Python, format_args!("there is no pypy3"));
        return;
    }
    let Some(recorded) = bench.outcome(bench.command(&["--", "pypy3", &known(), "work", "0.5"])) else {
        return;
    };
    let (profile, stderr) = (&recorded.profile, &recorded.stderr);
    assert_eq!(recorded.code, Some(0), "{stderr}");
    assert!(profile.frames.iter().all(|(_, frame)| frame.kind != FrameKind::Python), "{stderr}");
    assert!(samples(profile) > 100, "{stderr}");
    let unread = profile.warnings.iter().find(|warning| warning.code == "python_unread");
    assert!(unread.is_some_and(|warning| warning.message.contains("PyPy")), "{stderr}");
}
