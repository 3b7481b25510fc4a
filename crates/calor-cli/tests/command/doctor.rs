//! `calor doctor`.

use serde_json::Value;

use super::workbench::Workbench;

fn check<'p>(page: &'p Value, name: &str) -> &'p Value {
    let checks = page["checks"].as_array().expect("checks are a list");
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no check {name}: {page:#}"))
}

#[test]
fn the_machine_is_looked_at_and_told_in_text_and_json() {
    let bench = Workbench::new();
    let page = bench.json(&["doctor", "--format", "json"]);
    assert_eq!(
        (&page["schema"], &page["calor"]),
        (&"calor/doctor/1".into(), &env!("CARGO_PKG_VERSION").into())
    );
    assert_eq!(check(&page, "calor")["found"], env!("CARGO_PKG_VERSION"));
    assert!(check(&page, "scope_cost")["found"].as_str().is_some_and(|found| found.contains(" ns")));
    assert_eq!(check(&page, "folder")["ok"], true);
    if cfg!(target_os = "linux") {
        assert!(check(&page, "sampling")["found"].is_string());
        assert!(check(&page, "gpu")["found"].is_string());
        assert!(
            check(&page, "perf_event_paranoid")["found"].as_str().is_some_and(|found| found.contains(':'))
        );
    }
    let text = bench.stdout(&["doctor"]);
    for check in page["checks"].as_array().expect("checks are a list") {
        let name = check["name"].as_str().expect("a check has a name");
        // What a machine need not have is neither well nor wrong.
        let marks = if check["ok"] == true { &["  ok     ", "  none   "][..] } else { &["  not ok "] };
        let row = |line: &str| marks.iter().find_map(|mark| line.strip_prefix(mark)).map(str::to_owned);
        let is_row = |line: &str| row(line).is_some_and(|rest| rest.starts_with(name));
        assert!(text.lines().any(is_row), "{name}: {text}");
        // What is wrong has a remedy, or says that there is none.
        if check["ok"] == false {
            assert!(check["fix"].is_string() || ["clock", "memory"].contains(&name), "{check}");
        }
    }
    assert_eq!(bench.names(), ["profile.calor"], "nothing stays in the folder");
}

#[test]
fn what_is_missing_is_no_failure_and_has_a_remedy() {
    let bench = Workbench::new();
    let output = bench.command(&["doctor", "--format", "json"]).env("PATH", "").output().expect("it starts");
    assert!(output.status.success());
    let page: Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    let python = check(&page, "python");
    assert_eq!(python["ok"], false);
    assert!(python["fix"].as_str().is_some_and(|fix| fix.contains("install")), "{python}");
}

#[test]
fn text_is_coloured_only_when_it_is_wanted() {
    let bench = Workbench::new();
    assert!(!bench.stdout(&["doctor"]).contains('\x1b'));
    assert!(bench.stdout(&["doctor", "--color", "always"]).contains("\x1b["));
    assert!(bench.stdout(&["report", "profile.calor", "--color", "always"]).contains("\x1b["));
    assert!(!bench.stdout(&["report", "profile.calor", "--color", "never"]).contains('\x1b'));
    let mut refusing = bench.command(&["doctor", "--format", "json"]);
    let output = refusing.env("NO_COLOR", "1").output().expect("the command can be started");
    assert!(String::from_utf8_lossy(&output.stdout).contains("because NO_COLOR is set"));
}
