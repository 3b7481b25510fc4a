//! The help texts: examples first, and every example works.

use std::process::Command;

use super::workbench::{Workbench, text};

const COMMANDS: [&str; 26] = [
    "demo",
    "bench",
    "record",
    "top",
    "stat",
    "ab",
    "verify",
    "report",
    "annotate",
    "heap",
    "findings",
    "roofline",
    "flame",
    "whatif",
    "forecast",
    "convert",
    "compare",
    "check",
    "history",
    "store",
    "baseline",
    "doctor",
    "machine",
    "schema",
    "completions",
    "man",
];

/// Those of `calor bench`.
const WORKLOADS: [&str; 4] = ["compression", "model", "simd", "tokenizer"];

fn pages(bench: &Workbench) -> Vec<String> {
    let mut pages = vec![bench.stdout(&["--help"])];
    pages.extend(COMMANDS.map(|command| bench.stdout(&[command, "--help"])));
    pages
}

/// The same with those of workloads, whose examples take long or need files of the reader's.
fn all_pages(bench: &Workbench) -> Vec<String> {
    let mut pages = pages(bench);
    pages.extend(WORKLOADS.map(|workload| bench.stdout(&["bench", workload, "--help"])));
    pages
}

/// The lines between `Examples:` and the next empty line, without the words beside them.
fn examples(page: &str) -> Vec<String> {
    let (_, rest) = page.split_once("Examples:\n").expect("there are examples");
    let lines = rest.lines().take_while(|line| !line.is_empty());
    lines.map(|line| line.trim().split("   ").next().unwrap_or_default().to_owned()).collect()
}

/// The names in the groups of commands.
fn listed(page: &str) -> Vec<&str> {
    let (_, rest) = page.split_once("Commands, each with --help:\n").expect("there are commands");
    let lines = rest.lines().take_while(|line| !line.is_empty());
    lines.flat_map(|line| line.get(11..).unwrap_or_default().trim_end_matches(',').split(", ")).collect()
}

