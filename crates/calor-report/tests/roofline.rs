//! Pages about a roofline: what they say, that every format says it, and that odd profiles do no harm.

use calor_analysis::{MachineRoof, RoofNumber, RoofPeak, RoofTier};
use calor_model::{FrameKind, LabelTable, Profile, Run, ScopeKey, ScopeStats, Warning, Work};
use calor_report::{RooflineFormat, RooflineOptions, render_roofline};
use proptest::prelude::*;
use serde_json::Value;

const FORMATS: [RooflineFormat; 5] = [
    RooflineFormat::Text,
    RooflineFormat::Markdown,
    RooflineFormat::Json,
    RooflineFormat::Html,
    RooflineFormat::Svg,
];

fn roof() -> MachineRoof {
    let peak = |number, width: &str, rate, all| RoofPeak {
        number,
        width: width.to_owned(),
        flops_per_s: rate,
        all_cores_flops_per_s: all,
    };
    let tier = |name: &str, bytes, rate, all| RoofTier {
        name: name.to_owned(),
        bytes,
        bytes_per_s: rate,
        all_cores_bytes_per_s: all,
    };
    MachineRoof {
        cpu: "Some CPU".to_owned(),
        cores: Some(2),
        peaks: vec![
            peak(RoofNumber::F32, "scalar", 10e9, None),
            peak(RoofNumber::F32, "avx2", 100e9, Some(190e9)),
            peak(RoofNumber::F64, "avx2", 50e9, None),
        ],
        tiers: vec![
            tier("L1", Some(32 << 10), 200e9, None),
            tier("L2", Some(1 << 20), 100e9, None),
            tier("DRAM", Some(1 << 34), 20e9, Some(30e9)),
        ],
    }
}

