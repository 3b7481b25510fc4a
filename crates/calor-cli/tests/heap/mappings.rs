//! Memory that programs map themselves, of which they give back any part: right to the byte.

use std::collections::BTreeMap;

use crate::workbench::{C, Recorded, Workbench};

/// What a program says of the functions that mapped memory, as figures of each.
fn truth(stdout: &str) -> BTreeMap<String, Vec<u64>> {
    let line = |line: &str| {
        let (name, rest) = line.split_once(' ')?;
        let figures = rest.split(' ').map(|word| word.parse().ok()).collect::<Option<_>>()?;
        Some((name.to_owned(), figures))
    };
    stdout.lines().map(|text| line(text).unwrap_or_else(|| panic!("not a line of figures: {text}"))).collect()
}

fn found(recorded: &Recorded, name: &str) -> Vec<u64> {
    let site = recorded.through(&[name]);
    vec![
        site.allocated_bytes,
        site.allocated_count,
        site.freed_bytes,
        site.freed_count,
        site.peak_bytes,
        site.peak_count,
    ]
}

#[test]
fn any_part_of_a_mapping_may_go_move_or_be_replaced() {
    let bench = Workbench::new();
    let program = bench.build("mappings.c", C, &[]);
    for (seed, threads) in [("1", "1"), ("2", "1"), ("3", "4")] {
        let recorded = bench.record(&["--heap=exact"], &program, &[seed, threads, "4000"]);
        assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
        recorded.expect_all_seen();
        let truth = truth(&recorded.stdout);
        assert_eq!(truth.len(), 4, "{}", recorded.stdout);
        for (name, figures) in truth {
            // At which moment threads have most together is not decided.
            let n = if threads == "1" { 6 } else { 4 };
            assert_eq!(found(&recorded, &name)[..n], figures[..n], "seed {seed}: {name}");
        }
    }
}

/// Of sampled mappings the whole is an estimate; that what was given back is not held any more is certain.
#[test]
fn sampled_mappings_that_are_gone_are_not_held() {
    let bench = Workbench::new();
    let program = bench.build("odd.c", C, &["-ldl"]);
    let recorded = bench.record(&["--heap=sampled:4096"], &program, &["mappings"]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let site = recorded.through(&["map_pages"]);
    assert_eq!(recorded.through(&["map_pages", "mmap"]), site, "the path says how the memory came");
    // Of 64 MiB in mappings of 1 MiB each is a sample.
    assert_eq!((site.allocated_bytes, site.allocated_count), (64 << 20, 64), "{}", recorded.stderr);
    assert_eq!(site.live_bytes(), 0);
    let summary = recorded.profile.heap.summary.expect("a summary");
    assert!((2 << 20..4 << 20).contains(&summary.peak_bytes), "{} bytes at the peak", summary.peak_bytes);
}