#[test]
fn a_command_that_is_none_is_answered_with_the_nearest_ones() {
    let bench = Workbench::new();
    for (arguments, expected) in [
        (&["repot"][..], "a similar subcommand exists: 'report'"),
        (&["help", "flam"][..], "a similar subcommand exists: 'flame'"),
        (&["convrt", "x"][..], "a similar subcommand exists: 'convert'"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn examples_and_usage_fit_eighty_columns() {
    let bench = Workbench::new();
    for page in all_pages(&bench) {
        let typed = page.lines().take_while(|line| *line != "Arguments:" && *line != "Options:");
        for line in typed {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

#[test]
fn the_first_page_of_help_fits_a_screen_of_24_rows_and_80_columns() {
    let bench = Workbench::new();
    for arguments in [&["--help"][..], &["-h"], &["help"]] {
        let page = bench.stdout(arguments);
        assert!(page.lines().count() <= 23, "a row is for the prompt:\n{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
        assert!(!page.contains("  More "), "a new command belongs into a group:\n{page}");
    }
}

#[test]
fn every_command_begins_its_help_with_examples() {
    let bench = Workbench::new();
    let all = bench.stdout(&["--help"]);
    let mut listed = listed(&all);
    let mut known = [&COMMANDS[..], &["help"]].concat();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known, "a new command belongs into these tests, and into a group");
    for page in all_pages(&bench) {
        let (examples, usage) = (page.find("Examples:"), page.find("Usage:"));
        assert!(examples.is_some() && examples < usage, "{page}");
    }
}

/// Runs lines as typed into a shell, in which `calor` is the command under test.
pub(super) fn run_lines(bench: &Workbench, lines: &[String]) {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_calor")).parent().expect("it lies in a folder");
    // Other programs of the examples may not be installed here; these take and give what those would.
    std::fs::create_dir(bench.path("bin")).expect("a folder can be made");
    for program in ["jq", "man"] {
        let path = bench.path("bin").join(program);
        std::fs::write(&path, "#!/bin/sh\nexec cat\n").expect("a script can be written");
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("it is ours");
    }
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let folders = [bench.path("bin"), folder.to_owned()].into_iter().chain(std::env::split_paths(&usual));
    let path = std::env::join_paths(folders).expect("folders of a path can be joined");
    for line in lines {
        let mut shell = Command::new("bash");
        shell.args(["-eo", "pipefail", "-c", line]).env("PATH", &path).current_dir(bench.path(""));
        shell.env("XDG_CACHE_HOME", bench.path(""));
        let output = shell.output().expect("bash can be started");
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    }
}

#[test]
fn every_example_of_the_help_works() {
    let bench = Workbench::new();
    let examples: Vec<String> = pages(&bench).iter().flat_map(|page| examples(page)).collect();
    assert!(examples.len() >= 30, "{examples:#?}");
    // A whole demo takes a while; a short one takes the same way.
    let brief = " demo --size small --tokens 1 --inferences 1";
    // Those of `record`, `top`, `stat`, `ab`, `verify` and `check` need programs of the reader's, `annotate` samples of one, `heap` its
    // heap, `compare` two runs, `forecast` four and `history` many; their own tests run them.
    let of_reader = [
        "calor record ",
        "calor top ",
        "calor stat ",
        "calor ab ",
        "calor bench ",
        "calor verify ",
        "calor annotate ",
        "calor heap ",
        "calor compare ",
        "calor forecast ",
        "calor check ",
        "calor history",
        "calor baseline set main --runs ",
    ];
    // So does whatever is to be confirmed.
    let is_of_reader =
        |line: &str| of_reader.iter().any(|start| line.starts_with(start)) || line.contains(" --confirm ");
    let runnable = examples.iter().filter(|line| !is_of_reader(line));
    let shortened = runnable.map(|line| match line.contains("--size") {
        true => line.clone(),
        false => line.replace(" demo", brief).replace("/tmp/demo", "demo-elsewhere"),
    });
    run_lines(&bench, &shortened.collect::<Vec<_>>());
    for name in ["report.html", "flame.svg", "flame.html", "profile.pb.gz", "table.csv", "man1", "_calor"] {
        assert!(bench.path(name).exists(), "{name} was not written: {:?}", bench.names());
    }
}

#[test]
fn every_line_of_the_page_about_the_command_works() {
    let page = include_str!("../../../../docs/commands.md");
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<String> = blocks.flat_map(str::lines).map(str::to_owned).collect();
    assert!(lines.len() >= 10, "{lines:#?}");
    let bench = Workbench::new();
    run_lines(&bench, &lines);
    for name in ["threads.svg", "decode.svg", "report.schema.json", "doctor.json"] {
        assert!(!bench.get(name).is_empty(), "{name}");
    }
}

#[test]
fn every_line_of_the_page_about_the_store_works() {
    let page = include_str!("../../../../docs/store.md");
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<String> = blocks.flat_map(str::lines).map(str::to_owned).collect();
    assert!(lines.len() >= 10, "{lines:#?}");
    let bench = Workbench::new();
    run_lines(&bench, &lines);
    assert!(bench.stdout(&["store", "ls"]).contains("baseline:main"));
}

#[test]
fn a_slip_of_the_pen_gets_a_suggestion() {
    let bench = Workbench::new();
    for (arguments, expected) in [
        (&["flmae", "profile.calor"][..], "'flame'"),
        (&["docter"][..], "'doctor'"),
        (&["reprot", "profile.calor"][..], "'report'"),
        (&["convrt", "profile.calor"][..], "'convert'"),
        (&["shema"][..], "'schema'"),
        (&["completion", "bash"][..], "'completions'"),
        (&["convert", "profile.calor", "--metirc", "cpu"][..], "'--metric'"),
        (&["convert", "profile.calor", "--outptu", "a.csv"][..], "'--output'"),
        (&["convert", "profile.calor", "--to", "specdscope"][..], "'speedscope'"),
        (&["convert", "profile.calor", "--to", "folded", "--metric", "scops"][..], "'scopes'"),
        (&["convert", "profile.calor", "--to", "folded", "--metric", "alocated"][..], "'allocated'"),
        (&["flame", "profile.calor", "--invrt"][..], "'--invert'"),
        (&["flame", "profile.calor", "--metric", "off_cup"][..], "'off_cpu'"),
        (&["report", "profile.calor", "--formt", "json"][..], "'--format'"),
        (&["report", "profile.calor", "--format", "htlm"][..], "'html'"),
        (&["report", "profile.calor", "--by", "cals"][..], "'calls'"),
        (&["completions", "bsh"][..], "'bash'"),
        (&["demo", "--siz", "small"][..], "'--size'"),
        (&["doctor", "--format", "jsn"][..], "'json'"),
        (&["report", "profile.calor", "--color", "alwys"][..], "'always'"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains("similar") && message.contains(expected), "{message}");
    }
}
