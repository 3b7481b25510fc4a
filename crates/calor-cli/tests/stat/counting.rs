//! What is counted: known amounts of faults, switches and time, and every missing value with its reason.

use super::workbench::{codes, counter, json, parsed, run, table, text, value};

#[test]
fn a_page_that_is_touched_is_a_fault_and_a_nap_is_a_switch() {
    let idle = json(&[], &["touch", "0"]);
    let busy = json(&[], &["touch", "5000"]);
    let more = value(&busy, "page-faults") - value(&idle, "page-faults");
    assert!((4_900.0..5_600.0).contains(&more), "{more} more faults");
    assert!(value(&busy, "minor-faults") >= 5_000.0);
    // 5,000 pages of 4 KiB are 20 MB, which are held at once.
    assert!(value(&busy, "max-rss") > 19e6, "{busy:#}");
    let output = run(&["--format", "json", "-e", "cs,task-clock"], &["nap", "200"]);
    let (napping, said) = (parsed(&output), text(&output.stderr));
    let own = said.lines().find_map(|line| line.strip_suffix(" switches")?.parse::<f64>().ok());
    let own = own.unwrap_or_else(|| panic!("the program tells its switches: {said}"));
    // It leaves its processor before and after as well, for its start and its end.
    let counted = value(&napping, "context-switches");
    assert!(own > 100.0 && (own..1.5 * own + 50.0).contains(&counted), "{counted} of {own}: {napping:#}");
    assert!(value(&napping, "elapsed") >= 200.0 * 100e3, "each nap takes 100 µs at least");
    assert!(value(&napping, "task-clock") < value(&napping, "elapsed"));
}

#[test]
fn children_are_part_of_the_program() {
    let page = json(&[], &["child", "4000"]);
    assert!(value(&page, "page-faults") >= 4_000.0, "{page:#}");
    assert!(value(&page, "max-rss") > 15e6, "{page:#}");
}

#[test]
fn runs_are_added_up_to_a_mean_with_its_spread() {
    let page = json(&["-r", "4", "--warmup", "1"], &["touch", "1000"]);
    assert_eq!((&page["schema"], &page["runs"]), (&"calor/stat/1".into(), &4.into()));
    assert_eq!(page["warmup"], 1);
    let elapsed = counter(&page, "elapsed");
    let of = |field: &str| elapsed[field].as_f64().unwrap_or_else(|| panic!("{elapsed}"));
    assert!(of("min") <= of("median") && of("median") <= of("max") && of("stddev") >= 0.0, "{elapsed}");
    assert!((of("min")..=of("max")).contains(&of("value")), "{elapsed}");
    let interval = elapsed["interval"].as_array().expect("four runs have an interval");
    assert!(interval[0].as_f64() <= Some(of("value")) && interval[1].as_f64() >= Some(of("value")));
    assert!(elapsed["value"].is_u64(), "times are whole nanoseconds");
    assert!(!codes(&page).contains(&"one_run"));
    let one = json(&[], &["touch", "1"]);
    assert!(counter(&one, "elapsed")["stddev"].is_null() && codes(&one).contains(&"one_run"), "{one:#}");
}

#[test]
fn what_cannot_be_counted_is_null_and_has_a_reason_never_zero() {
    let page = json(&[], &["turn", "100000"]);
    let pmu = calor_record::counters::pmu();
    let text = table(&run(&[], &["turn", "100000"]));
    for name in ["cycles", "instructions", "cache-misses", "branch-misses"] {
        let counter = counter(&page, name);
        assert_eq!(counter["source"], "hardware");
        let is_offered = pmu.as_ref().is_ok_and(|pmu| pmu.offered.contains(&name));
        if is_offered {
            // A short run may be over before it was its turn.
            assert!(counter["value"].as_f64() != Some(0.0) || name.ends_with("misses"), "{counter}");
            continue;
        }
        assert!(counter["value"].is_null(), "{counter}");
        let reasons = page["warnings"].as_array().expect("warnings are a list");
        let is_reason = |message: &str| message.starts_with("not available") && message.contains(name);
        assert!(reasons.iter().any(|it| it["message"].as_str().is_some_and(is_reason)), "{page:#}");
        assert!(text.contains("not available"), "{text}");
    }
    if let Err(absence) = pmu {
        assert!(codes(&page).contains(&absence.code()), "{page:#}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&absence.what()), "{words}");
    }
}

#[test]
fn a_value_is_null_exactly_where_it_is_missing_in_the_text() {
    let page = json(&["-e", "page-faults,cycles,emulation-faults"], &["touch", "10"]);
    let names: Vec<_> = page["counters"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["elapsed", "page-faults", "cycles", "emulation-faults"]);
    assert_eq!(counter(&page, "emulation-faults")["value"], 0, "it counts, and there are none");
}

#[test]
fn the_table_has_units_relations_and_the_command() {
    let page = table(&run(&["-r", "2"], &["touch", "5000"]));
    let title = page.lines().next().unwrap_or_default();
    assert!(title.starts_with("Counters of `") && title.ends_with("touch 5000`: 2 runs"), "{page}");
    let row = |name: &str| {
        let found = page.lines().find(|line| line.trim_start().starts_with(name));
        found.unwrap_or_else(|| panic!("no {name}: {page}"))
    };
    assert!(row("elapsed").contains("s ") && row("task-clock").contains("CPUs used"), "{page}");
    assert!(row("page-faults").ends_with("/s") && row("max-rss").contains("iB"), "{page}");
    assert!(!page.contains('\x1b'), "no colours into a pipe");
    assert!(table(&run(&["--color", "always"], &["touch", "1"])).contains("\x1b[1m"));
}

#[test]
fn user_and_system_time_are_the_programs_and_no_more_than_its_clock() {
    for arguments in [&["touch", "1"][..], &["exit", "0"]] {
        let page = json(&["-r", "3"], arguments);
        let both = value(&page, "user-time") + value(&page, "system-time");
        let clock = value(&page, "task-clock");
        // Times are told in whole microseconds.
        assert!(both <= clock + 1_000.0, "{both} of {clock} ns: {page:#}");
    }
}
