//! Pages about two sets of runs that were sampled: what they say of runs that are not whole, and of functions that few samples
//! tell of.

use calor_analysis::comparison::{ComparedRun, Comparison, ComparisonOptions};
use calor_model::{Frame, FrameKind, LabelTable, Profile, Run, SampleKey, SampleKind, SampleWeight, Warning};
use calor_report::{CompareFormat, CompareOptions, render_compared};
use serde_json::Value;

/// A run of a program of this name: its functions, and how many samples each has.
fn run(program: &str, functions: &[(&str, u64)]) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(7, 7, "main");
    let module = Some(profile.strings.intern(program));
    let frame = |profile: &mut Profile, name: &str| {
        let name = profile.strings.intern(name);
        profile.frames.intern(Frame { module, ..Frame::new(name, FrameKind::Native) })
    };
    let main = frame(&mut profile, "w::main");
    let root = profile.stacks.intern(None, main);
    for (name, count) in functions {
        let own = frame(&mut profile, name);
        let stack = profile.stacks.intern(Some(root), own);
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count: *count, nanos: count * 1_000_000 });
    }
    profile
}

/// Runs called a1, a2 and so on, and b1, b2 and so on.
fn compared(before: Vec<Profile>, after: Vec<Profile>, remarks: Vec<Warning>) -> Comparison {
    let named = |side: &str, runs: Vec<Profile>| -> Vec<ComparedRun> {
        let runs = runs.into_iter().enumerate();
        runs.map(|(at, run)| ComparedRun::new(format!("{side}{}", at + 1), run)).collect()
    };
    let options = ComparisonOptions { remarks, ..ComparisonOptions::default() };
    Comparison::new(&named("a", before), &named("b", after), &options).expect("they can be compared")
}

fn page(before: Vec<Profile>, after: Vec<Profile>, format: CompareFormat) -> String {
    let options = CompareOptions { format, ..CompareOptions::default() };
    let mut page = Vec::new();
    render_compared(&compared(before, after, Vec::new()), &options, &mut page).expect("memory takes it");
    String::from_utf8(page).expect("a page is text")
}

fn json(before: Vec<Profile>, after: Vec<Profile>) -> Value {
    serde_json::from_str(&page(before, after, CompareFormat::Json)).expect("it is JSON")
}

#[test]
fn a_run_that_is_not_whole_is_told_beside_the_verdict_in_every_format() {
    let whole = || run("w", &[("w::parse", 400), ("w::hash", 300)]);
    let cut = || {
        let mut cut = run("w", &[("w::parse", 350), ("w::hash", 260)]);
        cut.warn(Warning::new("file_truncated", "the file ends inside a part"));
        cut
    };
    for format in [CompareFormat::Text, CompareFormat::Markdown, CompareFormat::Html, CompareFormat::Json] {
        let page = page(vec![whole()], vec![cut()], format);
        assert_eq!(page.matches("b1 is not whole: the file ends inside a part").count(), 1, "{page}");
        assert_eq!(page.matches("file_truncated").count(), usize::from(format == CompareFormat::Json));
    }
    assert!(!page(vec![whole()], vec![whole()], CompareFormat::Text).contains("not whole"));
}

#[test]
fn a_function_of_a_program_that_has_another_name_is_not_renamed() {
    let functions =
        |name: &'static str| [("w::parse", 400), ("w::hash::h0123456789abcdef", 300), (name, 200)];
    let before = || vec![run("wa", &functions("w::decode_tokens"))];
    let after = || vec![run("wb", &functions("w::decode_tokens_v2"))];
    let found = json(before(), after());
    let told = |key: &str| -> Vec<(String, String)> {
        let rows = found["functions"].as_array().expect("it is a list").iter();
        let rows =
            rows.filter_map(|row| Some((row["name"].as_str()?.to_owned(), row[key].as_str()?.to_owned())));
        rows.collect()
    };
    let renamed = [("w::decode_tokens_v2".to_owned(), "w::decode_tokens".to_owned())];
    assert_eq!(told("renamed_from"), renamed, "{found:#}");
    assert_eq!(told("change"), [("w::decode_tokens_v2".to_owned(), "renamed".to_owned())]);
    assert!(told("moved_from").iter().all(|(_, place)| place == "wa") && told("moved_from").len() == 2);
    let page = page(before(), after(), CompareFormat::Text);
    assert!(
        page.contains("2 functions of wa are in wb now") && page.contains("is `w::decode_tokens_v2` now"),
        "{page}"
    );
}

