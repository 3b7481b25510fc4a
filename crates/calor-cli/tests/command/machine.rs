//! `calor machine` and `calor roofline`.

use calor_model::{Host, Run};
use serde_json::Value;

use super::workbench::{Workbench, text};

/// The command with its figures kept in the folder of the test; what it printed, and what it said.
fn json(bench: &Workbench, arguments: &[&str]) -> (Value, String) {
    let mut command = bench.command(arguments);
    let output = command.env("CALOR_CACHE_DIR", bench.path("cache")).output().expect("it can be started");
    assert!(output.status.success(), "{}", text(&output.stderr));
    (serde_json::from_slice(&output.stdout).expect("it is JSON"), text(&output.stderr))
}

/// Whether a figure is there, or a warning says why not.
fn is_known_or_explained(page: &Value, figure: &Value) -> bool {
    let is_explained = page["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty());
    figure.as_f64().is_some_and(|figure| figure > 0.0) || (figure.is_null() && is_explained)
}

#[test]
fn a_machine_is_measured_once_and_again_when_asked_or_when_the_file_is_damaged() {
    let bench = Workbench::new();
    let measure = ["machine", "--format", "json"];
    let (first, _) = json(&bench, &measure);
    for number in ["f32", "f64"] {
        let peak = &first["peak_flops"][number];
        for width in ["scalar", "sse", "avx2", "avx512", "best", "all_cores"] {
            assert!(is_known_or_explained(&first, &peak[width]), "{number} {width}: {first:#}");
        }
        assert!(peak["best"].as_f64() >= peak["scalar"].as_f64(), "{peak}");
    }
    let tiers = first["bandwidth"].as_array().expect("tiers are a list");
    assert_eq!(
        tiers.iter().filter_map(|tier| tier["tier"].as_str()).collect::<Vec<_>>(),
        ["L1", "L2", "L3", "DRAM"]
    );
    for tier in tiers {
        assert!(is_known_or_explained(&first, &tier["bytes_per_s"]), "{tier}");
    }
    assert!(first["noise"]["cpu_cv"].as_f64().is_some_and(|scatter| scatter >= 0.0), "{first:#}");
    let (kept, said) = json(&bench, &measure);
    let is_kept = kept["measured_at_unix_ns"] == first["measured_at_unix_ns"];
    assert!(is_kept || said.contains("measured again"), "{said}");
    std::fs::write(bench.path("cache/machine.json"), b"{\"schema\": 7").expect("it is ours");
    let (again, _) = json(&bench, &measure);
    assert_ne!(again["measured_at_unix_ns"], kept["measured_at_unix_ns"]);
    let (fresh, _) = json(&bench, &["machine", "--fresh", "--format", "json"]);
    assert_ne!(fresh["measured_at_unix_ns"], again["measured_at_unix_ns"]);
    let page = bench.command(&["machine"]).env("CALOR_CACHE_DIR", bench.path("cache")).output();
    let page = text(&page.expect("it can be started").stdout);
    assert!(page.contains("GFLOP/s") && page.contains("DRAM") && page.contains("Noise"), "{page}");
}

#[test]
fn scopes_are_held_against_the_machine_that_they_ran_on_and_no_other() {
    let bench = Workbench::new();
    let (here, _) = json(&bench, &["roofline", "profile.calor", "--format", "json"]);
    let scopes = here["scopes"].as_array().expect("scopes are a list");
    let has_share = |scope: &&Value| scope["roof_share"].as_f64().is_some_and(|share| share > 0.0);
    assert!(scopes.iter().filter(has_share).count() > 5, "{here:#}");
    assert!(scopes.iter().any(|scope| scope["name"] == "qkv" && scope["bound"].is_string()), "{here:#}");

    let mut profile = calor_formats::read(&bench.get("profile.calor")).expect("it is a profile");
    let host = Host { cpu: "Another CPU".to_owned(), ..profile.runs[0].host.clone() };
    profile.runs[0] = Run { host, ..profile.runs[0].clone() };
    let mut bytes = Vec::new();
    calor_formats::native::write(&profile, &mut bytes).expect("memory takes it");
    bench.put("elsewhere.calor", &bytes);
    let (elsewhere, _) = json(&bench, &["roofline", "elsewhere.calor", "--format", "json"]);
    assert_eq!(elsewhere["warnings"][0]["code"], "other_machine");
    assert!(
        elsewhere["warnings"][0]["message"]
            .as_str()
            .is_some_and(|said| said.contains("--machine machine.json"))
    );
    assert!(
        elsewhere["scopes"]
            .as_array()
            .is_some_and(|scopes| scopes.iter().all(|scope| scope["roof_share"].is_null()))
    );

    let (machine, _) = json(&bench, &["machine", "--format", "json"]);
    let there =
        machine.to_string().replace(machine["host"]["cpu"].as_str().expect("it has a name"), "Another CPU");
    bench.put("machine.json", there.as_bytes());
    let given = ["roofline", "elsewhere.calor", "--machine", "machine.json", "--format", "json"];
    let (given, _) = json(&bench, &given);
    assert!(
        given["scopes"].as_array().is_some_and(|scopes| scopes.iter().any(|scope| has_share(&scope))),
        "{given:#}"
    );
    let message = bench.failure(&["roofline", "profile.calor", "--machine", "profile.calor"]);
    assert!(message.contains("profile.calor"), "{message}");
    bench.put("report.json", b"{\"schema\": \"calor/report/1\"}");
    let message = bench.failure(&["roofline", "profile.calor", "--machine", "report.json"]);
    assert!(message.contains("expected `calor/machine/1`, found `calor/report/1`"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_while_a_machine_is_measured_is_told() {
    use std::process::{Command, Stdio};
    let bench = Workbench::new();
    let mut command = bench.command(&["machine", "--fresh"]);
    command.env("CALOR_CACHE_DIR", bench.path("cache")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it can be started");
    let status = format!("/proc/{}/status", child.id());
    // From the moment on at which it holds the signal back.
    let is_held = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let held = text.lines().find_map(|line| line.strip_prefix("SigBlk:"));
        held.and_then(|held| u64::from_str_radix(held.trim(), 16).ok()).is_some_and(|held| held & 2 != 0)
    };
    while !is_held() {
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(std::fs::exists(&status).is_ok_and(|is_there| is_there), "it ended before");
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill can be started").success());
    let output = child.wait_with_output().expect("it ends");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted while this machine was measured"), "{said}");
}
