//! `calor bench simd`.

use serde_json::Value;

use super::workbench::{Workbench, text};

const SMALL: [&str; 8] =
    ["bench", "simd", "--quick", "--kernels", "matmul,sum", "--sizes", "16,24", "--blas=none"];

fn run(bench: &Workbench, arguments: &[&str]) -> Vec<u8> {
    let mut command = bench.command(&[&SMALL[..], arguments].concat());
    let output = command.env("CALOR_CACHE_DIR", bench.path("cache")).output().expect("it can be started");
    assert!(output.status.success(), "{}", text(&output.stderr));
    output.stdout
}

#[test]
fn figures_have_their_case_their_spread_and_whether_they_are_right() {
    let bench = Workbench::new();
    let page = run(&bench, &["--format", "json", "--profile", "run.calor"]);
    let page: Value = serde_json::from_slice(&page).expect("it is JSON");
    assert_eq!(page["name"], "simd");
    let results = page["results"].as_array().expect("results are a list");
    let is_of = |result: &&Value, kernel: &str, size: u64, unit: &str| {
        result["params"]["kernel"] == kernel && result["params"]["size"] == size && result["unit"] == unit
    };
    for (kernel, size) in [("matmul", 16), ("matmul", 24), ("sum", 16), ("sum", 24)] {
        for unit in ["GFLOP/s", "GB/s", "% of roof"] {
            assert!(results.iter().any(|it| is_of(&it, kernel, size, unit)), "{kernel} {size} {unit}");
        }
    }
    for result in results {
        assert_eq!(result["verified"], true, "{result}");
        let [low, median, high] = ["low", "median", "high"].map(|key| result[key].as_f64());
        assert!(low <= median && median <= high && median > Some(0.0), "{result}");
    }
    // The same is in the profile: a scope for each case, with its work.
    let report = bench.json(&["report", "run.calor", "--format", "json"]);
    assert!(report.to_string().contains("matmul blocked f32 24"), "{report:#}");
    let table = text(&run(&bench, &["--dtypes", "f64", "--threads", "1"]));
    assert!(table.contains("blocked") && !table.contains("parallel") && !table.contains("f32"), "{table}");
}

#[test]
fn what_there_is_not_is_refused_with_what_there_is() {
    let bench = Workbench::new();
    for (arguments, expected) in [
        (&["--kernels", "matmul,fft"][..], "matmul, softmax, gelu, layernorm, dot, saxpy, sum"),
        (&["--dtypes", "f16"], "f32, f64"),
        (&["--sizes", "4"], "8 to 8192"),
        (&["--sizes", "x"], "8 to 8192"),
        (&["--threads", "0"], "no such number of threads: 0; expected 1"),
        (&["--threads", "4096"], "no such number of threads: 4096; expected 1"),
        (&["--threads", "-1"], "from 1 on"),
        (&["--kernels", "dot, fft"], "no such kernel: fft"),
        (&["--seed", "-1"], "whole number from 0"),
        (&["-o", "."], "name a file inside it"),
        (&["--profile", "no/such/run.calor"], "mkdir -p"),
        (&["--blas", "no-such.so"], "no-such.so"),
    ] {
        let said = bench.failure(&[&["bench", "simd", "--quick"], arguments].concat());
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
