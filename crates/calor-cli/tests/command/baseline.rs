//! `calor baseline`: named sets of runs.

use super::schema_check::problems;
use super::workbench::{Workbench, text};

fn with_runs() -> (Workbench, Vec<String>) {
    let bench = Workbench::new();
    let ids = (1..=3).map(|number| {
        let name = format!("run{number}.folded");
        bench.put(&name, format!("main;work {number}\n").as_bytes());
        bench.stdout(&["store", "add", &name]).trim().to_owned()
    });
    let ids = ids.collect();
    (bench, ids)
}

fn members(bench: &Workbench, name: &str) -> Vec<String> {
    let page = bench.json(&["baseline", "show", name, "--format", "json"]);
    let runs = page["baselines"][0]["runs"].as_array().cloned().unwrap_or_default();
    runs.iter().map(|run| run["id"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_baseline_is_set_replaced_listed_and_removed() {
    let (bench, ids) = with_runs();
    let output = bench.run(&["baseline", "set", "main", "latest", "latest~1", &ids[2]]);
    assert!(text(&output.stderr).starts_with("set baseline main: 2 runs"), "{}", text(&output.stderr));
    assert_eq!(members(&bench, "main"), [ids[2].clone(), ids[1].clone()]);
    let output = bench.run(&["baseline", "set", "main", "store:baseline:main", &ids[0]]);
    assert!(text(&output.stderr).starts_with("replaced baseline main: 3 runs"), "{}", text(&output.stderr));
    assert_eq!(members(&bench, "main"), [ids[2].clone(), ids[1].clone(), ids[0].clone()]);
    bench.stdout(&["baseline", "set", "other", &ids[0]]);

    let schema = bench.json(&["schema", "baseline/1"]);
    let list = bench.json(&["baseline", "list", "--format", "json"]);
    assert_eq!(problems(&schema, &list), Vec::<String>::new());
    let shown = bench.json(&["baseline", "show", "other", "--format", "json"]);
    assert_eq!(problems(&schema, &shown), Vec::<String>::new());
    let table = bench.stdout(&["baseline", "list"]);
    let names: Vec<_> = table.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, ["NAME", "main", "other"]);
    assert!(bench.stdout(&["baseline", "show", "main"]).contains(&ids[1]));
    let of_main = bench.json(&["store", "ls", "--baseline", "main", "--format", "json"]);
    assert_eq!(of_main["runs"].as_array().unwrap().len(), 3);
    assert_eq!(bench.stdout(&["convert", "store:baseline:other", "--to", "folded"]), "main;work 1\n");

    bench.stdout(&["baseline", "rm", "main"]);
    assert_eq!(bench.json(&["store", "ls", "--format", "json"])["runs"].as_array().unwrap().len(), 3);
    assert_eq!(bench.stdout(&["baseline", "list"]).lines().count(), 2);
}

#[test]
fn the_last_runs_make_a_baseline_if_there_are_as_many() {
    let (bench, ids) = with_runs();
    bench.stdout(&["store", "add", "run1.folded", "run3.folded", "--label", "build=fast"]);
    bench.stdout(&["baseline", "set", "main", "--last", "2"]);
    assert_eq!(members(&bench, "main"), [ids[2].clone(), ids[1].clone()]);
    bench.stdout(&["baseline", "set", "main", "--last", "2", "--label", "build=fast"]);
    assert_eq!(members(&bench, "main"), [ids[2].clone(), ids[0].clone()]);
    let message = bench.failure(&["baseline", "set", "main", "--last", "3", "--label", "build=fast"]);
    assert!(message.contains("only 2 of 3 runs with these labels are saved"), "{message}");
    assert_eq!(members(&bench, "main"), [ids[2].clone(), ids[0].clone()]);
}

#[test]
fn files_are_saved_when_a_baseline_is_made_of_them() {
    let bench = Workbench::new();
    bench.put("other.folded", b"main;work 1\n");
    bench.stdout(&["baseline", "set", "release", "profile.calor", "other.folded"]);
    assert_eq!(members(&bench, "release").len(), 2);
    bench.stdout(&["baseline", "set", "release", "profile.calor"]);
    assert_eq!(members(&bench, "release").len(), 1);
    assert_eq!(bench.json(&["store", "ls", "--format", "json"])["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn nothing_is_saved_for_a_baseline_whose_name_cannot_be_one() {
    let bench = Workbench::new();
    bench.put("other.folded", b"main;work 1\n");
    let message = bench.failure(&["baseline", "set", "a b/..", "other.folded"]);
    assert!(message.contains("cannot be the name of a baseline") && !message.contains("saved"), "{message}");
    assert!(bench.failure(&["store", "ls"]).contains("there is no store yet"));
}

#[test]
fn nothing_is_saved_for_a_baseline_of_which_one_run_is_no_good() {
    let bench = Workbench::new();
    bench.put("good.folded", b"main;work 1\n");
    bench.put("bad.calor", b"not a profile at all\n");
    super::compare::put(&bench, "nothing.calor", &calor_model::Profile::default());
    for (last, expected) in [
        ("bad.calor", "not a profile"),
        ("nothing.calor", "nothing can be held against it"),
        ("missing.calor", "names no run"),
        ("latest", "there is no store yet"),
    ] {
        let message = bench.failure(&["baseline", "set", "main", "good.folded", last]);
        assert!(message.contains(expected) && !message.contains("saved as"), "{last}: {message}");
        assert!(bench.failure(&["store", "ls"]).contains("there is no store yet"), "{last}");
    }
    let id = bench.stdout(&["store", "add", "good.folded"]).trim().to_owned();
    bench.put("other.folded", b"main;work 2\n");
    for arguments in [&["other.folded", "latest~9"][..], &["other.folded", "--last", "7"]] {
        let arguments: Vec<&str> = ["baseline", "set", "main"].iter().chain(arguments).copied().collect();
        let message = bench.failure(&arguments);
        assert!(!message.contains("other.folded: saved"), "{message}");
    }
    let runs = bench.json(&["store", "ls", "--format", "json"])["runs"].clone();
    assert_eq!((runs.as_array().unwrap().len(), &runs[0]["id"]), (1, &id.as_str().into()));
}

#[test]
fn a_baseline_that_cannot_be_set_leaves_the_old_one() {
    let (bench, ids) = with_runs();
    bench.stdout(&["baseline", "set", "main", &ids[0]]);
    for (arguments, expected) in [
        (&["baseline", "set", "main"][..], "required"),
        (&["baseline", "set", "main", "latest", "latest~9"], "no saved run for `latest~9`"),
        (&["baseline", "set", "main", "missing.calor"], "`missing.calor` names no run"),
        (&["baseline", "set", "a b", "latest"], "cannot be the name of a baseline"),
        (&["baseline", "show", "mian"], "there is no baseline `mian`, only main"),
        (&["baseline", "rm", "mian"], "there is no baseline `mian`"),
        (&["report", "store:baseline:none"], "there is no baseline `none`"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    assert_eq!(members(&bench, "main"), [ids[0].clone()]);
    bench.stdout(&["baseline", "set", "main", &ids[0], &ids[1]]);
    let message = bench.failure(&["report", "store:baseline:main"]);
    assert!(message.contains("is 2 runs where one is wanted") && message.contains(&ids[1]), "{message}");
}
