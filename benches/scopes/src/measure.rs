//! One case of one participant, measured in this process.

use std::sync::Barrier;

use harness::Figures;
use harness::clock::process_cpu_nanos;
use harness::memory;

use crate::blocks::{self, Blocks};
use crate::case::Case;
use crate::participants::Participant;
use crate::peer::Peer;
use crate::workloads::BATCH;
use crate::{matmul, peers};

/// Scopes in a block.
const BLOCK: u64 = 50_000;
const QUICK_BLOCK: u64 = 10_000;
/// Pairs of blocks of the matrix multiplication: 300 are some 360 ms.
const PAIRS: u64 = 300;
const QUICK_PAIRS: u64 = 50;

/// Measures one case of one participant.
pub(crate) fn one(case: Case, who: &Participant, is_quick: bool) -> Result<Figures, String> {
    let peer = peers::find(who)?;
    let scopes = if is_quick { QUICK_BLOCK } else { BLOCK } / who.share;
    let growth = if is_quick { 1_000_000 } else { 10_000_000 } / who.share;
    match case {
        Case::Flat | Case::OneIn16 => recording(peer, scopes, 1, |count| peer.flat(count)),
        Case::Nested => recording(peer, scopes, 1, |count| peer.nested(count)),
        Case::Wide => recording(peer, scopes / BATCH * BATCH, 1, |count| peer.wide(count)),
        Case::Threads2 => recording(peer, scopes, 2, |count| peer.flat(count)),
        Case::Off | Case::Out => Ok(standing_by(peer, scopes)),
        Case::Matmul => {
            let _report = peer.start();
            Ok(matmul::measure(peer, if is_quick { QUICK_PAIRS } else { PAIRS }))
        }
        Case::Memory => memory_growth(peer, growth),
        Case::Memory100 => memory_growth(peer, 10 * growth),
        Case::Report | Case::Report4096 => report(case, peer),
    }
}

/// The cost of a scope while recording, on one thread or on several at once, and of the report after it.
fn recording(
    peer: &dyn Peer,
    scopes: u64,
    n_threads: usize,
    run: impl Fn(u64) + Sync,
) -> Result<Figures, String> {
    let make_report = peer.start();
    let before = process_cpu_nanos();
    let blocks = if n_threads == 1 {
        vec![blocks::measure(scopes, &run)]
    } else {
        let barrier = Barrier::new(n_threads);
        std::thread::scope(|threads| {
            let one = || {
                barrier.wait();
                blocks::measure(scopes, &run)
            };
            let running: Vec<_> = (0..n_threads).map(|_| threads.spawn(one)).collect();
            running.into_iter().map(|thread| thread.join().expect("a workload does not panic")).collect()
        })
    };
    let report_started = std::time::Instant::now();
    let seen = make_report();
    let report_millis = report_started.elapsed().as_secs_f64() * 1e3;
    let scopes_run = blocks::scopes_run(scopes) * n_threads as u64;
    let all_threads = (process_cpu_nanos() - before) as f64 / scopes_run as f64;
    if let Some(seen) = seen.filter(|&seen| seen < scopes_run) {
        return Err(format!("expected {scopes_run} scopes in the report, found {seen}"));
    }
    let mean = |of: fn(&Blocks) -> f64| blocks.iter().map(of).sum::<f64>() / n_threads as f64;
    Ok(Figures::default()
        .with("quickest", mean(|blocks| blocks.quickest))
        .with("median", mean(|blocks| blocks.median))
        .with("all_threads", all_threads)
        .with("report_ms", report_millis))
}

/// The cost of a scope that records nothing.
fn standing_by(peer: &dyn Peer, scopes: u64) -> Figures {
    let blocks = blocks::measure(scopes, |count| peer.flat(count));
    let is_same_code = peer.flat_address() == peers::empty::Empty.flat_address();
    Figures::default()
        .with("quickest", blocks.quickest)
        .with("median", blocks.median)
        .with("same_code", f64::from(u8::from(is_same_code)))
}

/// How much anonymous memory `scopes` scopes add after a warm-up of a twentieth of them, which for ten million is
/// more than a timeline of 2^18 scopes holds.
fn memory_growth(peer: &dyn Peer, scopes: u64) -> Result<Figures, String> {
    let make_report = peer.start();
    peer.flat((scopes / 20).max(500_000));
    // The first reading makes its own buffers.
    memory::anonymous_bytes()?;
    memory::reset_peak()?;
    let (before, resident) = (memory::anonymous_bytes()?, memory::resident_bytes()?);
    let cpu = process_cpu_nanos();
    peer.flat(scopes);
    let growth = kib(memory::anonymous_bytes()?) - kib(before);
    make_report();
    let cpu = (process_cpu_nanos() - cpu) as f64 / scopes as f64;
    let peak = kib(memory::peak_bytes()?) - kib(resident);
    Ok(Figures::default()
        .with("scopes", scopes as f64)
        .with("growth_kib", growth)
        .with("peak_kib", peak)
        .with("all_threads", cpu))
}

fn kib(bytes: u64) -> f64 {
    bytes as f64 / 1024.0
}

#[cfg(feature = "recording")]
use crate::report_time::measure as report;

#[cfg(not(feature = "recording"))]
fn report(_: Case, _: &dyn Peer) -> Result<Figures, String> {
    Err("a build without recorders has no report".to_owned())
}
