//! Runs whose cases were repeated until their time was over, compared by what as many calls take.

use calor_analysis::CPU_NANOS;
use calor_analysis::comparison::{CompareBy, ComparedRun, Comparison, ComparisonOptions};
use calor_analysis::workload::REPEATED_BY_TIME;
use calor_model::{Frame, FrameKind, LabelTable, Profile, Run, RunId, ScopeKey, ScopeStats};
use calor_report::{CompareFormat, CompareOptions, render_compared};
use serde_json::Value;

/// What each case is given.
const TIME: u64 = 500_000_000;

/// A run of four cases, each repeated for as long; `noise` is what calls take more in this run.
fn run(is_told: bool, noise: f64, slowed: f64) -> Profile {
    let mut profile = Profile::default();
    let (key, value) = REPEATED_BY_TIME;
    let labels = is_told.then(|| (key.to_owned(), value.to_owned()));
    profile.runs.push(Run { labels: labels.into_iter().collect(), ..Run::default() });
    let thread = profile.intern_thread(1, 1, "main");
    for (name, nanos, factor) in
        [("matmul", 4e6, 1.0), ("softmax", 1e6, 1.0), ("gelu", 2e6, slowed), ("sum", 9e4, 1.0)]
    {
        let nanos = (nanos * factor * noise) as u64;
        let mut stats = ScopeStats { calls: TIME / nanos, ..ScopeStats::default() };
        (0..stats.calls).for_each(|_| stats.timed.record(nanos));
        stats.total_nanos = stats.calls * nanos;
        let name = profile.strings.intern(name);
        let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
        let stack = profile.stacks.intern(None, frame);
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    profile
}

fn compared(is_told: [bool; 2], slowed: f64, by: CompareBy) -> Value {
    const NOISE: [f64; 6] = [1.0, 1.004, 0.997, 1.002, 0.999, 1.001];
    let side = |side: usize, slowed: f64| -> Vec<ComparedRun> {
        let noise = |at: usize| NOISE[(at + side) % NOISE.len()];
        let run = |at: usize| ComparedRun::new(format!("{side}-{at}"), run(is_told[side], noise(at), slowed));
        (0..NOISE.len()).map(run).collect()
    };
    let options = ComparisonOptions { by, ..ComparisonOptions::default() };
    let compared = Comparison::new(&side(0, 1.0), &side(1, slowed), &options).expect("they can be compared");
    let options = CompareOptions { format: CompareFormat::Json, ..CompareOptions::default() };
    let mut page = Vec::new();
    render_compared(&compared, &options, &mut page).expect("memory takes it");
    serde_json::from_slice(&page).expect("it is JSON")
}

fn verdict(page: &Value, name: &str) -> (String, f64) {
    let functions = page["functions"].as_array().expect("there are functions");
    let found = functions.iter().find(|function| function["name"] == name).expect("it is listed");
    (found["verdict"].as_str().unwrap_or_default().to_owned(), found["effect"].as_f64().unwrap_or_default())
}

fn has_remark(page: &Value) -> bool {
    page["warnings"].as_array().is_some_and(|all| all.iter().any(|one| one["code"] == "repeated_by_time"))
}

#[test]
fn a_case_that_became_slower_is_found_though_it_was_given_as_long() {
    for by in [CompareBy::Own, CompareBy::Total] {
        let page = compared([true; 2], 1.2, by);
        let (word, effect) = verdict(&page, "gelu");
        assert!(word == "regressed" && (effect - 0.2).abs() < 0.02, "{word} {effect}");
        assert_eq!(verdict(&page, "matmul").0, "same");
        assert_eq!(page["verdict"], "regressed", "{}", page["sentence"]);
        assert!(has_remark(&page), "{}", page["warnings"]);
    }
}

#[test]
fn runs_of_one_build_are_the_same() {
    let page = compared([true; 2], 1.0, CompareBy::Own);
    assert_eq!(page["verdict"], "same", "{}", page["sentence"]);
}

#[test]
fn calls_are_taken_as_they_are_where_a_side_does_not_say_that_they_are_repetitions() {
    for is_told in [[false, false], [true, false]] {
        let page = compared(is_told, 1.2, CompareBy::Own);
        assert_ne!(verdict(&page, "gelu").0, "regressed");
        assert!(!has_remark(&page));
    }
}

#[test]
fn what_would_settle_it_reads_the_profiles_that_they_write() {
    let settled = |is_told: bool, commands: [&str; 2]| {
        let side = |command: &str, noise: f64| {
            let mut profile = run(is_told, noise, 1.0);
            profile.runs[0].id = RunId((noise * 10.0) as u128);
            profile.runs[0].command = Some(command.to_owned());
            vec![ComparedRun::new("run", profile)]
        };
        let (before, after) = (side(commands[0], 1.0), side(commands[1], 1.1));
        let compared =
            Comparison::new(&before, &after, &ComparisonOptions::default()).expect("they can be compared");
        let page = |format| {
            let mut page = Vec::new();
            let options = CompareOptions { format, width: 10_000, ..CompareOptions::default() };
            render_compared(&compared, &options, &mut page).expect("memory takes it");
            String::from_utf8_lossy(&page).into_owned()
        };
        let json: Value = serde_json::from_str(&page(CompareFormat::Json)).expect("it is JSON");
        (json["settle"].as_str().unwrap_or_default().to_owned(), page(CompareFormat::Text))
    };
    // One bench twice, but for what it left: the sides are not to be the same command.
    let bench = ["calor bench simd -q --profile a.calor", "calor bench simd -q --profile b.calor --save"];
    let (command, text) = settled(true, bench);
    let expected = "calor check --margin 2% --profile run.calor --against 'CMD BEFORE --profile run.calor' -- calor bench simd \
                    --profile run.calor";
    assert_eq!(command, expected);
    assert!(
        text.contains("`calor ab` does not help") && text.contains("calor compare --interleaved"),
        "{text}"
    );
    assert!(!text.contains("differ in command"), "{text}");
    let (command, _) = settled(true, ["old/calor bench simd", "new/calor bench simd --profile b.calor"]);
    assert!(
        command.ends_with(
            "--against 'old/calor bench simd --profile run.calor' -- new/calor bench simd --profile run.calor"
        ),
        "{command}"
    );
    let (command, text) = settled(false, ["./old", "./new"]);
    assert_eq!(command, "calor ab -- './old' -- './new'");
    assert!(!text.contains("does not help"), "{text}");
}

/// A run of one case whose calls took so long on the wall and on the processor.
fn told_by_cpu(wall: u64, cpu: Option<u64>) -> Profile {
    let mut profile = Profile::default();
    let (key, value) = REPEATED_BY_TIME;
    profile.runs.push(Run { labels: [(key.to_owned(), value.to_owned())].into(), ..Run::default() });
    let thread = profile.intern_thread(1, 1, "main");
    let mut stats = ScopeStats { calls: TIME / wall, ..ScopeStats::default() };
    (0..stats.calls).for_each(|_| stats.timed.record(wall));
    stats.total_nanos = stats.calls * wall;
    if let Some(cpu) = cpu {
        let counter = profile.strings.intern(CPU_NANOS);
        stats.work.counters.push((counter, (stats.calls * cpu) as i64));
    }
    let name = profile.strings.intern("matmul");
    let frame = profile.frames.intern(Frame::new(name, FrameKind::Scope));
    let stack = profile.stacks.intern(None, frame);
    profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    profile
}

#[test]
fn what_other_programs_took_is_no_regression_where_cases_tell_their_cpu_time() {
    let sentence = |cpu: [Option<u64>; 2]| {
        let side = |wall, cpu| vec![ComparedRun::new("run", told_by_cpu(wall, cpu))];
        let options = CompareOptions { format: CompareFormat::Json, ..CompareOptions::default() };
        // The same work, with a machine that was busy the second time.
        let (before, after) = (side(1_000_000, cpu[0]), side(2_400_000, cpu[1]));
        let compared =
            Comparison::new(&before, &after, &ComparisonOptions::default()).expect("they can be compared");
        let effect = compared.difference.after / compared.difference.before - 1.0;
        let mut page = Vec::new();
        render_compared(&compared, &options, &mut page).expect("memory takes it");
        (effect, String::from_utf8_lossy(&page).contains("by_cpu_time"))
    };
    let (effect, is_told) = sentence([Some(990_000), Some(1_000_000)]);
    assert!(effect.abs() < 0.02 && is_told, "{effect}");
    // Told by one side alone, it cannot be compared.
    let (effect, is_told) = sentence([None, Some(1_000_000)]);
    assert!((effect - 1.4).abs() < 0.05 && !is_told, "{effect}");
}

#[test]
fn time_in_scopes_that_rose_while_cpu_time_fell_is_told_as_waiting() {
    let told = |cpu: [u64; 2]| {
        let side = |wall, cpu| {
            let mut profile = told_by_cpu(wall, None);
            profile.runs[0].labels.clear();
            profile.runs[0].cpu_nanos = Some(cpu);
            vec![ComparedRun::new("run", profile)]
        };
        let options = CompareOptions { format: CompareFormat::Json, ..CompareOptions::default() };
        let (before, mut after) = (side(1_000_000, cpu[0]), side(1_000_000, cpu[1]));
        // As many calls, each twice as long.
        let mut slow = after.remove(0).profile().clone();
        let more: Vec<(ScopeKey, ScopeStats)> =
            slow.scopes.iter().map(|(key, stats)| (key, stats.clone())).collect();
        more.into_iter().for_each(|(key, stats)| slow.scopes.add(key, stats));
        let after = vec![ComparedRun::new("run", slow)];
        let compared =
            Comparison::new(&before, &after, &ComparisonOptions::default()).expect("they can be compared");
        let mut page = Vec::new();
        render_compared(&compared, &options, &mut page).expect("memory takes it");
        String::from_utf8_lossy(&page).contains("cpu_moved_the_other_way")
    };
    assert!(told([2_000_000_000, 1_500_000_000]));
    assert!(!told([2_000_000_000, 3_500_000_000]));
    assert!(!told([2_000_000_000, 1_990_000_000]));
}
