//! `calor ab` on commands that do a fixed amount of work. How often its verdicts are right is tested where they are made;
//! here no verdict is expected but that on three times the work.

use serde_json::Value;

use super::schema_check::problems;
use super::workbench::{Workbench, text};

/// A loop of the shell that does so many thousand additions.
fn work(thousands: u32) -> String {
    format!("i=0; while [ $i -lt {thousands}000 ]; do i=$((i+1)); done")
}

fn json(bench: &Workbench, arguments: &[&str]) -> Value {
    let page = bench.json(&[&["ab", "--format", "json"], arguments].concat());
    let found = problems(&bench.json(&["schema", "ab/1"]), &page);
    assert!(found.is_empty(), "{found:#?}");
    page
}

fn codes(page: &Value) -> Vec<&str> {
    let warnings = page["warnings"].as_array().expect("warnings are a list");
    warnings.iter().filter_map(|warning| warning["code"].as_str()).collect()
}

#[test]
fn three_times_the_work_is_slower_and_the_page_says_so_first() {
    let bench = Workbench::new();
    let (once, thrice) = (work(20), work(60));
    let output = bench.run(&["ab", "--max-time", "10m", "--max-pairs", "40", "--seed", "1", &once, &thrice]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = text(&output.stdout);
    let first = page.lines().next().unwrap_or_default();
    assert!(first.starts_with("B is ") && first.contains(" % slower than A (95 % interval "), "{page}");
    for part in [&*once, &thrice, "CPU time", "wall time", "ratio to A", "in random order", "(seed 1)"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
}

#[test]
fn a_page_in_a_file_leaves_the_verdict_on_the_terminal() {
    let bench = Workbench::new();
    let (once, thrice) = (work(10), work(60));
    for file in ["v.md", "v.json"] {
        let options = ["ab", "--max-time", "10m", "--max-pairs", "10", "--discard-output", "-o", file];
        let output = bench.run(&[&options[..], &[&*once, &*thrice]].concat());
        let said = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(output.status.success() && output.stdout.is_empty(), "{said}");
        let (_, after) = said.split_once(&format!("wrote {file}")).expect("it is written");
        assert!(after.contains("% slower than A (95 % interval") || after.contains("undecided"), "{said}");
    }
}

#[test]
fn a_command_against_itself_comes_to_some_verdict_and_the_fields_are_promised() {
    let bench = Workbench::new();
    let line = work(10);
    let page = json(&bench, &["--max-time", "10m", "--max-pairs", "12", "--seed", "7", &line, &line]);
    assert_eq!((&page["metric"], &page["seed"], &page["warmup"]), (&"cpu".into(), &7.into(), &1.into()));
    assert_eq!(page["commands"], serde_json::json!([line, line]));
    assert_eq!(page["comparisons"][0]["sentence"], page["sentence"]);
    let (effect, interval) = (page["effect"].as_f64(), &page["interval"]);
    assert!(interval[0].as_f64() <= effect && effect <= interval[1].as_f64(), "{page:#}");
    let pairs = page["pairs"].as_u64().expect("pairs are counted");
    assert!((5..=12).contains(&pairs) && page["rounds"] == pairs, "{page:#}");
    for metric in ["cpu", "wall"] {
        let variants = page["metrics"][metric]["variants"].as_array().expect("both were measured");
        assert_eq!(variants.len(), 2);
        for variant in variants {
            let of = |field: &str| variant[field].as_u64().unwrap_or_else(|| panic!("{field}: {variant}"));
            assert!(of("min") <= of("low") && of("low") <= of("median"), "{variant}");
            assert!(of("median") <= of("high") && of("high") <= of("max"), "{variant}");
            assert_eq!(of("runs"), pairs);
        }
    }
    assert_eq!(page["metrics"]["cpu"]["effect"], page["effect"]);
    assert!(!codes(&page).contains(&"outputs_differ"), "{page:#}");
}

#[test]
fn commands_are_named_in_quotes_or_between_dashes() {
    let bench = Workbench::new();
    let options = ["--max-pairs", "1", "--warmup", "0", "--max-time", "10m"];
    for (commands, expected) in [
        (&["sh -c 'exit 0'", "true"][..], serde_json::json!(["sh -c 'exit 0'", "true"])),
        (&["--", "sh", "-c", "exit 0", "--", "true"], serde_json::json!(["sh -c 'exit 0'", "true"])),
        (&["--", "true", "--", "exit 0", "--", "true x"], serde_json::json!(["true", "exit 0", "true x"])),
    ] {
        let page = json(&bench, &[&options, commands].concat());
        assert_eq!(page["commands"], expected);
        assert_eq!(
            page["comparisons"].as_array().map(Vec::len),
            Some(expected.as_array().unwrap().len() - 1)
        );
        // One pair decides nothing, and what would is told.
        assert_eq!((&page["verdict"], &page["doubt"]), (&"undecided".into(), &"too_few_pairs".into()));
        assert!(page["effect"].is_null() && page["null_control"].is_null(), "{page:#}");
        assert!(codes(&page).contains(&"too_few_runs"), "{page:#}");
        assert!(page["advice"][0].as_str().is_some_and(|advice| advice.contains("--max-pairs")), "{page:#}");
    }
}

#[test]
fn a_command_that_fails_ends_the_experiment_and_its_last_lines_are_shown() {
    let bench = Workbench::new();
    let failing = "seq 100; echo the disk is on fire >&2; exit 7";
    // What it wrote has passed through already; thrown away, its end is shown all the same.
    let output = bench.run(&["ab", "true", failing]);
    let message = text(&output.stderr);
    assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{message}");
    assert!(message.starts_with("1\n2\n") && message.contains("error: command B failed"), "{message}");
    let message = bench.failure(&["ab", "--discard-output", "true", failing]);
    for part in ["command B failed while warming up", "exit code 7", "  the disk is on fire", failing] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let killed = ["ab", "--discard-output", "--", "sh", "-c", "seq 100; kill -9 $$", "--", "true"];
    let message = bench.failure(&killed);
    assert!(message.contains("command A") && message.contains("was ended by SIGKILL"), "{message}");
    assert!(
        message.contains("\n  91\n") && message.ends_with("\n  100\n") && !message.contains("90"),
        "{message}"
    );
    // The first run is good, the second is not.
    let later = "test ! -e ran && touch ran";
    let message = bench.failure(&["ab", later, "true", "--max-pairs", "3"]);
    assert!(message.contains("command A failed in pair 1") && message.contains("exit code 1"), "{message}");
}

#[test]
fn what_cannot_be_compared_is_refused_before_anything_runs() {
    let bench = Workbench::new();
    for (arguments, expected) in [
        (&["ab"][..], "nothing to compare"),
        (&["ab", "touch ran"], "expected at least two commands, found one, `'touch ran'`"),
        (&["ab", "--", "touch", "ran"], "expected at least two commands"),
        (&["ab", "touch ran", ""], "command B is empty"),
        (&["ab", "touch ran", "true", "--margin", "2"], "a percentage such as 2%"),
        (&["ab", "touch ran", "true", "--margin", "100%"], "less than 100%, such as 2%"),
        (&["ab", "touch ran", "true", "--max-time", "soon"], "a time such as 30s"),
        (&["ab", "touch ran", "true", "--max-pairs", "0"], "a whole number from 1 on"),
        (&["ab", "touch ran", "true", "--warmup", "-1"], "expected a whole number"),
        (&["ab", "touch ran", "true", "--metric", "tiem"], "[possible values: cpu, wall, rss, instructions]"),
        (&["ab", "touch ran", "true", "-o", "nowhere/page.md"], "there is no folder nowhere"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(!bench.path("ran").exists(), "{arguments:?}");
    }
    let message = bench.failure(&["ab", "true", "no-such-program-anywhere"]);
    assert!(message.contains("command B: there is no program `no-such-program-anywhere`"), "{message}");
}

#[test]
fn instructions_are_compared_where_the_processor_counts_them_and_refused_elsewhere() {
    let bench = Workbench::new();
    let output = bench.run(&["ab", "--metric", "instructions", "--max-pairs", "5", "touch ran", "true"]);
    match output.status.code() {
        Some(0) => assert!(text(&output.stdout).contains("instructions"), "{}", text(&output.stdout)),
        code => {
            let message = text(&output.stderr);
            assert_eq!(code, Some(2), "{message}");
            assert!(message.contains("not available") && message.contains("--metric cpu"), "{message}");
            assert!(!bench.path("ran").exists());
        }
    }
}

#[test]
fn commands_that_are_over_at_once_and_those_that_print_other_things_are_told() {
    let bench = Workbench::new();
    let page = json(&bench, &["--max-pairs", "2", "--max-time", "10m", "echo one", "echo two"]);
    assert_eq!(codes(&page).iter().filter(|code| **code == "outputs_differ").count(), 1, "{page:#}");
    // A machine on which a shell needs 5 ms to start has nothing to tell.
    let is_short = |at: usize| page["metrics"]["cpu"]["variants"][at]["median"].as_u64() < Some(5_000_000);
    assert_eq!(codes(&page).contains(&"too_short"), is_short(0) || is_short(1), "{page:#}");
    // What differs from run to run anyhow says nothing.
    let clock = "date +%s%N";
    let page = json(&bench, &["--max-pairs", "2", "--max-time", "10m", clock, clock]);
    assert!(!codes(&page).contains(&"outputs_differ"), "{page:#}");
}

#[test]
fn a_time_that_is_too_short_is_told_before_the_first_pair_and_the_end_advises_the_same() {
    let bench = Workbench::new();
    let output = bench.run(&["ab", "--metric", "wall", "--max-time", "1s", "sleep 0.6", "sleep 0.6"]);
    let [said, page] = [&output.stderr, &output.stdout]
        .map(|bytes| text(bytes).split_whitespace().collect::<Vec<_>>().join(" "));
    assert!(
        said.contains("one pair is run all the same") && page.contains("1 pair is too few"),
        "{said} {page}"
    );
    let advised = |text: &str| -> Vec<String> {
        text.split("`--max-time ")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('`')?.0.to_owned()))
            .collect()
    };
    assert_eq!((advised(&said).len(), advised(&said)), (1, advised(&page)), "{said} {page}");
    assert!(page.contains("next: run it again with `--max-time") && !page.contains(" or: "), "{page}");
}

#[test]
fn the_ending_of_a_file_says_what_is_written_to_it() {
    let bench = Workbench::new();
    let ab = ["ab", "--max-pairs", "1", "--warmup", "0", "--discard-output", "true", "true", "-o"];
    for (file, beginning) in [
        ("page.md", "**undecided: "),
        ("page.json", "{\n  \"schema\": \"calor/ab/1\""),
        ("page", "undecided: "),
    ] {
        bench.stdout(&[&ab[..], &[file]].concat());
        let page = text(&bench.get(file));
        assert!(page.starts_with(beginning), "{page}");
    }
    bench.stdout(&[&ab[..], &["odd.md", "--format", "text"]].concat());
    assert!(text(&bench.get("odd.md")).starts_with("undecided: "));
    let message = bench.failure(&["ab", "touch ran", "true", "-o", "page.html"]);
    assert!(message.contains("explains a gap: add --why") && !bench.path("ran").exists(), "{message}");
}

#[test]
fn output_passes_through_beside_the_result_unless_it_is_thrown_away() {
    let bench = Workbench::new();
    let arguments = ["ab", "--max-pairs", "1", "--warmup", "1", "echo said; echo told >&2", "true"];
    let lines = |bytes: &[u8], wanted: &str| text(bytes).lines().filter(|line| *line == wanted).count();
    // The flag of before is still taken.
    for more in [&[][..], &["--show-output"], &["--format", "md"], &["--discard-output", "--show-output"]] {
        let shown = bench.run(&[&arguments[..], more].concat());
        let heard =
            (lines(&shown.stdout, "said"), lines(&shown.stderr, "said"), lines(&shown.stderr, "told"));
        assert_eq!(heard, (0, 2, 2), "{more:?}: {}", text(&shown.stderr));
    }
    let json = bench.run(&[&arguments[..], &["--format", "json"]].concat());
    serde_json::from_slice::<Value>(&json.stdout).expect("standard output is one object");
    assert_eq!(lines(&json.stderr, "said"), 2);
    let apart = bench.run(&[&arguments[..], &["-o", "page.txt"]].concat());
    assert_eq!((lines(&apart.stdout, "said"), lines(&apart.stderr, "told")), (2, 2));
    assert!(text(&bench.get("page.txt")).starts_with("undecided: 1 pair is too few"));
    let quiet = bench.run(&[&arguments[..], &["--discard-output"]].concat());
    let heard = (lines(&quiet.stdout, "said"), lines(&quiet.stderr, "said"), lines(&quiet.stderr, "told"));
    assert_eq!(heard, (0, 0, 0), "{}", text(&quiet.stderr));
}

#[test]
fn a_page_for_a_forge_has_its_verdict_first_and_a_table() {
    let bench = Workbench::new();
    let arguments =
        ["ab", "--format", "md", "--max-pairs", "6", "--max-time", "10m", "echo 1 | cat", "echo 1", "echo 1"];
    let page = bench.stdout(&arguments);
    let lines: Vec<&str> = page.lines().collect();
    assert!(lines[0].starts_with("**") && lines[0].ends_with("**") && lines[0].contains('B'), "{page}");
    assert!(lines[2].starts_with("**") && lines[2].contains('C'), "{page}");
    assert!(page.contains("| A | `echo 1 \\| cat` |\n| B | `echo 1` |\n| C | `echo 1` |\n"), "{page}");
    let table: Vec<&&str> =
        lines.iter().filter(|line| line.starts_with("| CPU time") || line.starts_with("|  |")).collect();
    assert!(table.len() >= 3 && table.iter().all(|line| line.matches(" |").count() == 6), "{page}");
}

#[test]
fn an_interrupt_ends_it_with_what_is_known() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let bench = Workbench::new();
    let arguments =
        ["ab", "--format", "json", "--warmup", "0", "--max-time", "10m", "echo said", "sleep 0.02"];
    let mut command = bench.command(&arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be started");
    let mut errors = BufReader::new(child.stderr.take().expect("it was piped")).lines();
    for _ in 0..4 {
        errors
            .by_ref()
            .map(|line| line.expect("lines can be read"))
            .find(|line| line == "said")
            .expect("it goes on");
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill can be started").success());
    // Whoever writes must not wait for a reader.
    let rest = std::thread::spawn(move || errors.count());
    let mut out = String::new();
    child.stdout.take().expect("it was piped").read_to_string(&mut out).expect("it can be read");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{out}");
    rest.join().expect("lines are counted");
    let page: Value = serde_json::from_str(&out).expect("the output is JSON");
    assert!(codes(&page).contains(&"interrupted") && page["rounds"].as_u64() >= Some(3), "{page:#}");
}
