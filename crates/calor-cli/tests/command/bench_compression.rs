//! `calor bench compression`: its pages, its profile, and what it refuses.

use super::workbench::Workbench;

/// A small run on a file.
fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut all =
        vec!["bench", "compression", "data.txt", "--quick", "--algo", "zstd,lz4", "--levels", "zstd:1,3"];
    all.extend(more);
    all
}

fn bench() -> Workbench {
    let bench = Workbench::new();
    let text: String = (0..4_000).map(|n| format!("line {} of some text\n", n * 7919 % 1_000)).collect();
    bench.put("data.txt", text.as_bytes());
    bench
}

#[test]
fn json_has_every_figure_of_every_case() {
    let page = bench().json(&arguments(&["--block", "4K,all", "--format", "json"]));
    assert_eq!(
        (page["schema"].as_str(), page["name"].as_str()),
        (Some("calor/bench/1"), Some("compression"))
    );
    let results = page["results"].as_array().unwrap();
    // zstd 1 and 3, lz4 1 and 9, two sizes of blocks, five figures each.
    assert_eq!(results.len(), 4 * 2 * 5, "{results:?}");
    let of = |case: &str| results.iter().filter(|result| result["case"] == case).collect::<Vec<_>>();
    for way in ["compress", "decompress", "ratio"] {
        for result in of(way) {
            assert_eq!(result["verified"], true, "{result}");
            assert!(result["low"].as_f64() <= result["median"].as_f64(), "{result}");
            assert_eq!(result["params"]["data"], "data.txt");
        }
    }
    assert!(page["advice"][0]["title"].as_str().unwrap().contains("200 MB/s"));
}

#[test]
fn the_page_tells_the_front_the_advice_and_how_memory_is_known() {
    let bench = bench();
    let page =
        bench.stdout(&arguments(&["--link", "1Gbit/s", "--goal", "link,checkpoints", "--format", "json"]));
    for expected in
        ["125 MB/s", "Checkpoints", "ZSTD_sizeof_CCtx", "libzstd", "zstd 3", "What to use", "byte for byte"]
    {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    assert!(bench.stdout(&arguments(&["--goal", "link"])).contains("zstd 3"));
}

#[test]
fn the_profile_of_a_run_is_read_by_the_other_commands() {
    let bench = bench();
    bench.stdout(&arguments(&["--profile", "run.calor"]));
    let report = bench.stdout(&["report", "run.calor", "--top", "50"]);
    assert!(report.contains("compress zstd 3, data.txt, all"), "{report}");
    // With levels and bytes there is enough to judge them by, whatever the verdict is.
    let findings = bench.json(&["findings", "run.calor", "--format", "json"]).to_string();
    assert!(!findings.contains("scopes that compress at two levels or more"), "{findings}");
}

#[test]
fn what_cannot_be_measured_is_refused_with_what_can() {
    let bench = bench();
    bench.put("empty", b"");
    bench.put("two", b"ab");
    bench.put("some", &[7; 100]);
    let check = |more: &[&str], expected: &str| {
        let arguments = [&["bench", "compression"], more].concat();
        let message = bench.failure(&arguments);
        assert!(message.contains(expected), "{more:?}: {message}");
    };
    check(&["--algo", "zip"], "zstd, lz4, deflate, gzip, snappy or brotli");
    check(&["--algo", "deflate", "--levels", "10"], "0 to 9 for deflate");
    check(&["--levels", "fast"], "numbers such as 1,3,19");
    check(&["--block", "4T"], "such as 4K or 64K, or all");
    check(&["--link", "fast"], "such as 200MB/s");
    check(&["--budget", "0MB/s"], "above 0");
    check(&["--link", "-5MB/s"], "above 0");
    check(&["--levels", "zstd:9..1"], "the smaller level first: 1..9");
    check(&["--goal", "speed"], "link, small, logs, weights or checkpoints");
    check(&["--sample", "1"], "4K to 1G");
    check(&["no-such-file"], "no-such-file: no such file");
    check(&["empty"], "empty: is empty");
    check(&["two"], "two: has 2 bytes");
    check(&["some", "./some"], "some: is named twice");
    check(&["."], "is a directory: name files to compress, such as DIR/*");
}