#[test]
fn a_function_of_a_sample_or_two_is_neither_new_nor_vanished() {
    let usual = [("w::parse", 150), ("w::hash", 30)];
    let before = || run("w", &[&usual[..], &[("malloc", 2), ("w::log_old", 40)]].concat());
    let after = || run("w", &[&usual[..], &[("_int_free", 1), ("w::encrypt", 38)]].concat());
    let options = CompareOptions { color: true, ..CompareOptions::default() };
    for n_runs in [1, 3] {
        let mut found = Vec::new();
        let runs = |run: &dyn Fn() -> Profile| (0..n_runs).map(|_| run()).collect::<Vec<_>>();
        render_compared(&compared(runs(&before), runs(&after), Vec::new()), &options, &mut found).unwrap();
        let page = String::from_utf8(found).unwrap();
        let lists = page.split("All functions").next().expect("it has a beginning");
        let changes = &lists[lists.find("Regressions").expect("encrypt is new")..];
        for (name, is_listed) in
            [("w::encrypt", true), ("w::log_old", true), ("_int_free", false), ("malloc", false)]
        {
            assert_eq!(changes.contains(name), is_listed, "{n_runs} {name}: {page}");
        }
        // Of one run a side nothing is more than suspected: neither bars nor rows have their full strength.
        let steps = &lists[lists.find("From before").expect("there is a waterfall")..];
        let line = |part: &str| {
            let line = part.lines().find(|line| line.contains("w::encrypt")).expect("it is told");
            line.to_owned()
        };
        let are_pale = [line(steps).contains('░'), line(changes).contains("\u{1b}[2m")];
        assert_eq!(are_pale, [n_runs == 1; 2], "{page}");
    }
}

#[test]
fn sums_of_whole_runs_have_intervals_and_verdicts() {
    let runs = |factor: u64| -> Vec<Profile> {
        let run = |turn: u64| {
            let mut profile = run("w", &[("w::parse", 400 + 150 * (turn % 2)), ("w::hash", 300)]);
            let cpu_nanos = Some((1_000_000 + 1_000 * turn) * factor);
            profile.runs.push(Run { cpu_nanos, duration_nanos: 5_000_000 + 10_000 * turn, ..Run::default() });
            profile
        };
        (0..5).map(run).collect()
    };
    let found = json(runs(100), runs(120));
    let metric = |name: &str| {
        let metrics = found["metrics"].as_array().expect("it is a list").iter();
        metrics.clone().find(|metric| metric["metric"] == name).unwrap_or_else(|| panic!("{found:#}")).clone()
    };
    assert_eq!(found["verdict"], "undecided", "samples alone do not tell");
    assert_eq!(
        (&metric("program_cpu")["verdict"], &metric("duration")["verdict"]),
        (&"regressed".into(), &"same".into())
    );
    let low = metric("program_cpu")["interval"][0].as_f64().expect("it has an interval");
    assert!((0.19..0.2).contains(&low), "{low}");
    let page = page(runs(100), runs(120), CompareFormat::Markdown);
    let is_row = |line: &&str| line.starts_with('|') && line.contains("CPU time of the program");
    let row = page.lines().find(is_row).expect("it has a row");
    assert!(row.contains("+20.0 %") && row.contains("regressed"), "{row}");
    // Who reads no further learns it, too.
    let note = page.lines().find(|line| line.contains("Decided all the same")).expect("there is a note");
    assert!(
        note.contains("CPU time of the program regressed, +20 % (") && !note.contains("recorded"),
        "{note}"
    );
}

#[test]
fn a_run_of_no_weight_is_told_to_be_empty_and_not_of_another_kind() {
    let named = |name: &str, run: Profile| vec![ComparedRun::new(name, run)];
    let whole = || named("whole", run("w", &[("w::parse", 400)]));
    let zero = || named("zero", run("w", &[("w::parse", 0)]));
    for (before, after) in [(whole(), zero()), (zero(), whole()), (zero(), zero())] {
        let error = Comparison::new(&before, &after, &ComparisonOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with("zero: its CPU time, by samples adds up to nothing"), "{error}");
    }
}

#[test]
fn a_change_that_is_not_after_by_before_is_explained() {
    let side = |samples: [u64; 5]| samples.map(|n| run("w", &[("w::parse", n)])).to_vec();
    let told = "it need not be after by before";
    let steady = || side([400, 402, 398, 401, 399]);
    let skewed = || side([400, 402, 398, 401, 900]);
    for format in [CompareFormat::Text, CompareFormat::Markdown, CompareFormat::Html] {
        let flat = |page: String| page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat(page(steady(), skewed(), format)).contains(told), "{format:?}");
        assert!(!flat(page(steady(), steady(), format)).contains(told), "{format:?}");
    }
}

#[test]
fn of_a_run_beside_itself_no_more_runs_are_asked_for() {
    let side = |n: u64| vec![run("w", &[("w::parse", n), ("w::hash", 300)])];
    for is_same in [false, true] {
        let remarks = is_same.then(|| Warning::new("same_run", "a1 and b1 are the same run"));
        let told = compared(side(400), side(401), remarks.into_iter().collect()).headline();
        assert_eq!(told.contains("runs a side would tell"), !is_same, "{told}");
    }
}
