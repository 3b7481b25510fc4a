//! Pages about what GPUs did, of a recording of PyTorch on a real one.

use calor_model::{CopyKey, Profile};
use calor_report::{OperationsOptions, Options, ReportFormat, render, render_operations};
use serde_json::Value;

fn recorded() -> Profile {
    let bytes = include_bytes!("../../../tests/fixtures/gpu/transformer.calor");
    calor_formats::read(bytes).expect("the fixture is a profile")
}

fn page(format: ReportFormat) -> String {
    let mut page = Vec::new();
    let options = OperationsOptions { format, width: 160, ..OperationsOptions::default() };
    render_operations(&recorded(), &options, &mut page).expect("a page in memory");
    String::from_utf8(page).expect("a page is text")
}

fn json(page: &str) -> Value {
    serde_json::from_str(page).expect("it is JSON")
}

fn sum(rows: &Value, field: &str) -> u64 {
    rows.as_array().expect("a list").iter().filter_map(|row| row[field].as_u64()).sum()
}

#[test]
fn kernels_and_copies_are_told_with_their_device_and_line() {
    let page = json(&page(ReportFormat::Json));
    let gpu = &page["gpu"];
    assert_eq!(gpu["devices"][0]["name"], "NVIDIA H200");
    assert_eq!(sum(&gpu["kernels"], "count"), 590);
    let kernels = gpu["kernels"].as_array().expect("a list");
    let by_line = |kernel: &Value| kernel["launched_from"]["line"] == 25;
    assert!(kernels.iter().filter(|kernel| by_line(kernel)).count() > 5, "the line of the forward pass");
    let shares: f64 = kernels.iter().filter_map(|kernel| kernel["share"].as_f64()).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    let copies = gpu["copies"].as_array().expect("a list");
    let to_device = |pageable: bool| {
        copies.iter().find(|copy| copy["kind"] == "host_to_device" && copy["pageable"] == pageable)
    };
    // Five from each, and a last one from pinned memory, of 4 MiB.
    let told = [true, false].map(|pageable| to_device(pageable).map(|copy| copy["bytes"].as_u64()));
    assert_eq!(told, [Some(Some(5 << 22)), Some(Some(6 << 22))]);
}

#[test]
fn time_of_gpus_is_of_operations_and_modules_and_adds_up() {
    let page = json(&page(ReportFormat::Json));
    let whole = sum(&page["gpu"]["kernels"], "total_ns") + sum(&page["gpu"]["copies"], "total_ns");
    let operations = page["operations"].as_array().expect("a list");
    let outermost = operations.iter().filter(|row| row["is_nested"] != true);
    let told: u64 = outermost.filter_map(|row| row["gpu_ns"].as_u64()).sum();
    // What the program launches itself is in no operation, and a row may have calls inside others, too.
    let share = told as f64 / whole as f64;
    assert!((0.9..1.1).contains(&share), "{told} of {whole}");
    // Two shapes at one line are told apart.
    let products =
        operations.iter().filter(|row| row["operation"] == "addmm").map(|row| row["gpu_ns"].as_u64());
    let products: Vec<_> = products.collect();
    assert!(products.len() > 1 && products.iter().all(Option::is_some), "{products:?}");
    let ms = |name: &str| page[name]["gpu_time_ms"].as_f64().unwrap_or_else(|| panic!("{name} has no time"));
    let layers = ms("layers.0") + ms("layers.1");
    assert!(layers <= ms("TransformerEncoder") && ms("TransformerEncoder") <= ms("train"), "{layers}");
}

#[test]
fn pages_for_people_have_the_time_of_gpus_beside_that_of_the_host() {
    let text = page(ReportFormat::Text);
    for expected in [
        "GPU",
        "Kernels on GPUs",
        "NVIDIA H200 (140 GiB): 590 kernels",
        "linear train.py:25",
        "Copies on GPUs",
        "pageable",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let csv = page(ReportFormat::Csv);
    assert!(csv.lines().next().is_some_and(|header| header.ends_with(",gpu_ns,device")), "{csv}");
    let mut html = Vec::new();
    let options = Options { format: ReportFormat::Html, ..Options::default() };
    render(&recorded(), &options, &mut html).expect("a page in memory");
    let html = String::from_utf8_lossy(&html);
    assert!(html.contains("id=\"gpu-kernels\"") && html.contains("id=\"gpu-copies\""));
}

#[test]
fn copies_of_several_devices_are_told_apart() {
    let copies = |profile: &Profile| {
        let mut page = Vec::new();
        let options =
            OperationsOptions { format: ReportFormat::Text, width: 160, ..OperationsOptions::default() };
        render_operations(profile, &options, &mut page).expect("a page in memory");
        let page = String::from_utf8(page).expect("a page is text");
        page.split_once("Copies on GPUs").expect("a section").1.to_owned()
    };
    let mut profile = recorded();
    assert!(!copies(&profile).contains("device"), "there is one");
    let elsewhere: Vec<_> = profile
        .gpu
        .copies
        .iter()
        .map(|(key, stats)| (CopyKey { device: 1, ..*key }, stats.clone()))
        .collect();
    elsewhere.iter().for_each(|(key, stats)| profile.gpu.add_copies(*key, stats));
    let told = copies(&profile);
    let rows: Vec<&str> = told.lines().filter(|line| line.contains("host to GPU")).collect();
    assert!(told.contains("device") && rows.len() > 1, "{told}");
    assert_eq!(rows.iter().collect::<std::collections::HashSet<_>>().len(), rows.len(), "{told}");
}

#[test]
fn without_a_gpu_nothing_is_said_of_one() {
    let mut profile = recorded();
    profile.gpu = calor_model::GpuTable::default();
    let mut page = Vec::new();
    render_operations(&profile, &OperationsOptions::default(), &mut page).expect("a page in memory");
    let page = String::from_utf8_lossy(&page);
    assert!(!page.contains("GPU"), "{page}");
}
