//! What a Python user reads of a profile: operations, contexts, what to do next.

mod operations_sketch;
#[expect(dead_code, reason = "only the run is used here")]
mod sketch;

use calor_analysis::findings::{Circumstances, judge};
use calor_analysis::{RoofNumber, RoofPeak, RoofTier};
use calor_model::{FrameKind, LabelTable, Profile, SampleKey, SampleKind, SampleWeight, Work};
use calor_report::{Carry, MachineRoof, OperationsOptions, Options, ReportFormat, render, render_operations};
use operations_sketch::training;
use serde_json::Value;

fn page(profile: &Profile, options: &OperationsOptions) -> String {
    let part = calor_analysis::selection::context(profile, options.context.as_deref())
        .expect("the context was entered");
    let circumstances =
        Circumstances { roof: options.roof.clone(), is_of_itself: true, ..Circumstances::default() };
    let findings = judge(&part, &circumstances).findings;
    let options = OperationsOptions { findings, ..options.clone() };
    let mut page = Vec::new();
    render_operations(profile, &options, &mut page).expect("a page in memory");
    String::from_utf8(page).expect("a page is text")
}

fn of_format(format: ReportFormat) -> String {
    page(&training(), &OperationsOptions { format, ..OperationsOptions::default() })
}

fn json(options: OperationsOptions) -> Value {
    let options = OperationsOptions { format: ReportFormat::Json, ..options };
    serde_json::from_str(&page(&training(), &options)).expect("it is JSON")
}

/// 100 GFLOP/s and 20 GB/s.
fn roof() -> MachineRoof {
    let peak = RoofPeak {
        number: RoofNumber::F32,
        width: "avx2".to_owned(),
        flops_per_s: 1e12,
        all_cores_flops_per_s: None,
    };
    let tier =
        RoofTier { name: "DRAM".to_owned(), bytes: None, bytes_per_s: 2e10, all_cores_bytes_per_s: None };
    MachineRoof { peaks: vec![peak], tiers: vec![tier], ..MachineRoof::default() }
}

#[test]
fn the_table_marks_the_slowest_and_leaves_out_what_is_inside_others() {
    let options = OperationsOptions { width: 160, ..OperationsOptions::default() };
    let page = page(&training(), &options);
    let line = |name: &str| page.lines().find(|line| line.contains(name)).unwrap_or_default();
    assert!(line("matmul").ends_with("train.py:12  ← slowest"), "{page}");
    assert!(line("ndarray.mean").ends_with("ndarray.mean  train.py:13"), "{page}");
    assert!(!page.contains("add.reduce"), "{page}");
    assert!(page.contains("1 inside these is not listed"), "{page}");
    assert!(page.contains("look at `matmul` at train.py:12 first"), "{page}");
    assert!(page.contains("machine_not_measured") && page.contains("512x512, 512x512"), "{page}");
    for line in page.lines() {
        assert!(line.chars().count() <= 160, "{line}");
    }
}

