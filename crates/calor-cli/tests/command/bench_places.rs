//! Where benches write: never over what they read, by whatever name that is given.

use super::workbench::Workbench;

#[test]
fn no_bench_writes_over_what_it_reads() {
    let bench = Workbench::new();
    let text = b"a text that is kept ".repeat(1000);
    bench.put("kept", &text);
    #[cfg(unix)]
    std::os::unix::fs::symlink("kept", bench.path("link")).expect("it can be linked");
    let links: &[&str] = if cfg!(unix) { &["kept", "./kept", "link"] } else { &["kept", "./kept"] };
    for input in [
        &["tokenizer", "--text", "kept"][..],
        &["tokenizer", "--model", "kept"],
        &["model", "--weights", "kept"],
        &["compression", "kept"],
        &["simd", "--blas", "kept"],
    ] {
        for (option, place) in
            ["-o", "--profile"].iter().flat_map(|option| links.iter().map(move |to| (option, to)))
        {
            let said = bench.failure(&[&["bench"], input, &["--quick", option, place]].concat());
            let expected = format!("{place}: the file to write is the one to read; name another one");
            assert!(said.contains(&expected), "{input:?} {option} {place}: {said}");
        }
    }
    assert_eq!(bench.get("kept"), text);
}

#[test]
fn the_page_and_the_profile_are_two_files() {
    let bench = Workbench::new();
    bench.put("there", b"");
    for name in ["there", "new"] {
        let said =
            bench.failure(&["bench", "simd", "--quick", "-o", name, "--profile", &format!("./{name}")]);
        assert!(
            said.contains("--profile and -o name the same file: give one of them another name"),
            "{said}"
        );
    }
    assert_eq!(bench.names(), ["profile.calor", "there"]);
}
