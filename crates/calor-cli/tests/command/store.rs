//! `calor store`, and saved runs in the place of files.

use std::fs;
use std::process::Command;

use super::schema_check::problems;
use super::workbench::{Workbench, text};

/// A folder with two runs in its store; their ids, the first saved first.
fn filled() -> (Workbench, [String; 2]) {
    let bench = Workbench::new();
    bench.put("samples.folded", b"main;work;inner 30\nmain;wait 12\n");
    let first = bench.stdout(&["store", "add", "profile.calor", "--label", "build=fast"]);
    let second = bench.stdout(&["store", "add", "samples.folded", "--label", "build=slow"]);
    let ids = [first.trim().to_owned(), second.trim().to_owned()];
    (bench, ids)
}

#[test]
fn saved_runs_are_listed_and_shown_as_the_schema_says() {
    let (bench, [first, second]) = filled();
    let schema = bench.json(&["schema", "store/1"]);
    let list = bench.json(&["store", "ls", "--format", "json"]);
    assert_eq!(problems(&schema, &list), Vec::<String>::new());
    let ids: Vec<_> =
        list["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [second.as_str(), first.as_str()], "the last saved comes first");
    let shown = bench.json(&["store", "show", "latest~1", "--format", "json"]);
    assert_eq!(problems(&schema, &shown), Vec::<String>::new());
    let run = &shown["runs"][0];
    assert_eq!((&run["id"], &run["labels"]["build"]), (&first.as_str().into(), &"fast".into()));
    assert_eq!((&run["name"], &run["labels"]["workload"]), (&"calor".into(), &"model".into()));
    let report = bench.json(&["report", "profile.calor", "--format", "json"]);
    for field in ["duration_ns", "cpu_ns", "command", "started_at", "recorders"] {
        assert_eq!(run[field], report["run"][field], "{field}");
    }
    assert_eq!(run["scopes"], report["summary"]["scopes"]);
    assert_eq!(list["runs"][0]["name"], "samples.folded");
    let page = bench.stdout(&["store", "show", &first]);
    assert!(page.contains("labels     build=fast model=small workload=model"), "{page}");
}

#[test]
fn lists_for_people_and_spreadsheets_have_the_same_runs() {
    let (bench, [first, second]) = filled();
    let table = bench.stdout(&["store", "ls"]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(
        lines[0].starts_with("ID ") && lines[1].starts_with(&second) && lines[2].starts_with(&first),
        "{table}"
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{table}");
    let csv = bench.stdout(&["store", "ls", "--format", "csv", "--label", "build=fast"]);
    let rows: Vec<&str> = csv.split("\r\n").collect();
    assert!(rows.len() == 3 && rows[0].starts_with("id,saved_at,") && rows[1].starts_with(&first), "{csv}");
    for (arguments, expected) in [
        (&["--name", "samples.folded"][..], 1),
        (&["--label", "build=fast", "--label", "workload=model"], 1),
        (&["--label", "build=fast", "--label", "workload=other"], 0),
        (&["--since", "1h"], 2),
        (&["--last", "1"], 1),
        (&["--branch", "nowhere"], 0),
        (&["--commit", "abc"], 0),
    ] {
        let list = bench.json(&[&["store", "ls", "--format", "json"][..], arguments].concat());
        assert_eq!(list["runs"].as_array().unwrap().len(), expected, "{arguments:?}");
    }
}

#[test]
fn a_saved_run_is_read_like_the_file_it_came_from() {
    let (bench, [first, _]) = filled();
    let of_file = bench.json(&["report", "profile.calor", "--format", "json"]);
    let beginning = format!("store:{}", &first[..5]);
    for name in ["store:build=fast", "store:latest~1", &beginning, &first, "latest~1"] {
        assert_eq!(bench.json(&["report", name, "--format", "json"]), of_file, "{name}");
    }
    let folded = bench.stdout(&["convert", "latest", "--to", "folded"]);
    assert!(folded.contains("main;work;inner 30"), "{folded}");
    bench.stdout(&["convert", "store:build=fast", "copy.calor"]);
    assert_eq!(bench.json(&["report", "copy.calor", "--format", "json"]), of_file);
    bench.stdout(&["flame", "store:latest", "-o", "flame.svg"]);
}

#[test]
fn a_file_wins_over_a_run_and_a_missing_file_is_still_one() {
    let (bench, [first, _]) = filled();
    bench.put(&first, b"main;other 1\n");
    assert!(bench.stdout(&["convert", &first, "--to", "folded"]).contains("main;other 1"));
    let by_store = format!("store:{first}");
    assert!(!bench.stdout(&["convert", &by_store, "--to", "folded"]).contains("main;other 1"));
    for name in ["missing.calor", "abcdefgh", "a", "key=value"] {
        let message = bench.failure(&["report", name]);
        assert!(message.contains(&format!("{name}: no such file; check the path")), "{message}");
    }
}

#[test]
fn the_same_profile_added_again_keeps_its_id() {
    let (bench, [first, _]) = filled();
    let again = bench.run(&["store", "add", "profile.calor", "--label", "more=yes"]);
    assert_eq!(text(&again.stdout).trim(), first);
    assert!(text(&again.stderr).contains("was saved before"), "{}", text(&again.stderr));
    let run = &bench.json(&["store", "show", &first, "--format", "json"])["runs"][0];
    assert_eq!((&run["labels"]["build"], &run["labels"]["more"]), (&"fast".into(), &"yes".into()));
}

#[test]
fn the_store_is_found_from_inner_folders_and_named_by_flag_variable_and_settings() {
    let (bench, _) = filled();
    let inner = bench.path("inner/deep");
    fs::create_dir_all(&inner).unwrap();
    let count = |command: &mut Command| {
        let output = command.args(["store", "ls", "--format", "json"]).output().unwrap();
        let page: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        page["runs"].as_array().map(Vec::len)
    };
    assert_eq!(count(bench.command(&[]).current_dir(&inner)), Some(2));
    bench.stdout(&["--store", "by-flag", "store", "add", "profile.calor"]);
    assert_eq!(count(&mut bench.command(&["--store", "by-flag"])), Some(1));
    assert_eq!(count(bench.command(&[]).env("CALOR_STORE", "by-flag")), Some(1));
    assert_eq!(count(bench.command(&[]).env("CALOR_STORE", "")), Some(2));
    bench.put("calor.toml", b"[store]\npath = 'by-flag'\n");
    // Seen from the folder of the file, wherever the command is run.
    assert_eq!(count(bench.command(&[]).current_dir(&inner)), Some(1));
    assert_eq!(count(bench.command(&[]).env("CALOR_STORE", ".calor")), Some(2));
    assert_eq!(count(bench.command(&["--store", ".calor"]).env("CALOR_STORE", "by-flag")), Some(2));
    assert_eq!(count(&mut bench.command(&["--store", "nowhere"])), None);
    assert!(!bench.path("nowhere").exists(), "looking makes nothing");
}

#[test]
fn runs_are_removed_by_name_age_and_number_and_never_those_of_baselines() {
    let (bench, [first, second]) = filled();
    bench.put("third.folded", b"main;third 1\n");
    bench.put("fourth.folded", b"main;fourth 1\n");
    bench.stdout(&["store", "add", "third.folded", "fourth.folded"]);
    bench.stdout(&["baseline", "set", "main", &first]);
    let left = || bench.json(&["store", "ls", "--format", "json"])["runs"].as_array().unwrap().len();
    let would_go = bench.stdout(&["store", "rm", "--keep", "2", "--dry-run"]);
    assert!(would_go.contains(&second) && !would_go.contains(&first), "{would_go}");
    assert_eq!(left(), 4);
    bench.stdout(&["store", "rm", "--older-than", "1d"]);
    assert_eq!(left(), 4);
    bench.stdout(&["store", "rm", "--keep", "2"]);
    assert_eq!(left(), 3);
    bench.stdout(&["store", "rm", "latest", "name:third.folded"]);
    assert_eq!(left(), 1);
    // What would be refused is refused when only asked for.
    for words in [&["store", "rm", &first][..], &["store", "rm", &first, "--dry-run"]] {
        let message = bench.failure(words);
        assert!(
            message.contains("belongs to baseline `main`") && message.contains("calor baseline rm main"),
            "{message}"
        );
    }
    bench.stdout(&["store", "rm", "--older-than", "0s"]);
    assert_eq!(left(), 1);
    assert!(bench.stdout(&["store", "check"]).contains("1 run, "));
    for (arguments, expected) in [
        (&["store", "rm"][..], "nothing to remove: name runs, or give --older-than 30d"),
        (&["store", "rm", "--older-than", "30"], "such as 30d"),
        (&["store", "rm", "--keep", "-1"], "expected a whole number"),
        (&["store", "rm", "latest", "--keep", "1"], "cannot be used with"),
        (&["store", "rm", "nothing!"], "`nothing!` names no run"),
        (&["store", "rm", "latest~9"], "no saved run for `latest~9` in the store of one run"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn a_store_that_cannot_be_used_is_told_and_left_as_it_is() {
    let (bench, _) = filled();
    let database = bench.path(".calor/store.db");
    let whole = fs::read(&database).unwrap();
    let mut newer = whole.clone();
    // The version in the header of the file.
    newer[60..64].copy_from_slice(&9_u32.to_be_bytes());
    let mut other = whole.clone();
    other[68..72].copy_from_slice(&7_u32.to_be_bytes());
    let half = whole[..whole.len() / 2].to_vec();
    for (content, expected) in [
        (b"this is no database ".repeat(100), "expected a store of Calor, found a file that is no database"),
        (newer, "written by a newer Calor (store 9); this one reads up to 2: update calor"),
        (other, "found an SQLite database of another program; it was left as it is"),
        (half, "the store is damaged"),
    ] {
        fs::write(&database, &content).unwrap();
        for arguments in [
            &["store", "ls"][..],
            &["store", "add", "profile.calor"],
            &["report", "store:latest"],
            &["baseline", "list"],
            &["demo", "--save"],
        ] {
            let message = bench.failure(arguments);
            assert!(message.contains(expected), "{arguments:?}: {message}");
        }
        assert!(fs::read(&database).unwrap() == content, "{expected}: the file was changed");
        assert!(!bench.path("calor-demo").exists(), "nothing is recorded for a store that cannot be written");
    }
    fs::write(&database, whole).unwrap();
    assert_eq!(bench.json(&["store", "ls", "--format", "json"])["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_misspelt_is_answered_with_what_to_do() {
    let (bench, _) = filled();
    for (arguments, expected) in [
        (&["report", "store:latest~7"][..], "no saved run for `latest~7` among 2: see `calor store ls`"),
        (&["report", "store:"], "expected an id, latest, latest~1, KEY=VALUE"),
        (&["report", "store:build=other"], "no saved run for `build=other`"),
        (&["report", "store:baseline:main"], "there is no baseline `main`"),
        (&["store", "show", "profile.calor"], "`profile.calor` names no run"),
        (&["store", "add", "profile.calor", "--label", "fast"], "`fast` is no label: expected KEY=VALUE"),
        (&["store", "add", "missing.calor"], "missing.calor: no such file"),
        (&["--store", "profile.calor", "store", "ls"], "expected a folder, found a file"),
        (&["--store", "nowhere", "store", "ls"], "there is no store yet: save a run first"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

/// Files may not grow beyond a limit then, which the signal would end the command for if it were not ignored.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_loses_nothing_that_was_saved() {
    let (bench, ids) = filled();
    let lines: String =
        (0..60_000_u64).map(|n| format!("main;f{:x} 1\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    bench.put("large.folded", lines.as_bytes());
    let script = "trap '' XFSZ; ulimit -f 256; exec \"$0\" store add large.folded";
    let mut command = Command::new("bash");
    command.args(["-c", script, env!("CARGO_BIN_EXE_calor")]).current_dir(bench.path(""));
    let output = command.env_remove("CALOR_STORE").output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("nothing that was saved before is lost"), "{message}");
    let list = bench.json(&["store", "ls", "--format", "json"]);
    let left: Vec<_> =
        list["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap()).collect();
    assert_eq!(left, [ids[1].as_str(), ids[0].as_str()]);
    assert!(bench.stdout(&["store", "check"]).contains("2 runs"));
    // Where nothing at all fits any more, what there is can be read.
    let script = "trap '' XFSZ; ulimit -f 0; \"$0\" store ls && \"$0\" report latest && exec \"$0\" store add profile.calor";
    let mut command = Command::new("bash");
    command.args(["-c", script, env!("CARGO_BIN_EXE_calor")]).current_dir(bench.path(""));
    let output = command.env_remove("CALOR_STORE").output().unwrap();
    assert!(text(&output.stdout).contains(&ids[0]), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("no room on the disk"), "{}", text(&output.stderr));
    bench.stdout(&["store", "add", "large.folded"]);
}

#[test]
fn a_demo_is_saved_with_its_labels_and_settings() {
    let bench = Workbench::new();
    let demo = ["demo", "--size", "small", "--tokens", "1", "--inferences", "1"];
    bench.stdout(&[&demo[..], &["--save=no", "--label", "build=fast"]].concat());
    assert!(!bench.path(".calor").exists(), "somebody asked for none");
    let report = bench.json(&["report", "calor-demo/small.calor", "--format", "json"]);
    assert_eq!(report["run"]["labels"]["build"], "fast");
    let output = bench.run(&[&demo[..], &["--save", "--label", "build=slow"]].concat());
    assert!(
        output.status.success() && text(&output.stderr).contains("Saved demo-small as "),
        "{}",
        text(&output.stderr)
    );
    let run = &bench.json(&["store", "show", "name:demo-small", "--format", "json"])["runs"][0];
    assert_eq!((&run["name"], &run["labels"]["build"]), (&"demo-small".into(), &"slow".into()));
    assert_eq!((&run["settings"]["tokens"], &run["recorders"][0]), (&"1".into(), &"scopes".into()));
    bench.put("calor.toml", b"[store]\nsave = true\nkeep = 1\n");
    let output = bench.run(&[&demo[..], &["--label", "build=third"]].concat());
    assert!(
        text(&output.stderr).contains("removed 1 run beyond the 1 that [store]"),
        "{}",
        text(&output.stderr)
    );
    let runs = bench.json(&["store", "ls", "--format", "json"])["runs"].clone();
    assert_eq!((runs.as_array().unwrap().len(), &runs[0]["labels"]["build"]), (1, &"third".into()));
    bench.stdout(&[&demo[..], &["--save=no"]].concat());
    assert_eq!(bench.json(&["store", "ls", "--format", "json"])["runs"], runs);
}

#[test]
fn the_commit_of_a_work_tree_is_noted_where_it_is_asked_for() {
    let (bench, [first, _]) = filled();
    let commit = "0123456789abcdef0123456789abcdef01234567";
    fs::create_dir_all(bench.path(".git/refs/heads")).unwrap();
    bench.put(".git/HEAD", b"ref: refs/heads/topic\n");
    bench.put(".git/refs/heads/topic", format!("{commit}\n").as_bytes());
    assert!(bench.json(&["store", "show", &first, "--format", "json"])["runs"][0]["commit"].is_null());
    bench.put("new.folded", b"main;new 1\n");
    bench.stdout(&["store", "add", "new.folded", "--commit", "HEAD"]);
    for name in ["commit:0123456", "01234567", "branch:topic"] {
        let run = &bench.json(&["store", "show", name, "--format", "json"])["runs"][0];
        assert_eq!((&run["commit"], &run["branch"]), (&commit.into(), &"topic".into()), "{name}");
    }
    let demo = ["demo", "--size", "small", "--tokens", "1", "--inferences", "1", "--save"];
    bench.stdout(&demo);
    let report = bench.json(&["report", "store:latest", "--format", "json"]);
    assert_eq!(report["run"]["commit"], commit);
}