/// Scopes of a second each, with what they told.
fn profile(scopes: &[(&str, u64, u64)]) -> Profile {
    let command = Some("./train".to_owned());
    let mut profile = Profile { runs: vec![Run { command, ..Run::default() }], ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    for (name, flops, bytes) in scopes {
        let stack = profile.intern_named_path(&["step", name], FrameKind::Scope).expect("a path has a frame");
        let work = Work { flops: *flops, bytes: *bytes, ..Work::default() };
        let stats = ScopeStats { calls: 10, total_nanos: 1_000_000_000, work, ..ScopeStats::default() };
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    profile
}

fn page(profile: &Profile, roof: &MachineRoof, options: &RooflineOptions) -> String {
    let warnings = [Warning::new("noted", "something about the roof")];
    let mut page = Vec::new();
    render_roofline(profile, roof, &warnings, options, &mut page).expect("memory takes it");
    String::from_utf8(page).expect("pages are text")
}

fn options(format: RooflineFormat) -> RooflineOptions {
    RooflineOptions { format, width: 120, ..RooflineOptions::default() }
}

const G: u64 = 1_000_000_000;

#[test]
fn every_scope_is_told_with_its_rates_its_roof_and_what_limits_it() {
    let profile = profile(&[("matmul", 60 * G, G), ("add", G, 12 * G), ("load", 0, 5 * G), ("idle", 0, 0)]);
    let text = page(&profile, &roof(), &options(RooflineFormat::Text));
    let row = |name: &str| {
        let is_row = |line: &&str| line.trim_end().ends_with(&format!(" step › {name}"));
        let found = text.lines().find(is_row).unwrap_or_else(|| panic!("no {name}:\n{text}"));
        found.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("matmul"), "25.0 % 10 60.0 1.00 60.0 100 60 % compute step › matmul");
    assert_eq!(row("add"), "25.0 % 10 1.00 12.0 0.083 1.67 60 % memory (DRAM) step › add");
    assert_eq!(row("load"), "25.0 % 10 - 5.00 - 20.0 GB/s 25 % memory (DRAM) step › load");
    assert!(
        text.contains("something about the roof") && text.contains("step › idle: 1.00 s by itself"),
        "{text}"
    );
    for format in [RooflineFormat::Markdown, RooflineFormat::Html] {
        let page = page(&profile, &roof(), &options(format));
        for expected in ["matmul", "memory (DRAM)", "60 %", "something about the roof", "Some CPU"] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
    }
}

#[test]
fn scopes_that_had_no_core_of_their_own_are_told() {
    let told = |cpu_seconds: u64| {
        let mut profile = profile(&[("matmul", 60 * G, G), ("load", 0, 5 * G), ("idle", 0, 0)]);
        profile.runs[0].cpu_nanos = Some(cpu_seconds * G);
        let text = page(&profile, &roof(), &options(RooflineFormat::Json));
        let json: Value = serde_json::from_str(&text).expect("it is JSON");
        let warnings = json["warnings"].as_array().expect("a list").clone();
        warnings.into_iter().find(|warning| warning["code"] == "kept_from_running")
    };
    let warning = told(1).expect("two seconds of work were one on a processor");
    assert!(warning["message"].as_str().is_some_and(|text| text.contains("2.0 times")), "{warning}");
    assert_eq!(told(2), None);
}

#[test]
fn scopes_that_came_to_more_than_their_roof_are_told() {
    let text = |gigabytes: u64| {
        page(&profile(&[("update", 0, gigabytes * G)]), &roof(), &options(RooflineFormat::Text))
    };
    // The nearest tier delivers 200 GB/s.
    let above = text(230).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(above.contains("1 scope above the roof, `update` at 115.0 %"), "{above}");
    assert!(!text(205).contains("above the roof"));
}

#[test]
fn programs_get_all_figures_unrounded_and_null_for_what_is_not_known() {
    let profile = profile(&[("matmul", 60 * G, G), ("load", 0, 5 * G)]);
    let text = page(&profile, &roof(), &options(RooflineFormat::Json));
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    let scopes = json["scopes"].as_array().expect("a list");
    let matmul = scopes.iter().find(|scope| scope["name"] == "matmul").expect("it is there");
    assert_eq!((&matmul["roof_share"], &matmul["bound"]), (&0.6.into(), &"compute".into()));
    assert_eq!((&matmul["path"][0], &matmul["cores"]), (&"step".into(), &"one".into()));
    let load = scopes.iter().find(|scope| scope["name"] == "load").expect("it is there");
    assert_eq!((&load["intensity"], &load["flops_per_s"]), (&Value::Null, &Value::Null));
    assert_eq!((&load["tier"], &json["machine"]["tiers"][2]["ridge"]), (&"DRAM".into(), &5.0.into()));
}

#[test]
fn without_work_or_roof_the_page_says_what_to_do() {
    let nothing = page(&profile(&[("idle", 0, 0)]), &roof(), &options(RooflineFormat::Text));
    assert!(
        nothing.contains("No scope of this profile told") && nothing.contains("calor::scope!"),
        "{nothing}"
    );
    let empty = page(&Profile::default(), &roof(), &options(RooflineFormat::Text));
    assert!(empty.contains("has no scopes"), "{empty}");
    let matmul = profile(&[("matmul", 60 * G, G)]);
    let roofless = page(&matmul, &MachineRoof::default(), &options(RooflineFormat::Text));
    assert!(roofless.contains("60.0") && !roofless.contains("of roof"), "{roofless}");
}

#[test]
fn the_picture_has_a_dot_for_each_scope_with_both_figures_and_names_cannot_be_markup() {
    let profile = profile(&[("<b>&\"x", 60 * G, G), ("add", G, 12 * G), ("load", 0, 5 * G)]);
    let svg = page(&profile, &roof(), &options(RooflineFormat::Svg));
    assert_eq!(svg.matches("<circle").count(), 2);
    assert!(svg.contains("&lt;b&gt;&amp;") && !svg.contains("<b>"), "{svg}");
    for expected in
        ["L1 200 GB/s", "DRAM 20.0 GB/s", "100 GFLOP/s, f32 avx2", "190 GFLOP/s, all cores", "10.0 scalar"]
    {
        assert!(svg.contains(expected), "{expected}: {svg}");
    }
    assert!(svg.contains("60 % of its roof of 1.67 GFLOP/s, limited by memory (DRAM)"), "{svg}");
    let html = page(&profile, &roof(), &options(RooflineFormat::Html));
    assert!(html.contains("<svg") && !html.contains("src=") && !html.contains("href=\"http"));
}

proptest! {
    #[test]
    fn odd_figures_do_no_harm(
        scopes in prop::collection::vec((any::<u64>(), any::<u64>()), 0..40),
        peak in 1e-3..1e18_f64,
        rate in 1e-3..1e18_f64,
        has_roof: bool,
    ) {
        let names: Vec<String> = (0..scopes.len()).map(|at| format!("scope {at}")).collect();
        let scopes: Vec<(&str, u64, u64)> =
            names.iter().zip(scopes).map(|(name, (flops, bytes))| (name.as_str(), flops, bytes)).collect();
        let mut roof = if has_roof { roof() } else { MachineRoof::default() };
        roof.peaks.iter_mut().for_each(|of| of.flops_per_s *= peak / 1e9);
        roof.tiers.iter_mut().for_each(|of| of.bytes_per_s *= rate / 1e9);
        for format in FORMATS {
            let page = page(&profile(&scopes), &roof, &options(format));
            prop_assert!(!page.contains("NaN") && !page.contains("inf\""), "{}", page);
        }
    }
}

#[test]
fn it_is_said_whether_rates_are_of_cpu_time() {
    let mut told = profile(&[("matmul", 50_000_000_000, 1_000_000), ("copy", 0, 1_000_000)]);
    let options = RooflineOptions { width: 200, ..RooflineOptions::default() };
    assert!(!page(&told, &roof(), &options).contains("CPU time"));
    let counter = told.strings.intern(calor_analysis::CPU_NANOS);
    let keys: Vec<ScopeKey> = told.scopes.iter().map(|(key, _)| key).collect();
    told.scopes.row_mut(keys[0]).work.add_counter(counter, 600_000_000);
    let some = page(&told, &roof(), &options);
    assert!(some.contains("as CPU time of those that tell it") && some.contains(" 83.3 "), "{some}");
    told.scopes.row_mut(keys[1]).work.add_counter(counter, 900_000_000);
    let all = page(&told, &roof(), &options);
    assert!(all.contains("as CPU time, which all of them tell"), "{all}");
}
