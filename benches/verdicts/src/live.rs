//! This machine: one function against itself, alone, beside others that compute all the time, and beside others that come and
//! go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use calor_analysis::{Comparison, Experiment, ExperimentOptions, Step, Verdict};
use harness::{Bound, Goal, Table, clock};

use crate::{percent, trials};

const PATTERNS: [(&str, u8); 3] = [("as it is", 0), ("steady load", 1), ("load on and off", 2)];

pub(crate) fn run(part: f64) -> Vec<Goal> {
    let n = trials(67, part);
    let words: Vec<u32> = (0..1_u32 << 19).map(|at| at.wrapping_mul(2_654_435_761)).collect();
    let mut table = Table::new([
        "experiments",
        "called changed",
        "called the same within 5 %",
        "+5 % found",
        "pairs used",
    ]);
    let (mut n_all, mut n_changed) = (0, 0);
    for (name, pattern) in PATTERNS {
        let load = Load::start(pattern);
        let equal: Vec<Comparison> = (0..n).filter_map(|seed| experiment(&words, seed as u64, 0)).collect();
        let slower: Vec<Comparison> =
            (0..n.div_ceil(3)).filter_map(|seed| experiment(&words, seed as u64, 50)).collect();
        drop(load);
        let changed = equal.iter().filter(|found| found.verdict.is_change()).count();
        let found = slower.iter().filter(|found| found.verdict == Verdict::Regressed).count();
        let pairs: usize = equal.iter().map(|found| found.n_pairs).sum();
        table.row(
            name,
            [
                Some(equal.len().to_string()),
                percent(changed, equal.len()),
                percent(equal.iter().filter(|found| found.verdict == Verdict::Same).count(), equal.len()),
                percent(found, slower.len()),
                Some((pairs / equal.len().max(1)).to_string()),
            ],
        );
        (n_all, n_changed) = (n_all + equal.len(), n_changed + changed);
    }
    println!("\n## live: a function of some 1 ms against itself, CPU time, at most 100 pairs\n\n{table}");
    vec![Goal {
        case: "live",
        what: "live: equal functions called changed".to_owned(),
        unit: "%",
        bound: Bound::AtMost(5.0),
        measured: Ok(100.0 * n_changed as f64 / n_all.max(1) as f64),
    }]
}

fn experiment(words: &[u32], seed: u64, more_in_thousand: u64) -> Option<Comparison> {
    let margin = if more_in_thousand == 0 { 0.05 } else { 0.02 };
    let options = ExperimentOptions { max_rounds: 100, margin, seed, ..ExperimentOptions::default() };
    let mut experiment = Experiment::new(options).ok()?;
    std::hint::black_box(work(words, 0));
    loop {
        let mut measurements = [0.0; 2];
        for variant in experiment.order().to_vec() {
            let from = clock::thread_cpu_nanos();
            std::hint::black_box(work(words, variant as u64 * more_in_thousand));
            measurements[variant] = (clock::thread_cpu_nanos() - from) as f64;
        }
        if experiment.add(&measurements, 0.0).ok()? == Step::Ended {
            return experiment.comparisons().into_iter().next();
        }
    }
}

/// Steps that each depend on a word in memory that the step before chose.
fn work(words: &[u32], more_in_thousand: u64) -> u64 {
    let mut state = 1_u64;
    for _ in 0..100 * (1_000 + more_in_thousand) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^= u64::from(words[(state >> 33) as usize % words.len()]);
    }
    state
}

/// As many threads that compute as there are cores, until it is dropped.
struct Load {
    is_over: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Load {
    fn start(pattern: u8) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let is_on = Arc::new(AtomicU8::new(1));
        let mut threads = Vec::new();
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        if pattern > 0 {
            for _ in 0..n_cores {
                let (is_over, is_on) = (Arc::clone(&is_over), Arc::clone(&is_on));
                threads.push(std::thread::spawn(move || {
                    let mut state = 1_u64;
                    while !is_over.load(Ordering::Relaxed) {
                        if is_on.load(Ordering::Relaxed) == 0 {
                            std::thread::sleep(Duration::from_millis(5));
                        }
                        (0..1_000).for_each(|_| state = std::hint::black_box(state.wrapping_mul(3)));
                    }
                }));
            }
        }
        if pattern == 2 {
            let is_over = Arc::clone(&is_over);
            threads.push(std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(300));
                    is_on.fetch_xor(1, Ordering::Relaxed);
                }
            }));
        }
        Self { is_over, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
