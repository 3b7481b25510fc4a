//! Programs with many call paths: those that do not matter are told of as part of their callers, and nothing is lost.

use std::path::Path;

use calor_model::HeapSite;

use super::interpreters::interpreters;
use super::workbench::{C, Recorded, Workbench};

const FOLDED: &str = "(small paths, folded)";
const WARNING: &str = "heap_paths_folded";

fn record(bench: &Workbench, program: &Path, words: &[&str], which: &str) -> (Recorded, u64) {
    let recorded = bench.record(&["--heap", "--rate", "10", which], program, words);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let size = std::fs::metadata(bench.path("profile.calor")).expect("it was just read").len();
    (recorded, size)
}

/// Panics unless the rows add up to what is known of the heap as a whole.
fn expect_whole(recorded: &Recorded) {
    let heap = &recorded.profile.heap;
    let (all, summary) = (recorded.all(), heap.summary.expect("the heap was watched"));
    let sizes = heap.histograms.sizes.total();
    assert_eq!((all.allocated_bytes, all.allocated_count), (sizes.bytes, sizes.count));
    let leaked = summary.leaked.expect("the program ended by itself");
    assert_eq!((all.live_bytes(), all.live_count()), (leaked.bytes, leaked.count));
    assert_eq!(all.peak_bytes, summary.peak_bytes);
    // No place has freed what it did not allocate.
    let live = heap.iter().map(|(_, site)| site.live_bytes()).sum::<u64>();
    assert_eq!(live, leaked.bytes);
}

fn n_folded(recorded: &Recorded) -> u64 {
    let warning = recorded.profile.warnings.iter().find(|warning| warning.code == WARNING);
    warning.and_then(|warning| warning.count).unwrap_or(0)
}

#[test]
fn paths_that_matter_are_kept_whole_and_the_others_are_in_their_callers() {
    let bench = Workbench::new();
    let program = bench.build("many_paths.c", C, &[]);
    let (folded, _) = record(&bench, &program, &[], "--heap-paths=heavy");
    let (all, _) = record(&bench, &program, &[], "--heap-paths=all");
    expect_whole(&folded);
    expect_whole(&all);
    let figures =
        |site: HeapSite| (site.allocated_count, site.allocated_bytes, site.freed_bytes, site.peak_bytes);
    for recorded in [&folded, &all] {
        assert_eq!(figures(recorded.through(&["large"])), (1, 1 << 20, 0, 1 << 20));
        let churned = recorded.through(&["churn"]);
        assert_eq!((churned.allocated_count, churned.live_bytes(), churned.temporary_count), (100, 0, 100));
        assert_eq!(recorded.through(&["main"]).live_bytes(), (1 << 20) + 4094 * 16);
    }
    assert_eq!((n_folded(&all), all.through(&["small"]).allocated_count), (0, 4094));
    assert!(all.profile.heap.iter().len() >= 4096 && folded.profile.heap.iter().len() <= 3000);
    assert!(n_folded(&folded) > 1000);
    // The path to a large block has all its turns, with what is folded beside it.
    let (path, _) = folded.paths().find(|(path, _)| path.contains(&"large")).expect("it is kept");
    assert_eq!(path.iter().filter(|name| ["left", "right"].contains(name)).count(), 12);
    assert!(folded.through(&[FOLDED, "main"]).live_bytes() > 16_000);
    assert!(folded.stderr.contains("--heap-paths=all"), "{}", folded.stderr);
}

#[test]
fn a_program_with_few_paths_has_all_of_them() {
    let bench = Workbench::new();
    let program = bench.build("counts.c", C, &[]);
    let recorded = bench.record(&["--heap", "--rate", "10"], &program, &["3", "1", "200", "ordered"]);
    assert!(recorded.profile.heap.iter().len() < 2000);
    assert_eq!((n_folded(&recorded), recorded.through(&[FOLDED])), (0, HeapSite::default()));
}

#[test]
fn a_python_program_that_imports_much_has_a_small_profile() {
    let imports = "import asyncio, ctypes, decimal, email.message, http.client, json, logging, unittest, xml.dom.minidom\n\
                   def kept(): return [bytes(5000) for _ in range(500)]\n\
                   blocks = kept()";
    let bench = Workbench::new();
    let python = interpreters().into_values().next().expect("there is one");
    let (folded, size) = record(&bench, &python, &["-c", imports], "--heap-paths=heavy");
    expect_whole(&folded);
    assert!(n_folded(&folded) > 5000, "{}", folded.stderr);
    assert!(size < 200_000, "{size} bytes");
    let kept = folded.through(&["kept"]);
    assert!(kept.allocated_count >= 500 && kept.allocated_bytes >= 2_500_000, "{kept:?}");
    let (all, size_of_all) = record(&bench, &python, &["-c", imports], "--heap-paths=all");
    expect_whole(&all);
    assert_eq!(n_folded(&all), 0);
    assert!(size_of_all > size && all.profile.heap.iter().len() > 5000, "{size_of_all} bytes");
}