#[test]
fn a_share_above_the_roof_has_a_remark() {
    let codes = |page: &Value| -> Vec<String> {
        let list = page["warnings"].as_array().expect("a list");
        list.iter().map(|told| told["code"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let above = "above_roof".to_owned();
    let within = json(OperationsOptions { roof: Some(roof()), ..OperationsOptions::default() });
    assert!(!codes(&within).contains(&above), "{within}");
    let mut low = roof();
    low.tiers[0].bytes_per_s = 1e7;
    low.peaks[0].flops_per_s = 1e9;
    let page = json(OperationsOptions { roof: Some(low), ..OperationsOptions::default() });
    assert!(codes(&page).contains(&above), "{page}");
}

#[test]
fn narrow_terminals_keep_operation_and_line() {
    let options = OperationsOptions { width: 60, ..OperationsOptions::default() };
    let page = page(&training(), &options);
    let row = page.lines().find(|line| line.contains("ndarray.mean")).unwrap();
    assert!(row.contains("train.py:13") && row.chars().count() <= 60, "{page}");
}

#[test]
fn programs_find_operations_and_sections_under_their_names() {
    let page = json(OperationsOptions::default());
    assert_eq!(
        (page["schema"].as_str(), page["total_time_ns"].as_u64()),
        (Some("calor/profile_report/1"), Some(10_151_000))
    );
    assert_eq!(
        (page["train"]["total_time_ms"].as_f64(), page["train"]["count"].as_u64()),
        (Some(10.0), Some(1))
    );
    assert_eq!(page["train"]["kind"], "context");
    // A name that is a field's is among the contexts alone.
    assert!(page["warnings"].is_array());
    assert_eq!(page["contexts"]["warnings"]["mean_ms"], 2.0);
    let names = |list: &Value, key: &str| -> Vec<String> {
        list.as_array().unwrap().iter().map(|row| row[key].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&page["operations"], "operation"), ["matmul", "ndarray.mean", "add", "add.reduce"]);
    assert_eq!(names(&page["functions"], "name"), ["load, all"]);
    let matmul = &page["operations"][0];
    assert_eq!(matmul["shapes"], serde_json::json!([[512, 512], [512, 512]]));
    assert_eq!(
        (matmul["dtypes"].clone(), matmul["count"].as_u64()),
        (serde_json::json!(["float32", "float32"]), Some(10))
    );
    assert_eq!((matmul["line"].as_u64(), matmul["file"].as_str()), (Some(12), Some("/home/me/train.py")));
    assert_eq!((matmul["context"].as_str(), matmul["parent"].as_str()), (Some("train"), Some("warnings")));
    assert_eq!(
        (matmul["total_ns"].as_u64(), matmul["flops"].as_u64()),
        (Some(4_000_000), Some(2_684_354_560))
    );
    assert_eq!(matmul["flops_per_s"].as_f64(), Some(2_684_354_560.0 * 250.0));
    assert_eq!(matmul["stddev_ns"].as_u64(), Some(0));
}

#[test]
fn what_was_not_measured_is_null_and_has_a_warning() {
    let page = json(OperationsOptions::default());
    let codes: Vec<&str> = page["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["machine_not_measured", "spread_unknown", "work_unknown"]);
    let (mean, add) = (&page["operations"][1], &page["operations"][2]);
    for field in ["bytes", "flops", "bytes_per_s", "flops_per_s", "roof_share"] {
        assert!(mean.as_object().unwrap().contains_key(field) && mean[field].is_null(), "{field}");
    }
    assert!(add["stddev_ns"].is_null() && add["dtypes"] == serde_json::json!(["float64", "float64"]));
    assert_eq!(add["shapes"], serde_json::json!([[10], []]));
}

#[test]
fn a_machine_that_was_measured_is_what_operations_are_held_against() {
    let page = json(OperationsOptions { roof: Some(roof()), ..OperationsOptions::default() });
    let share = page["operations"][0]["roof_share"].as_f64().unwrap();
    assert!((share - 671.08864 / 1_000.0).abs() < 1e-6, "{share}");
    assert_eq!(page["operations"][0]["bound"], "compute");
    assert!(!page["warnings"].to_string().contains("machine_not_measured"));
}

#[test]
fn a_context_is_reported_alone() {
    let page = json(OperationsOptions { context: Some("train".to_owned()), ..OperationsOptions::default() });
    assert_eq!((page["context"].as_str(), page["total_time_ns"].as_u64()), (Some("train"), Some(10_000_000)));
    assert_eq!(page["operations"].as_array().unwrap().len(), 3);
    let unknown = OperationsOptions { context: Some("tain".to_owned()), ..OperationsOptions::default() };
    let error = render_operations(&training(), &unknown, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "no context is named `tain`; the profile has `train`");
}

#[test]
fn a_table_for_spreadsheets_has_all_rows_and_quotes_what_needs_it() {
    let page = of_format(ReportFormat::Csv);
    let lines: Vec<&str> = page.split("\r\n").collect();
    assert!(lines[0].starts_with("kind,operation,library,count,total_ns,"));
    assert_eq!(lines.len(), 1 + 4 + 2 + 1 + 1, "{page}");
    assert!(
        lines[1].starts_with("operation,matmul,numpy,10,4000000,400000,400000,400000,0,"),
        "{}",
        lines[1]
    );
    assert!(lines[1].contains(
        "\"512x512,512x512\",\"float32,float32\",float32,/home/me/train.py,12,train,warnings,false,false"
    ));
    assert!(lines.iter().any(|line| line.starts_with("function,\"load, all\",,3,150000,")), "{page}");
    let fields = |line: &str| line.matches(',').count();
    assert_eq!(fields(lines[5]), fields(lines[0]), "{page}");
}

/// A scope that told all that scopes can tell.
fn telling() -> Profile {
    let mut profile = operations_sketch::Sketch::new()
        .row(&[("load", FrameKind::Scope, 3)], &[], 4, 500_000_000, Work::default())
        .row(&[("idle", FrameKind::Scope, 9)], &[], 1, 1_000, Work::default())
        .profile();
    let [tokens, cuda] = ["tokens, all", "cuda"].map(|name| profile.strings.intern(name));
    let key = profile.scopes.iter().next().map(|(key, _)| key).expect("a row");
    let work = &mut profile.scopes.row_mut(key).work;
    (work.bytes, work.flops, work.elements) = (8_000, 600, 40);
    work.add_backend(cuda, 4);
    work.add_counter(tokens, -100);
    profile
}

#[test]
fn what_scopes_told_is_on_every_page() {
    let of =
        |format| page(&telling(), &OperationsOptions { format, width: 160, ..OperationsOptions::default() });
    let json: Value = serde_json::from_str(&of(ReportFormat::Json)).expect("it is JSON");
    let load = &json["load"];
    assert_eq!((load["bytes"].as_u64(), load["flops_per_s"].as_f64()), (Some(8_000), Some(300.0)));
    assert_eq!(
        (&load["elements"], &load["bytes_per_s"]),
        (&serde_json::json!(40), &serde_json::json!(4_000.0))
    );
    assert_eq!(load["counters"], serde_json::json!({"tokens, all": -100}));
    assert_eq!(load["backends"], serde_json::json!({"cuda": 4}));
    assert!(json["idle"].get("counters").is_none() && json["idle"].get("bytes").is_none());
    let csv = of(ReportFormat::Csv);
    let row = csv.split("\r\n").find(|line| line.contains(",load,")).unwrap_or_default();
    assert!(row.contains(",cuda,") && row.contains(",8000,600,4000,300,"), "{row}");
    assert!(row.ends_with(r#",40,"{""tokens, all"":-100}",,,"#), "{row}");
    for format in [ReportFormat::Text, ReportFormat::Markdown, ReportFormat::Html] {
        let page = of(format);
        assert!(
            page.contains("tokens, all") && page.contains("-100") && page.contains("calls on cuda"),
            "{page}"
        );
    }
}

#[test]
fn a_mean_times_its_count_is_the_total_of_an_estimate() {
    let mut profile = training();
    let key = profile.scopes.iter().map(|(key, _)| key).last().expect("a row");
    let row = profile.scopes.row_mut(key);
    (row.calls, row.total_nanos) = (6_000, 441_000);
    row.timed = calor_model::DurationStats::default();
    (0..16).for_each(|_| row.timed.record(151));
    let stats = row.clone();
    assert_eq!((stats.is_estimated(), stats.mean_nanos()), (true, Some(73.5)));
}

#[test]
fn markdown_and_html_show_the_table_too() {
    let markdown = of_format(ReportFormat::Markdown);
    assert!(markdown.contains("| matmul (train.py:12) ← slowest |"), "{markdown}");
    let html = of_format(ReportFormat::Html);
    assert!(html.contains("<section id=\"operations\"") && html.contains("<em>slowest</em>"));
    assert!(html.contains("<section id=\"flame\"") && html.contains("id=\"hot-paths\""));
}

#[test]
fn the_report_of_a_file_has_the_same_table() {
    let report = |format| {
        let options = Options { format, width: 160, carry: Carry::Nothing, ..Options::default() };
        let mut page = Vec::new();
        render(&training(), &options, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    };
    assert!(report(ReportFormat::Text).contains("train.py:12  ← slowest"));
    let page: Value = serde_json::from_str(&report(ReportFormat::Json)).unwrap();
    assert_eq!(
        (page["operations"][0]["operation"].as_str(), page["operations"].as_array().unwrap().len()),
        (Some("matmul"), 4)
    );
}

#[test]
fn functions_that_samples_found_are_listed() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for (path, count) in [(&["train", "load"][..], 30), (&["train"], 10)] {
        let stack = profile.intern_named_path(path, FrameKind::Python).expect("a path has a frame");
        let labels = LabelTable::none();
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 1_000_000 });
    }
    let text = page(&profile, &OperationsOptions::default());
    assert!(text.contains("Functions by samples") && !text.contains("enable_profiling"), "{text}");
    let options = OperationsOptions { format: ReportFormat::Json, ..OperationsOptions::default() };
    let page: Value = serde_json::from_str(&page(&profile, &options)).unwrap();
    let told: Vec<_> = page["sampled_functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["name"].as_str(), row["self_ns"].as_u64(), row["total_ns"].as_u64()))
        .collect();
    assert_eq!(
        told,
        [
            (Some("load"), Some(30_000_000), Some(30_000_000)),
            (Some("train"), Some(10_000_000), Some(40_000_000))
        ]
    );
}

#[test]
fn a_run_in_which_nothing_happened_says_what_could_be_recorded() {
    let empty = Profile { runs: vec![sketch::run()], ..Profile::default() };
    assert!(page(&empty, &OperationsOptions::default()).contains("functions=\"trace\""));
}

#[test]
fn a_profile_without_anything_says_what_to_do() {
    let empty = Profile::default();
    assert!(page(&empty, &OperationsOptions::default()).contains("calor.enable_profiling()"));
    let options = OperationsOptions { format: ReportFormat::Json, ..OperationsOptions::default() };
    let page: Value = serde_json::from_str(&page(&empty, &options)).unwrap();
    assert_eq!(
        (page["operations"].as_array().unwrap().len(), page["warnings"][0]["code"].as_str()),
        (0, Some("nothing_recorded"))
    );
}

fn html(profile: &Profile) -> String {
    page(profile, &OperationsOptions { format: ReportFormat::Html, ..OperationsOptions::default() })
}

#[test]
fn html_has_the_table_of_contexts_and_scopes_above_hot_paths() {
    let page = html(&training());
    let [operations, scopes, hot_paths] =
        ["operations", "scopes", "hot-paths"].map(|id| page.find(&format!("<section id=\"{id}\"")).unwrap());
    assert!(operations < scopes && scopes < hot_paths);
    let table = &page[scopes..hot_paths];
    assert!(table.contains("Contexts and scopes") && table.contains("<b>train</b>"), "{table}");
    assert!(!table.contains("load, all"), "functions have a table of their own: {table}");
}

#[test]
fn what_recorders_count_for_rules_is_no_counter_of_the_program() {
    let mut profile = training();
    let [pairs, blas, rows] = ["operand_pairs", "blas", "rows"].map(|name| profile.strings.intern(name));
    let keys: Vec<_> = profile.scopes.iter().map(|(key, _)| key).collect();
    let matmul = &mut profile.scopes.row_mut(keys[2]).work;
    matmul.add_counter(pairs, 9);
    matmul.add_backend(blas, 10);
    profile.scopes.row_mut(keys[1]).work.add_counter(rows, 40);
    let page = html(&profile);
    let counters = &page[page.find("<section id=\"counters\"").expect("the program's own")..];
    let counters = &counters[..counters.find("</section>").unwrap()];
    assert!(counters.contains("rows"), "{counters}");
    assert!(!counters.contains("operand_pairs") && !counters.contains("calls on blas"), "{counters}");
}

#[test]
fn a_scope_open_inside_itself_has_a_remark_on_its_mean() {
    let rec = ("rec", FrameKind::Scope, 3);
    let once = operations_sketch::Sketch::new().row(&[rec], &[], 2, 1_000, Work::default());
    let remark = "total counts that time once";
    assert!(!page(&once.profile(), &OperationsOptions::default()).contains(remark));
    let nested = operations_sketch::Sketch::new()
        .row(&[rec], &[], 2, 1_000, Work::default())
        .row(&[rec, rec], &[], 2, 400, Work::default())
        .profile();
    for format in [ReportFormat::Text, ReportFormat::Html] {
        let options = OperationsOptions { format, width: 200, ..OperationsOptions::default() };
        let page = page(&nested, &options);
        assert!(page.contains(remark), "{page}");
    }
}

#[test]
fn the_slowest_operation_is_pointed_at_where_it_leaves_something_to_gain() {
    let of = |others: u64, roof: Option<MachineRoof>| {
        let work = Work { flops: 2_684_354_560, bytes: 31_457_280, ..Work::default() };
        let labels = [("op", "numpy"), ("dtype", "float32,float32->float32")];
        let profile = operations_sketch::Sketch::new()
            .row(&[("matmul", FrameKind::Scope, 12)], &labels, 10, 400_000, work)
            .row(&[("rest", FrameKind::Scope, 3)], &[], 1, others, Work::default())
            .profile();
        page(&profile, &OperationsOptions { roof, width: 200, ..OperationsOptions::default() })
    };
    let half = of(4_000_000, None);
    assert!(half.contains("look at `matmul` at train.py:12 first: it takes 50.0 % of the time"), "{half}");
    assert!(half.contains("no change there can make all of this more than 2.0 times faster"), "{half}");
    assert!(!of(40_000, None).contains("look at"), "a hundred times is no promise");
    assert!(!of(4_000_000, Some(roof())).contains("look at"), "it does 67 % of what the machine can do");
}

#[test]
fn calls_without_labels_and_what_is_not_listed_are_told_in_words() {
    let step = ("step", FrameKind::Scope, 3);
    let mut sketch = operations_sketch::Sketch::new().row(&[step], &[], 1, 9_000, Work::default()).row(
        &[step],
        &[("model", "small")],
        1,
        8_000,
        Work::default(),
    );
    for name in ["a", "b", "c"] {
        sketch = sketch.row(&[(name, FrameKind::Scope, 4)], &[], 1, 100, Work::default());
    }
    let options = OperationsOptions { top: Some(2), width: 160, ..OperationsOptions::default() };
    let page = page(&sketch.profile(), &options);
    assert!(page.contains("step (no labels)") && page.contains("step {model=small}"), "{page}");
    assert!(page.contains("The longest 2; `calor.profile_report(top=4)` lists 2 more."), "{page}");
}

#[test]
fn steps_back_of_pytorch_are_contexts_alone() {
    let back = [("phase", "backward")];
    let scope = |name| (name, FrameKind::Scope, 3);
    let profile = operations_sketch::Sketch::new()
        .row(&[scope("backward")], &back, 1, 9_000, Work::default())
        .row(&[scope("backward"), scope("MmBackward0")], &back, 4, 1_000, Work::default())
        .row(&[scope("checkBackward")], &[], 1, 100, Work::default())
        .profile();
    let options = OperationsOptions { format: ReportFormat::Json, ..OperationsOptions::default() };
    let page: Value = serde_json::from_str(&page(&profile, &options)).unwrap();
    assert!(page.get("MmBackward0").is_none() && page["contexts"]["MmBackward0"].is_object(), "{page}");
    assert!(page["backward"].is_object() && page["checkBackward"].is_object(), "{page}");
}

#[test]
fn the_page_of_a_cell_begins_with_what_the_cell_did() {
    let mut profile = training();
    profile.runs[0].command = Some("python -m ipykernel_launcher -f /run/kernel-1.json".to_owned());
    let page = html(&profile);
    assert!(!page[..page.find("<script").unwrap()].contains("ipykernel_launcher"), "{page}");
    let ids = ["operations", "scopes", "flame", "hot-paths", "summary", "system"];
    let places = ids.map(|id| page.find(&format!("<section id=\"{id}\"")).unwrap());
    assert!(places.is_sorted(), "{places:?}");
}
