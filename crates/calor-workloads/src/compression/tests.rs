//! Whole runs, small ones.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::*;
use crate::Unwatched;

fn small(algorithms: &[Algorithm], levels: &str) -> Choice {
    Choice {
        algorithms: algorithms.to_vec(),
        levels: levels.parse().unwrap(),
        sample: Some(16 << 10),
        ..Choice::usual(true)
    }
}

#[test]
fn a_run_tells_figures_tables_charts_and_advice_of_all_data() {
    let choice = Choice {
        blocks: vec![Block::All, Block::Bytes(4 << 10), Block::All],
        ..small(&[Algorithm::Zstd, Algorithm::Snappy, Algorithm::Zstd], "1,3")
    };
    let bench = run(&choice, &Unwatched).unwrap();
    // Two levels and Snappy, two sizes of blocks, six kinds; five figures each.
    assert_eq!(bench.figures.len(), 3 * 2 * 6 * 5);
    assert!(bench.figures.iter().all(|figure| figure.median > 0.0 || figure.case == "decompress memory"));
    let n_verified = bench.figures.iter().filter(|figure| figure.verified == Some(true)).count();
    assert_eq!(n_verified, 3 * 2 * 6 * 3);
    assert_eq!((bench.tables.len(), bench.charts.len(), bench.advice.len()), (7, 12, 5));
    assert!(bench.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.columns.len())));
    assert!(bench.warnings.is_empty(), "{:?}", bench.warnings);
    let random = bench.figures.iter().find(|figure| {
        figure.case == "ratio" && figure.params["data"] == "random" && figure.params["block"] == "all"
    });
    assert!(random.is_some_and(|figure| figure.median < 1.0));
    assert!(bench.advice[0].title.contains("200 MB/s"), "{}", bench.advice[0].title);
    assert_eq!(bench.advice[0].evidence.len(), 6);
}

#[test]
fn the_scopes_of_a_run_are_what_the_rule_about_levels_reads() {
    calor::enable();
    let choice = Choice { goals: Some(vec![Goal::Link]), ..small(&[Algorithm::Zstd], "1,3") };
    run(&choice, &Unwatched).unwrap();
    let profile = calor::snapshot();
    calor::disable();
    let text = |id| profile.strings.get(id).to_owned();
    let mut n_levels = [0; 2];
    for (key, stats) in profile.scopes.iter() {
        let labels: Vec<(String, String)> =
            profile.labels.get(key.labels).iter().map(|(key, value)| (text(*key), text(*value))).collect();
        let label = |name: &str| labels.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let counters: Vec<String> = stats.work.counters.iter().map(|(name, _)| text(*name)).collect();
        if label("codec") != Some("zstd") || !counters.contains(&"bytes_in".to_owned()) {
            continue;
        }
        assert!(counters.contains(&"bytes_out".to_owned()) && label("data").is_some(), "{labels:?}");
        n_levels[usize::from(label("level") == Some("3"))] += 1;
    }
    assert!(n_levels[0] >= 6 && n_levels[1] >= 6, "{n_levels:?}");
}

#[test]
fn whoever_asks_for_the_end_gets_what_there_is() {
    struct After(usize, AtomicUsize);
    impl Watch for After {
        fn at(&self, done: usize, total: usize, _: &str) {
            assert!(done <= total);
        }
        fn is_stopped(&self) -> bool {
            self.1.fetch_add(1, Relaxed) >= self.0
        }
    }
    let choice = small(&[Algorithm::Lz4], "1");
    let bench = run(&choice, &After(2, AtomicUsize::new(0))).unwrap();
    assert_eq!((bench.tables.len(), bench.warnings[0].code.as_str()), (3, "incomplete"));
    assert!(matches!(run(&choice, &After(0, AtomicUsize::new(0))), Err(Error::Stopped)));
}

#[test]
fn what_cannot_be_measured_is_refused_before_anything_is() {
    let check = |choice: Choice, expect: &str| {
        let error = run(&choice, &Unwatched).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    };
    check(
        Choice { algorithms: Vec::new(), ..Choice::usual(true) },
        "zstd, lz4, deflate, gzip, snappy or brotli",
    );
    check(Choice { blocks: Vec::new(), ..Choice::usual(true) }, "such as 4K or 64K, or all");
    check(Choice { sample: Some(1), ..Choice::usual(true) }, "4K to 1G");
    check(small(&[Algorithm::Gzip], "10"), "expected 0 to 9 for gzip");
    check(Choice { files: vec!["no/such/file".into()], ..Choice::usual(true) }, "no such file");
}

#[test]
fn every_usual_choice_can_be_measured() {
    for is_quick in [true, false] {
        Choice::usual(is_quick).check().unwrap();
    }
}
