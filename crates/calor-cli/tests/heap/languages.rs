//! C++ and Rust programs: their own ways to allocate, and to fail.

use crate::workbench::{C, Workbench};

#[test]
fn every_operator_of_cpp_is_counted_and_an_impossible_size_throws() {
    let bench = Workbench::new();
    let compiler = [&["c++", "-std=c++17"], &C[1..]].concat();
    let program = bench.build("operators.cc", &compiler, &[]);
    let recorded = bench.record(&["--heap=exact"], &program, &[]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    recorded.expect_all_seen();
    for line in recorded.stdout.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let found = recorded.through(&[words[0]]);
        assert_eq!(
            words[1..],
            [found.allocated_bytes.to_string(), found.allocated_count.to_string()],
            "{line}"
        );
        let live = if words[0] == "left_new" { found.allocated_bytes } else { 0 };
        assert_eq!(found.live_bytes(), live, "{line}");
    }
    assert_eq!(recorded.stdout.lines().count(), 11);
}
