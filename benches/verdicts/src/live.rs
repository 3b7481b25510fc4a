//! This machine: one function run over and over, alone, beside processes that compute all the time, and beside ones that come
//! and go. All runs are of the same function, so whoever calls one half of them slower than the other is wrong; and with one
//! half made 5 % longer afterwards, the same runs tell what is found.

use harness::{Bound, Goal, Table, clock};

use crate::load::Load;
use crate::pairs::{self, Counts, Source};
use crate::{percent, trials};

const PATTERNS: [(&str, Option<Load>); 3] =
    [("as it is", None), ("steady load", Some(Load::Steady)), ("bursts", Some(Load::Bursts))];

/// A function that is run.
type Work = fn(&[u32]) -> u64;

/// What is run. A function that only counts takes nearly the same on a busy machine; one whose memory others push out of the
/// caches does not, and is what limits any method.
const WORKS: [(&str, Work); 2] = [("counting", counting), ("memory", memory)];

/// Records as many experiments as are wanted for each pattern, and judges them.
pub(crate) fn run(part: f64, wanted: Option<usize>) -> Vec<Goal> {
    let n = wanted.unwrap_or_else(|| trials(67, part));
    let words: Vec<u32> = (0..1_u32 << 19).map(|at| at.wrapping_mul(2_654_435_761)).collect();
    let mut sources: Vec<(String, Vec<Vec<f64>>)> = Vec::new();
    for (name, load) in PATTERNS {
        let running = load.map(Load::start);
        let mut of_work = WORKS.map(|(work, _)| (format!("{work}, {name}"), Vec::new()));
        for number in 0..n {
            if number % 10 == 0 {
                eprintln!("  {name}: {number} of {n}");
            }
            for ((_, work), (_, recorded)) in WORKS.iter().zip(&mut of_work) {
                recorded.push(recording(&words, *work));
            }
        }
        drop(running);
        sources.extend(of_work);
    }
    sources.sort_by_key(|(name, _)| !name.starts_with(WORKS[0].0));
    let sources: Vec<Source> = sources.iter().map(|(name, list)| (name.as_str(), list.clone())).collect();
    let equal: Vec<Counts> = sources.iter().map(|(_, list)| pairs::counts(list, 0.0)).collect();
    let slower: Vec<Counts> = sources.iter().map(|(_, list)| pairs::counts(list, 0.05)).collect();
    println!(
        "\n## live: {n} experiments each, equal functions that are called changed, CPU time, at most 100 pairs\n\n{}",
        pairs::table(&sources, &equal)
    );
    println!(
        "\n## live: functions 5 % slower that are called changed\n\n{}",
        pairs::table(&sources, &slower)
    );
    println!("\n## live: more of Calor's\n\n{}", more(&sources, &equal, &slower));
    goals(&equal, &slower)
}

fn more(sources: &[Source<'_>], equal: &[Counts], slower: &[Counts]) -> Table {
    let mut table = Table::new([
        "spread of a pair",
        "equal: same within 5 %",
        "the most that so many pairs allow",
        "+5 % found",
        "the most that so many pairs allow",
        "equal: pairs used",
    ]);
    for ((name, list), (equal, slower)) in sources.iter().zip(equal.iter().zip(slower)) {
        let spread = spread(list);
        let n_pairs = list.first().map_or(1, |logs| logs.len() / 2) as f64;
        let error = spread / n_pairs.sqrt();
        // One look at the end, and a spread that is known: no rule finds more in this noise by differences of pairs.
        let distance = f64::ln_1p(0.05) / error;
        let found = normal(distance - 1.96);
        let same = (2.0 * normal(distance - 1.645) - 1.0).max(0.0);
        let share = |share: f64| Some(format!("{:.0} %", 100.0 * share));
        table.row(
            name,
            [
                Some(format!("{:.1} %", 100.0 * spread)),
                percent(equal.calor.same, equal.all),
                share(same),
                percent(slower.calor.changed, slower.all),
                share(found),
                Some((equal.calor.pairs / equal.all.max(1)).to_string()),
            ],
        );
    }
    table
}

fn goals(equal: &[Counts], slower: &[Counts]) -> Vec<Goal> {
    let share = |counts: &[Counts], of: fn(&Counts) -> usize| {
        let n: usize = counts.iter().map(|counts| counts.all).sum();
        100.0 * counts.iter().map(of).sum::<usize>() as f64 / n.max(1) as f64
    };
    let goal = |what: String, bound: Bound, measured: f64| Goal {
        case: "live",
        what,
        unit: "%",
        bound,
        measured: Ok(measured),
    };
    let mut goals = vec![goal(
        "live: equal functions called changed".to_owned(),
        Bound::AtMost(5.0),
        share(equal, |counts| counts.calor.changed),
    )];
    for (at, (work, _)) in WORKS.iter().enumerate() {
        let of_work = |counts: &[Counts]| at * PATTERNS.len()..((at + 1) * PATTERNS.len()).min(counts.len());
        goals.push(goal(
            format!("live: 5 % slower found within 100 pairs, {work}"),
            Bound::AtLeast(80.0),
            share(&slower[of_work(slower)], |counts| counts.calor.changed),
        ));
        goals.push(goal(
            format!("live: equal functions called the same within 5 %, {work}"),
            Bound::AtLeast(80.0),
            share(&equal[of_work(equal)], |counts| counts.calor.same),
        ));
    }
    goals
}

/// The logarithms of the CPU times of as many runs as an experiment has.
fn recording(words: &[u32], work: Work) -> Vec<f64> {
    std::hint::black_box(work(words));
    let run = |_| {
        let from = clock::thread_cpu_nanos();
        std::hint::black_box(work(words));
        ((clock::thread_cpu_nanos() - from).max(1) as f64).ln()
    };
    (0..pairs::N_RUNS).map(run).collect()
}

/// Some 4 ms of steps that each depend on the one before.
fn counting(_: &[u32]) -> u64 {
    let mut state = 1_u64;
    for _ in 0..2_400_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^= state >> 29;
    }
    state
}

/// Some 1 ms of steps that each wait for a word of 2 MiB that the step before chose.
fn memory(words: &[u32]) -> u64 {
    let mut state = 1_u64;
    for _ in 0..100_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^= u64::from(words[(state >> 33) as usize % words.len()]);
    }
    state
}

/// The standard deviation of the difference of two runs one after the other, without the tenth that is furthest off.
fn spread(list: &[Vec<f64>]) -> f64 {
    let mut distances: Vec<f64> =
        list.iter().flat_map(|logs| logs.chunks_exact(2)).map(|pair| (pair[1] - pair[0]).abs()).collect();
    distances.sort_unstable_by(f64::total_cmp);
    // 1.645 deviations hold nine in ten of a normal distribution.
    distances.get(distances.len() * 9 / 10).map_or(0.0, |distance| distance / 1.645)
}

/// The part of a normal distribution below.
fn normal(deviations: f64) -> f64 {
    let tail = crate::rules::normal_p(deviations) / 2.0;
    if deviations > 0.0 { 1.0 - tail } else { tail }
}
