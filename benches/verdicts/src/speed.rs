//! How long it takes, as CPU time of the thread.

use calor_analysis::{
    ChangePointOptions, DifferenceOptions, Quantity, RunFigures, change_points, difference,
};
use calor_model::{Frame, FrameKind, LabelTable, Profile, SampleKey, SampleKind, SampleWeight};
use harness::{Bound, Goal, Table, clock};

use crate::noise::{Chance, Noise};

pub(crate) fn run(_part: f64) -> Vec<Goal> {
    let logs = Noise::Correlated(0.5).series(1_000, 0.03, &mut Chance(1));
    let steps: Vec<f64> =
        logs.iter().enumerate().map(|(at, log)| (log + 0.1 * (at / 100) as f64).exp()).collect();
    let points =
        millis(|| change_points(&steps, &ChangePointOptions::default()).map_or(0, |points| points.len()));
    let profiles = [1, 2].map(profile);
    let whole = millis(|| {
        let [before, after] = profiles
            .each_ref()
            .map(|profile| [RunFigures::of_profile(profile, Quantity::Samples(SampleKind::Cpu))]);
        difference(&before, &after, &DifferenceOptions::default()).map_or(0, |found| found.functions.len())
    });
    let mut table = Table::new(["median of 9", "found"]);
    table.row(
        "change points of 1,000 points with nine steps",
        [Some(format!("{:.2} ms", points.0)), Some(points.1.to_string())],
    );
    table.row(
        "difference of two profiles of a million samples",
        [Some(format!("{:.0} ms", whole.0)), Some(whole.1.to_string())],
    );
    println!("\n## speed\n\n{table}");
    let goal = |what: &str, most, measured| Goal {
        case: "speed",
        what: what.to_owned(),
        unit: "ms",
        bound: Bound::AtMost(most),
        measured: Ok(measured),
    };
    vec![
        goal("change points of 1,000 points", 10.0, points.0),
        goal("difference of two profiles of a million samples", 1_000.0, whole.0),
    ]
}

fn millis(work: impl Fn() -> usize) -> (f64, usize) {
    let mut times: Vec<(f64, usize)> = (0..9)
        .map(|_| {
            let from = clock::thread_cpu_nanos();
            let n = std::hint::black_box(work());
            ((clock::thread_cpu_nanos() - from) as f64 / 1e6, n)
        })
        .collect();
    times.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    times[4]
}

/// A million samples, each with its own instant, on some 200,000 call paths over 5,000 functions.
fn profile(seed: u64) -> Profile {
    let mut chance = Chance(seed);
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let frames: Vec<_> = (0..5_000)
        .map(|number| {
            let name = profile.strings.intern(&format!("crate_{}::module::function_{number}", number % 40));
            profile.frames.intern(Frame::new(name, FrameKind::Native))
        })
        .collect();
    let stacks: Vec<_> = (0..50_000)
        .filter_map(|_| {
            let depth = 5 + chance.below(20);
            let mut at = 0;
            let path: Vec<_> = (0..depth)
                .map(|_| {
                    at = (at * 7 + chance.below(3)) % frames.len();
                    frames[at]
                })
                .collect();
            profile.stacks.intern_path(path)
        })
        .collect();
    for at in 0..1_000_000_u64 {
        let stack = stacks[chance.below(stacks.len())];
        let labels = LabelTable::none();
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: Some(at * 1_000) };
        profile.samples.add(key, SampleWeight { count: 1, nanos: 1_000 });
    }
    profile
}
