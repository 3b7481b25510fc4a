//! How long after the last scope Calor's report is there: the profile, and the text made of it, in CPU time of
//! the thread that asks. Nobody else works on it, so on a free core this is the time that passes.

use std::hint::black_box;
use std::sync::Barrier;

use calor_analysis::findings::{Circumstances, judge};
use harness::Figures;
use harness::clock::thread_cpu_nanos;

use crate::case::Case;
use crate::peer::Peer;
use crate::peers::calor_paths;
use crate::workloads::BATCH;

const THREADS: usize = 8;

/// Records a program with few or with many call paths, then takes the time of its report. The threads are still
/// there, as those of a service are.
pub(crate) fn measure(case: Case, peer: &dyn Peer) -> Result<Figures, String> {
    let _report = peer.start();
    if case == Case::Report {
        for workload in [Peer::flat, Peer::nested, Peer::wide] {
            workload(peer, 25 * BATCH);
        }
        return timed(42);
    }
    let (recorded, reported) = (Barrier::new(THREADS + 1), Barrier::new(THREADS + 1));
    std::thread::scope(|threads| {
        for _ in 0..THREADS {
            threads.spawn(|| {
                (0..10).for_each(|_| calor_paths::all());
                recorded.wait();
                reported.wait();
            });
        }
        recorded.wait();
        let figures = timed(calor_paths::PATHS * THREADS as u64);
        reported.wait();
        figures
    })
}

/// Takes the time and checks that the report holds every path: a quick report of something else is none.
fn timed(paths: u64) -> Result<Figures, String> {
    let start = thread_cpu_nanos();
    let profile = calor::snapshot();
    let profile_millis = (thread_cpu_nanos() - start) as f64 / 1e6;
    let found = profile.scopes.len() as u64;
    if found < paths {
        return Err(format!("expected at least {paths} call paths in the profile, found {found}"));
    }
    let start = thread_cpu_nanos();
    let findings = judge(&profile, &Circumstances::default().of_report()).findings;
    let options = calor_report::Options { findings, ..calor_report::Options::default() };
    let mut text = Vec::new();
    calor_report::render(&profile, &options, &mut text)
        .map_err(|error| format!("cannot render the report: {error}"))?;
    let text_millis = (thread_cpu_nanos() - start) as f64 / 1e6;
    black_box(text);
    Ok(Figures::default()
        .with("paths", found as f64)
        .with("profile_ms", profile_millis)
        .with("text_ms", profile_millis + text_millis))
}
