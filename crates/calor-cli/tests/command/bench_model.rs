//! `calor bench model`.

use serde_json::Value;

use super::schema_check::problems;
use super::workbench::{Workbench, text};

/// Sizes with which a run takes a moment.
const TINY: [&str; 14] = [
    "--size",
    "custom",
    "--width",
    "32",
    "--layers",
    "2",
    "--heads",
    "4",
    "--context",
    "24",
    "--vocabulary",
    "64",
    "--inferences",
    "2",
];

fn run(bench: &Workbench, arguments: &[&str]) -> Vec<u8> {
    let mut command = bench.command(&[&["bench", "model", "--quick"], arguments].concat());
    let output = command.env("CALOR_CACHE_DIR", bench.path("cache")).output().expect("it can be started");
    assert!(output.status.success(), "{}", text(&output.stderr));
    output.stdout
}

fn json(bench: &Workbench, arguments: &[&str]) -> Value {
    let page = run(bench, &[arguments, &["--format", "json"]].concat());
    serde_json::from_slice(&page).expect("it is JSON")
}

#[test]
fn a_run_tells_latency_throughput_memory_and_each_operation() {
    let bench = Workbench::new();
    let page = json(&bench, &[&TINY[..], &["--profile", "run.calor"]].concat());
    let schema = bench.json(&["schema", "bench/1"]);
    assert_eq!(problems(&schema, &page), Vec::<String>::new());
    assert_eq!(page["name"], "model");
    let results = page["results"].as_array().expect("results are a list");
    for case in ["ttft", "itl p50", "itl p99", "prefill", "decode", "weights", "kv cache"] {
        let result = results.iter().find(|result| result["case"] == case).expect("it was measured");
        assert_eq!(result["params"]["model"], "custom");
        assert!(result["median"].as_f64() > Some(0.0), "{result}");
    }
    let decode = results.iter().find(|result| result["case"] == "decode").expect("it was measured");
    assert_eq!(decode["n"], 2);
    assert_eq!(decode["verified"], true);
    // The same is in the profile, with the operations inside.
    let report = bench.json(&["report", "run.calor", "--format", "json"]).to_string();
    for scope in ["custom model", "prefill", "decode", "qkv", "mlp_down", "sample"] {
        assert!(report.contains(scope), "{scope}: {report}");
    }
    assert!(!report.contains("layer 0"), "layers are told apart by --deep alone");
}

#[test]
fn the_page_shows_models_metrics_hot_paths_and_who_allocated() {
    let bench = Workbench::new();
    let page = text(&run(&bench, &TINY));
    for part in ["parameters", "time to first token", "Hot paths, top 10", "Allocators, top 8"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let is_row = |line: &&str| line.trim_start().starts_with("custom  decode   ");
    let rows: Vec<&str> = page.lines().filter(is_row).collect();
    assert!(rows.iter().any(|row| row.contains(" mlp_down ") && row.ends_with('B')), "{page}");
    // Whatever is around the inferences is not in it.
    assert!(!page.contains("warm-up") && !page.contains(" check "), "{page}");
    let wide = [&TINY[..], &["--tokens", "9", "--prompt", "3", "-o", "page.md"]].concat();
    run(&bench, &wide);
    let page = text(&bench.get("page.md"));
    assert!(page.contains("Hot paths") && page.contains("| metric |"), "{page}");
}

#[test]
fn deep_has_each_layer_and_the_kernels_by_themselves() {
    let bench = Workbench::new();
    let page = json(&bench, &[&TINY[..], &["--deep", "--profile", "run.calor"]].concat());
    let results = page["results"].as_array().expect("results are a list");
    for kernel in ["matmul", "softmax", "gelu", "layernorm"] {
        for size in [128, 256, 512] {
            let is_it = |it: &&Value| it["params"]["kernel"] == kernel && it["params"]["size"] == size;
            let result = results.iter().find(is_it).expect("it was measured");
            assert_eq!(result["verified"], true, "{result}");
        }
    }
    let report = bench.json(&["report", "run.calor", "--format", "json"]).to_string();
    assert!(report.contains("layer 0") && report.contains("layer 1"), "{report}");
    let tables = page["tables"].as_array().expect("tables are a list");
    let layers = tables.iter().find(|table| table["title"] == "Layers").expect("there are layers");
    assert_eq!(layers["rows"].as_array().map(Vec::len), Some(4), "two layers in two phases: {layers}");
    assert!(layers.to_string().contains("mlp_down"), "{layers}");
}

#[test]
fn what_does_not_fit_is_refused_with_what_does() {
    let bench = Workbench::new();
    for (arguments, expected) in [
        (&["--size", "small,small"][..], "the size small is given twice: name each size once"),
        (&["--size", "huge"], "small, medium, large, gpt2 or custom"),
        (&["--inferences", "0"], "from 1 to 10000"),
        (&["--tokens", "0"], "from 1 on, as far as the model has room for it"),
        (&["--prompt", "99999999999999999999999"], "from 1 on, as far as the model has room for it"),
        (&["--size", "small, medium", "--tokens", "65"], "1 to 64"),
        (&["--size", "small", "--tokens", "65"], "1 to 64"),
        (&["--threads", "300"], "no such number of threads: 300; expected 1"),
        (&["--width", "64"], "add --size custom"),
        (&["--size", "custom", "--heads", "5"], "choose heads that divide it"),
        (&["--weights", "none.safetensors"], "none.safetensors: no such file: give the model.safetensors"),
    ] {
        let said = bench.failure(&[&["bench", "model", "--quick"], arguments].concat());
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_model_that_the_address_space_has_no_room_for_is_refused_before_it_is_made() {
    let bench = Workbench::new();
    let wide = ["bench", "model", "--size", "custom", "--width", "8192", "--heads", "4", "--layers", "1"];
    let arguments = bench.command(&wide);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "ulimit -v 3000000 && exec \"$0\" \"$@\""]).arg(arguments.get_program());
    limited.args(arguments.get_args());
    if let Some(folder) = arguments.get_current_dir() {
        limited.current_dir(folder);
    }
    let output = limited.output().expect("a shell can be started");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for part in ["the custom model needs 4.0", "ulimit -v", "--width"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn several_threads_are_told_to_be_held_against_one_and_rounds_that_are_none_are_told() {
    let bench = Workbench::new();
    let page = json(&bench, &[&TINY[..], &["--threads", "2"]].concat());
    assert!(page["advice"].to_string().contains("--threads 1"), "{}", page["advice"]);
    let page = json(&bench, &["--enhanced", "--deep", "--inferences", "2", "--tokens", "2", "--prompt", "2"]);
    assert!(page["warnings"].to_string().contains("not compared by rounds"), "{}", page["warnings"]);
}
