//! Programs made from a seed say what each of their call paths did; the profile has to say the same, to the byte.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use calor_model::HeapSite;
use calor_testing::{Need, cannot};

use crate::workbench::{C, Recorded, Workbench, text};

/// What a program says of its call paths, by allocating function and by the way to it.
fn truth(stdout: &str) -> BTreeMap<(String, String), [u64; 8]> {
    let line = |line: &str| {
        let mut words = line.split(' ');
        let names = (words.next()?.to_owned(), words.next()?.to_owned());
        let numbers: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        Some((names, numbers.try_into().ok()?))
    };
    stdout.lines().map(|text| line(text).unwrap_or_else(|| panic!("not a line of figures: {text}"))).collect()
}

/// What a profile says of the same.
fn found(recorded: &Recorded) -> BTreeMap<(String, String), [u64; 8]> {
    let mut sums: BTreeMap<(String, String), HeapSite> = BTreeMap::new();
    for (path, site) in recorded.paths() {
        let name =
            |prefix: &str| path.iter().rfind(|name| name.starts_with(prefix)).map(|it| (*it).to_owned());
        if let (Some(leaf), Some(route)) = (name("site_"), name("route_")) {
            sums.entry((leaf, route)).or_default().add(site);
        }
    }
    let figures = |site: HeapSite| {
        [
            site.allocated_bytes,
            site.allocated_count,
            site.freed_bytes,
            site.freed_count,
            site.temporary_bytes,
            site.temporary_count,
            site.peak_bytes,
            site.peak_count,
        ]
    };
    sums.into_iter().map(|(names, site)| (names, figures(site))).collect()
}

fn check(program: &Path, bench: &Workbench, seed: u32, threads: u32, order: &str) {
    let words = [&seed.to_string(), &threads.to_string(), "40000", order];
    let recorded = bench.record(&["--heap=exact"], program, &words);
    let context = format!("seed {seed}, {threads} threads, {order}");
    assert_eq!(recorded.code, Some(0), "{context}: {}", recorded.stderr);
    recorded.expect_all_seen();
    let (mut truth, mut found) = (truth(&recorded.stdout), found(&recorded));
    if order == "racing" {
        // Which events come first at the peak is not decided.
        for figures in truth.values_mut().chain(found.values_mut()) {
            figures[6..].fill(0);
        }
    }
    truth.retain(|_, figures| figures[1] > 0);
    assert!(truth.len() > 40, "{context}: only {} call paths", truth.len());
    for (names, figures) in &truth {
        assert_eq!(found.get(names), Some(figures), "{context}: {names:?}");
    }
    assert_eq!(found.len(), truth.len(), "{context}");
    let summary = recorded.profile.heap.summary.expect("a summary");
    let all = recorded.all();
    if order == "ordered" {
        assert_eq!(
            summary.peak_bytes, all.peak_bytes,
            "{context}: the peak is that of all call paths together"
        );
    }
    let leaked = summary.leaked.expect("the program ended by itself");
    assert_eq!((leaked.bytes, leaked.count), (all.live_bytes(), all.live_count()), "{context}");
}

#[test]
fn every_figure_of_every_call_path_is_exact_when_events_have_an_order() {
    let bench = Workbench::new();
    let program = bench.build("counts.c", C, &[]);
    for (seed, threads) in [(1, 1), (2, 2), (3, 3), (4, 8)] {
        check(&program, &bench, seed, threads, "ordered");
    }
}

#[test]
fn totals_and_leaks_are_exact_when_threads_race() {
    let bench = Workbench::new();
    let program = bench.build("counts.c", C, &[]);
    for (seed, threads) in [(5, 2), (6, 8)] {
        check(&program, &bench, seed, threads, "racing");
    }
}

/// Another tool that sees every block, in another way: it runs the program on a processor of its own making.
#[test]
fn totals_are_those_that_valgrind_finds() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    for word in ["exit", "deep", "handlers"] {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=dhat", "--dhat-out-file=/dev/null"]).arg(&program).arg(word);
        let Ok(output) = valgrind.output() else {
            cannot(Need::Valgrind, "valgrind is not installed");
            return;
        };
        let stderr = text(&output.stderr);
        let Some(total) = stderr.lines().find_map(|line| line.split_once("Total:")) else {
            cannot(Need::Valgrind, "valgrind is there, but without its tool dhat");
            return;
        };
        let digits = |word: &&str| word.replace(',', "").parse::<u64>().ok();
        let words: Vec<&str> = total.1.split_whitespace().collect();
        let numbers: Vec<u64> = words.iter().filter_map(digits).collect();
        let found = bench.record(&["--heap=exact"], &program, &[word]).all();
        assert_eq!(numbers, [found.allocated_bytes, found.allocated_count], "{word}: {}", total.1);
    }
}

/// Blocks much larger than the distance of samples are all sampled, and the one that makes the peak belongs to it.
#[test]
fn a_sampled_peak_holds_the_block_that_made_it() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    let recorded = bench.record(&["--heap=sampled"], &program, &["large"]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let found = recorded.through(&["in_large"]);
    assert_eq!((found.allocated_bytes, found.allocated_count), (192 << 20, 3), "{}", recorded.stderr);
    let peak = recorded.profile.heap.summary.expect("a summary").peak_bytes;
    assert!((64 << 20..66 << 20).contains(&peak), "{peak} bytes at the peak");
    assert_eq!(found.peak_bytes, 64 << 20);
}

#[test]
fn a_sampled_peak_is_not_made_of_what_was_free_again() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    for heap in ["--heap=exact", "--heap=sampled"] {
        let recorded = bench.record(&[heap], &program, &["spikes"]);
        assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
        let peak = recorded.profile.heap.summary.map_or(0, |summary| summary.peak_bytes);
        assert!((159_000_000..162_000_000).contains(&peak), "{heap}: {peak}");
        let held = recorded.through(&["spike"]).peak_bytes;
        assert!((159_000_000..162_000_000).contains(&held), "{heap}: {held} by what it held then");
    }
}

#[test]
fn a_sampled_peak_is_what_it_was_whatever_comes_later() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    for heap in ["--heap=exact", "--heap=sampled"] {
        let recorded = bench.record(&[heap], &program, &["crumbs"]);
        assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
        let peak = recorded.profile.heap.summary.map_or(0, |summary| summary.peak_bytes);
        assert!((39_900_000..40_200_000).contains(&peak), "{heap}: {peak}");
    }
}
