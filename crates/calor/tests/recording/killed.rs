//! Programs that are killed while they record.

use super::*;

/// Opens a scope again and again, and says how many it has closed.
pub(super) fn tick(file: &Path) {
    start_recording(file);
    let mut closed = 0_u64;
    let around = calor::open!("around all ticks");
    loop {
        for _ in 0..10 {
            calor::scope!("tick");
            std::thread::sleep(Duration::from_millis(1));
        }
        closed += 10;
        println!("closed {closed}");
        if closed > 60_000 {
            break;
        }
    }
    drop(around);
}

#[test]
fn a_killed_program_leaves_a_file_that_lacks_at_most_the_last_second() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let mut child = start("tick", &file);
    let begin = Instant::now();
    let mut told: Vec<(Instant, u64)> = Vec::new();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in lines.map_while(Result::ok) {
        // The test harness's own words may stand before ours on the first line.
        if let Some(n) = line.rsplit("closed ").next().and_then(|n| n.parse().ok()) {
            told.push((Instant::now(), n));
        }
        if begin.elapsed() > Duration::from_millis(2600) {
            break;
        }
    }
    child.kill().unwrap();
    let killed = Instant::now();
    child.wait().unwrap();
    let profile = read(&file);
    let must_be_there =
        told.iter().rev().find(|(at, _)| killed - *at >= Duration::from_secs(1)).map(|told| told.1);
    let must_be_there = must_be_there.expect("the program ran for longer than a second");
    let ticks = get(&profile, "around all ticks/tick");
    assert!(ticks.calls >= must_be_there, "{} of {must_be_there} ticks are in the file", ticks.calls);
    assert!(profile.timeline.n_spans() as u64 >= must_be_there);
    let around = get(&profile, "around all ticks");
    assert_eq!(
        (around.calls, around.open_calls),
        (0, 1),
        "the scope around was open when the program was killed"
    );
    assert!(around.open_nanos >= ticks.total_nanos.cast_signed());
    assert_eq!(warned(&profile, "recording_cut_off"), 1);
}

/// Records as much as it can on two threads.
pub(super) fn busy(file: &Path) {
    let options = RecordingOptions::new().interval(Duration::from_millis(50));
    try_start_recording(file, &options).unwrap();
    println!("started");
    let other = std::thread::spawn(|| work(400_000_000));
    work(400_000_000);
    other.join().unwrap();
}

#[test]
fn a_program_killed_at_any_moment_leaves_a_readable_file() {
    let dir = tempfile::tempdir().unwrap();
    for millis in [0, 1, 3, 7, 20, 55, 110, 160, 230, 310] {
        let file = dir.path().join("run.calor");
        let mut child = start("busy", &file);
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("started") {
            line.clear();
            assert!(stdout.read_line(&mut line).unwrap() > 0, "the program ended early");
        }
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
        let profile = read(&file);
        // At the first look, the very first scope may still have been open.
        let pair = support::find(&profile, "outer").zip(support::find(&profile, "outer/inner"));
        if let Some((outer, inner)) = pair {
            assert!(inner.total_nanos <= outer.inclusive_nanos() + 1_000_000, "after {millis} ms");
            assert_eq!(outer.timed.histogram().count(), outer.calls);
        }
    }
}
