//! Projects as a server has them: several in one process, none of them in the working folder.

use std::path::Path;

use calor_model::{Profile, Run};
use calor_project::{Environment, Error, Project, Silent, Trouble};
use calor_store::Note;

const RULE: &str = r#"
[[rule]]
id = "OWN-RULE"
for_each = "scope"
when = "name == 'parse'"
title = "{name} is slow"
why = "It parses."
fix = "Do not."
gain = { local_low = 2, local_high = 3 }
"#;

fn write(folder: &Path, name: &str, content: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
    std::fs::write(path, content).expect("a file can be written");
}

fn open(folder: &Path) -> Project {
    Project::open(folder, Environment::default())
}

fn lasting(nanos: u64) -> Profile {
    Profile { runs: vec![Run { duration_nanos: nanos, ..Run::default() }], ..Profile::default() }
}

#[test]
fn two_projects_live_in_one_process_and_neither_sees_the_other() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(one.path(), "calor.toml", b"[store]\npath = 'kept'\n[findings]\nrules = ['rules/own.toml']\n");
    write(one.path(), "rules/own.toml", RULE.as_bytes());
    write(other.path(), "calor.toml", b"[findings.suppress]\nCPU-MEMORY-COPIES = 'known'\n");
    std::fs::create_dir(one.path().join("src")).unwrap();
    let (one, other) = (open(&one.path().join("src")), open(other.path()));

    let found = [&one, &other].map(|project| {
        let (circumstances, troubles) = project.circumstances();
        assert!(troubles.is_empty(), "{troubles:?}");
        (circumstances.own_rules.len(), circumstances.suppressions.len())
    });
    assert_eq!(found, [(1, 0), (0, 1)]);

    for (project, nanos) in [(&one, 1_000), (&other, 2_000)] {
        project.create_store().unwrap().save(&lasting(nanos), &Note::default()).unwrap();
        let mut bytes = Vec::new();
        calor_formats::native::write(&lasting(nanos + 1), &mut bytes).unwrap();
        write(project.folder(), "run.calor", &bytes);
    }
    assert!(one.store_folder().unwrap().ends_with("kept"), "it is seen from the file of settings");
    assert!(other.store_folder().unwrap().ends_with(".calor"));
    let lengths = |project: &Project, name: &str| {
        project.profile(Path::new(name), &Silent).unwrap().runs[0].duration_nanos
    };
    for name in ["store:latest", "latest"] {
        assert_eq!([lengths(&one, name), lengths(&other, name)], [1_000, 2_000]);
    }
    assert_eq!([lengths(&one, "run.calor"), lengths(&other, "run.calor")], [1_001, 2_001]);
}

#[test]
fn a_store_that_is_given_wins_over_the_environment_and_that_over_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let place = |environment: &Environment, given: Option<&str>| {
        let project = Project::<serde::de::IgnoredAny>::open(folder.path(), environment.clone());
        let place = project.with_store(given.map(Into::into)).store_folder().unwrap();
        place.strip_prefix(folder.path()).unwrap_or(&place).display().to_string()
    };
    let (nothing, named) =
        (Environment::default(), Environment { store: Some("by-variable".into()), ..Environment::default() });
    assert_eq!(place(&nothing, None), ".calor");
    write(folder.path(), "calor.toml", b"[store]\npath = 'by-file'\n");
    assert_eq!(place(&nothing, None), "by-file");
    assert_eq!(place(&named, None), "by-variable");
    assert_eq!(place(&named, Some("by-flag")), "by-flag");
}

#[test]
fn settings_that_cannot_be_read_are_told_whoever_asks_and_findings_are_found_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "calor.toml", b"[findings]\nsupress = 1\n");
    let project = open(folder.path());
    for _ in 0..2 {
        let error = project.settings().unwrap_err().whole();
        assert!(error.contains("calor.toml") && error.contains("supress"), "{error}");
    }
    let (circumstances, troubles) = project.circumstances();
    assert!(circumstances.suppressions.is_empty());
    assert!(matches!(troubles[..], [Trouble::Settings(_)]), "{troubles:?}");
    assert!(project.store_folder().is_err(), "where the store is stands there, too");

    write(
        folder.path(),
        "calor.toml",
        b"[findings]\nrules = ['none.toml']\n[findings.suppress]\nCPU-A = 'known'\n",
    );
    let (circumstances, troubles) = open(folder.path()).circumstances();
    assert_eq!(circumstances.suppressions.len(), 1);
    assert!(matches!(troubles[..], [Trouble::Rules(_)]), "{troubles:?}");
}

#[test]
fn what_is_no_profile_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "notes.txt", b"not a profile");
    let project = open(folder.path());
    let refused = |name: &str| project.profile(Path::new(name), &Silent).unwrap_err();
    assert!(matches!(refused("none.calor"), Error::Open { .. }));
    assert!(matches!(refused("."), Error::Folder { .. }));
    let error = refused("notes.txt");
    assert!(error.whole().starts_with("cannot read notes.txt: not a profile"), "{}", error.whole());
    let error = refused("store:latest").whole();
    assert!(error.starts_with("cannot read store:latest: there is no store yet"), "{error}");
}

#[test]
fn a_file_like_settings_that_nobody_reads_is_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "calor.toml", b"[findings]\nrules = ['.calor/rules.toml']\n");
    write(folder.path(), ".calor/rules.toml", RULE.as_bytes());
    assert_eq!(open(folder.path()).unread(), []);
    write(folder.path(), ".calor/config.json", b"{}");
    let said = open(folder.path()).unread().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(
        matches!(&said[..], [one] if one.contains("config.json") && one.contains("calor.toml")),
        "{said:?}"
    );
}
