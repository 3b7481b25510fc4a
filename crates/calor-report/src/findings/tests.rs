//! Pages about findings that were made by hand.

use calor_analysis::findings::{
    About, Circumstances, Evidence, Finding, Findings, Fix, Gain, NotEnough, Place, Share, Suppressed,
    SuppressedBy, Suppression, Topic, Unit, judge,
};
use calor_analysis::quantity::counted;

use super::*;

fn finding(id: &str, share: f64, title: &str) -> Finding {
    let about = About { id, version: 2, topic: Topic::Cpu, title: "", needs: &[], suppresses: &[] };
    let place = Place {
        function: "app::load".to_owned(),
        file: Some("src/load.rs".to_owned()),
        line: Some(7),
        path: vec!["main".to_owned(), "app::load".to_owned()],
        is_programs: true,
    };
    let share = Share::between(share - 0.02, share, share + 0.02);
    Finding::new(&about, title, place, Gain::removed(share, (0.5, 1.0), "if half to all of it goes"))
        .because("It copies.")
        .with(Evidence::share("share of the time", share).against(0.1))
        .with(Evidence::new("calls", 1_234_567.0, Unit::Count))
        .fixed_by(Fix::new("Do not.").with_code("let x = y.clone();", "let x = &y;"))
}

fn findings() -> Findings {
    let more = (0..5).map(|number| finding(&format!("MORE-{number}"), 0.1, "another"));
    Findings {
        found: [finding("CPU-COPIES", 0.4, "`app::load` copies \x1b[31mmuch")]
            .into_iter()
            .chain(more)
            .collect(),
        fine: vec!["A-B".to_owned(), "C-D".to_owned()],
        not_enough: ["HEAP-A", "HEAP-B", "HEAP-C", "HEAP-D"]
            .map(|rule| NotEnough {
                rule: rule.to_owned(),
                missing: "the heap".to_owned(),
                how: "calor record --heap -- PROGRAM".to_owned(),
            })
            .to_vec(),
        suppressed: vec![
            Suppressed {
                finding: finding("SYM-A", 0.1, "x"),
                by: SuppressedBy::Rule("CPU-COPIES".to_owned()),
            },
            Suppressed { finding: finding("SYM-B", 0.1, "x"), by: SuppressedBy::User("known".to_owned()) },
        ],
    }
}

/// A report with what rules find in its profile.
fn report(
    profile: &calor_model::Profile,
    format: crate::ReportFormat,
    suppressions: Vec<Suppression>,
) -> String {
    let circumstances = Circumstances { suppressions, ..Circumstances::default() };
    let findings = judge(profile, &circumstances).findings;
    let options = crate::Options { format, findings, ..crate::Options::default() };
    let mut page = Vec::new();
    crate::render(profile, &options, &mut page).expect("a vector takes it");
    String::from_utf8(page).expect("pages are text")
}

fn page(findings: &Findings, format: FindingsFormat, shows_all: bool) -> String {
    let options = FindingsOptions { format, shows_all, is_brief: false, width: 100, color: false };
    let found = FoundIn { subject: "profile.calor", findings, warnings: &[], is_without_waits: true };
    let mut page = Vec::new();
    render_findings(found, &options, &mut page).expect("a vector can be written to");
    String::from_utf8(page).expect("pages are text")
}

#[test]
fn a_page_of_text_tells_each_finding_with_gain_evidence_and_fix() {
    let text = page(&findings(), FindingsFormat::Text, false);
    for line in [
        "6 findings in profile.calor",
        "1. high: `app::load` copies \u{fffd}[31mmuch",
        "   at src/load.rs:7 in app::load",
        "   called by main",
        "   gain: 1.23x to 1.72x faster, the whole program, if half to all of it goes",
        "   evidence: share of the time 40.0 % (38.0 % to 42.0 %; threshold 10.0 %), calls 1,234,567",
        "   why: It copies.",
        "       let x = y.clone();",
        "   rule CPU-COPIES, see `calor findings --explain CPU-COPIES`",
        "1 more with --all",
        "2 rules found nothing worth a change",
        "1 finding is not shown, as a symptom of those above: SYM-A",
        "SYM-B in app::load is suppressed: known",
        "gains are of the time in which the program ran: how long it waited is not known, `calor record",
        "   the heap (for 4 rules):",
        "     calor record --heap -- PROGRAM",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(!text.contains("\n6. "), "{text}");
    assert!(page(&findings(), FindingsFormat::Text, true).contains("\n6. "));
}

#[test]
fn what_the_profile_could_not_see_is_told_on_every_page() {
    let lost = |at: u64| Warning::counted("samples_lost", format!("samples were lost {at}"), at);
    let warnings: Vec<Warning> = (1..=6).map(lost).collect();
    let none = Findings::default();
    for format in [FindingsFormat::Text, FindingsFormat::Markdown, FindingsFormat::Html] {
        let options = FindingsOptions { format, shows_all: false, is_brief: false, width: 100, color: false };
        let found =
            FoundIn { subject: "cut.calor", findings: &none, warnings: &warnings, is_without_waits: false };
        let mut page = Vec::new();
        render_findings(found, &options, &mut page).expect("a page can be written");
        let page = String::from_utf8(page).expect("a page is text");
        for expected in [words::NOT_SEEN, "samples were lost 1", "samples were lost 4"] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        let is_whole = format == FindingsFormat::Html;
        assert!(
            page.contains("samples were lost 5") == is_whole
                && page.contains("2 more with --all") != is_whole,
            "{page}"
        );
    }
}

#[test]
fn a_page_without_findings_says_so_and_is_not_taken_for_all_is_well() {
    let none = Findings { found: Vec::new(), fine: Vec::new(), suppressed: Vec::new(), ..findings() };
    let text = page(&none, FindingsFormat::Text, false);
    assert!(text.starts_with("Nothing found in profile.calor\n") && text.contains("Not judged"), "{text}");
}

#[test]
fn what_is_missing_is_a_line_of_its_own_where_a_page_is_brief() {
    let none = Findings { found: Vec::new(), suppressed: Vec::new(), ..findings() };
    let options = FindingsOptions {
        format: FindingsFormat::Text,
        shows_all: false,
        is_brief: true,
        width: 100,
        color: false,
    };
    let found = FoundIn { subject: "profile.calor", findings: &none, warnings: &[], is_without_waits: true };
    let mut page = Vec::new();
    render_findings(found, &options, &mut page).expect("a vector can be written to");
    let page = String::from_utf8(page).expect("pages are text");
    let expected = format!(
        "{} had not enough data: `calor findings FILE --all` tells",
        counted(none.not_enough.len() as u64, "rule")
    );
    assert!(page.contains(&expected) && !page.contains("Not judged"), "{page}");
}

#[test]
fn what_has_to_be_done_fits_the_terminal_unless_it_is_a_command() {
    let missing =
        |how: &str| NotEnough { rule: "A".to_owned(), missing: "data".to_owned(), how: how.to_owned() };
    let command = "calor record --heap -- PROGRAM, with more work for it, which is a line to be copied";
    let not_enough =
        vec![missing("label the scope with codec=NAME and level=N, and run it again"), missing(command)];
    let none = Findings { found: Vec::new(), suppressed: Vec::new(), not_enough, ..findings() };
    let options = FindingsOptions {
        format: FindingsFormat::Text,
        shows_all: true,
        is_brief: false,
        width: 60,
        color: false,
    };
    let found = FoundIn { subject: "profile.calor", findings: &none, warnings: &[], is_without_waits: true };
    let mut page = Vec::new();
    render_findings(found, &options, &mut page).expect("a vector can be written to");
    let page = String::from_utf8(page).expect("pages are text");
    assert!(page.lines().all(|line| line.chars().count() <= 60 || line.trim() == command), "{page}");
    assert!(page.contains(command), "{page}");
}

#[test]
fn callers_are_told_without_what_every_program_begins_with() {
    let told = |path: &[&str]| {
        let mut finding = finding("A", 0.2, "x");
        finding.place.path = path.iter().map(|name| (*name).to_owned()).collect();
        words::callers(&finding)
    };
    let rust = ["_start", "main", "std::rt::lang_start", "app::main", "app::run", "app::load"];
    assert_eq!(told(&rust).as_deref(), Some("app::main > app::run"));
    assert_eq!(told(&["main", "run", "load"]).as_deref(), Some("main > run"));
    assert_eq!(told(&["a", "b", "c", "d", "e", "f"]).as_deref(), Some("… > b > c > d > e"));
    assert_eq!((told(&["_start", "main"]), told(&[])), (None, None));
    assert_eq!(told(&["Thread._bootstrap", "Thread.run", "<module>", "f"]).as_deref(), Some("<module>"));
}

#[test]
fn what_most_rules_lack_comes_first_and_the_rest_is_counted() {
    let lack = |rule: &str, how: &str| NotEnough {
        rule: rule.to_owned(),
        missing: format!("what {how} tells"),
        how: how.to_owned(),
    };
    let one_each = (0..6).map(|number| lack(&format!("ONE-{number}"), &format!("way {number}")));
    let not_enough = one_each.chain(["A", "B"].map(|rule| lack(rule, "the best way"))).collect();
    let all = Findings { not_enough, ..Findings::default() };
    let text = page(&all, FindingsFormat::Text, false);
    let first = text.find("what the best way tells (for A, B):").expect("it is told");
    assert!(
        first < text.find("way 0").expect("it is told") && text.contains("   more for 3 rules, with --all"),
        "{text}"
    );
    assert!(!text.contains("way 5") && page(&all, FindingsFormat::Text, true).contains("way 5"));
}

#[test]
fn markdown_has_the_same_and_names_cannot_be_markup() {
    let text = page(&findings(), FindingsFormat::Markdown, false);
    for part in [
        "| 1 | high | `app::load` copies",
        "| src/load.rs:7 | 1.23x to 1.72x faster |",
        "<summary>1. <code>app::load</code> copies",
        "- called by main",
        "- gain: 1.23x to 1.72x",
        "```\nlet x = &y;\n```",
        "<summary>Not judged",
        "calor findings --explain CPU-COPIES",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_comment_on_a_pull_request_ends_before_the_forge_cuts_it() {
    let long = |number| {
        let code = "let x = y.clone();\n".repeat(300);
        finding(&format!("LONG-{number}"), 0.3, "copies")
            .fixed_by(Fix::new("Do not.").with_code(&code, &code))
    };
    let many = Findings { found: (0..9).map(long).collect(), ..Findings::default() };
    let text = page(&many, FindingsFormat::Markdown, true);
    assert!(text.len() < 65_536 && text.contains("| 9 | high |"), "{} letters", text.len());
    assert!(text.contains("the details of 5 findings do not fit a comment"), "{text}");
}

#[test]
fn a_page_for_a_browser_has_all_of_it_and_nothing_in_it_is_markup() {
    let mut all = findings();
    let wild = &mut all.found[0];
    wild.title = "`<b>` copies <script>alert(1)</script>".to_owned();
    wild.place.function = "Vec<\"x\">".to_owned();
    wild.place.path = vec!["</title>".to_owned(), "onclick='x'".to_owned()];
    wild.fix.before = Some("a < b && \"c\"\n\tindented".to_owned());
    wild.doc = "javascript:alert(1)".to_owned();
    all.found[1].doc = "https://example.org/x?a=1&b=2".to_owned();
    all.suppressed[1].by = SuppressedBy::User("<img src=x>".to_owned());
    let html = page(&all, FindingsFormat::Html, true);
    for part in [
        "<h2>6 findings in profile.calor</h2>",
        "<details class=\"finding high\" id=\"finding-1\" open>",
        "id=\"finding-6\"",
        "1.23x to 1.72x faster",
        "<td>40.0 %</td><td>38.0 % to 42.0 %</td><td>10.0 %</td>",
        "a &lt; b &amp;&amp; &quot;c&quot;\n    indented",
        "<a href=\"https://example.org/x?a=1&amp;b=2\"",
        "<code>calor record --heap -- PROGRAM</code>",
        "a symptom of <code>CPU-COPIES</code>",
        "suppressed: &lt;img src=x&gt;",
        "<code>A-B</code> <code>C-D</code>",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    for part in ["<script>alert", "<img", "href=\"javascript", "</title>&", "\"onclick", "<b>`"] {
        assert!(!html.contains(part), "{part}\n{html}");
    }
    assert!(!page(&all, FindingsFormat::Html, false).contains("id=\"finding-6\""));
}

#[test]
fn json_has_the_fields_that_scripts_rely_on() {
    let value: serde_json::Value =
        serde_json::from_str(&page(&findings(), FindingsFormat::Json, false)).unwrap();
    let first = &value["findings"][0];
    assert_eq!(
        (&value["schema"], &first["severity"], &first["version"]),
        (&"calor/findings/1".into(), &"high".into(), &2.into())
    );
    assert_eq!((&first["where"]["line"], &first["where"]["path"][0]), (&7.into(), &"main".into()));
    assert_eq!(
        (&first["evidence"][0]["unit"], &first["evidence"][0]["threshold"]),
        (&"share".into(), &0.1.into())
    );
    assert!(first["evidence"][1].get("unit").is_none() && first["evidence"][0]["interval"][1].is_number());
    assert!(first["gain"]["low"].as_f64().unwrap() > 1.2 && first["gain"].get("local_high").is_none());
    assert_eq!((value["findings"].as_array().unwrap().len(), &value["more"]), (5, &1.into()));
    assert_eq!((&value["fine"][1], &value["warnings"][0]["code"]), (&"C-D".into(), &"waits_unknown".into()));
    assert_eq!(value["not_enough_data"][0]["how_to_record"], "calor record --heap -- PROGRAM");
    assert_eq!(
        (&value["suppressed"][0]["by"], &value["suppressed"][1]["reason"]),
        (&"CPU-COPIES".into(), &"known".into())
    );
}

/// A second of a program that copies for some of its thousand samples.
fn copying(n_copies: u64) -> calor_model::Profile {
    copying_in("load", n_copies)
}

/// The same in a function of this name.
fn copying_in(function: &str, n_copies: u64) -> calor_model::Profile {
    use calor_model::{Frame, FrameKind, LabelTable, Profile, Run, SampleKey, SampleKind, SampleWeight};
    let runs = vec![Run { duration_nanos: 1_000_000_000, ..Run::default() }];
    let mut profile = Profile { runs, ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    let [load, copy, libc] = [function, "memcpy", "libc.so.6"].map(|text| profile.strings.intern(text));
    let frames = [
        Frame::new(load, FrameKind::Native),
        Frame { module: Some(libc), ..Frame::new(copy, FrameKind::Native) },
    ];
    let frames = frames.map(|frame| profile.frames.intern(frame));
    for (depth, count) in [(1, 1_000 - n_copies), (2, n_copies)] {
        let stack = profile.stacks.intern_path(frames[..depth].iter().copied()).expect("a path has a frame");
        let labels = LabelTable::none();
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 1_000_000 });
    }
    profile
}

#[test]
fn a_report_names_the_findings_where_there_are_any() {
    let page = |n_copies| report(&copying(n_copies), crate::ReportFormat::Text, Vec::new());
    let found = page(400);
    assert!(found.contains("Findings\n") && found.contains("`calor findings FILE` tells"), "{found}");
    assert!(found.contains("`load` spends 40 % of the program's time copying memory"), "{found}");
    assert!(!page(20).contains("Findings\n"));
}

#[test]
fn a_report_names_functions_as_the_page_of_findings_does() {
    let profile = copying_in("<app::Row as core::clone::Clone>::clone", 400);
    let page = |suppressions| report(&profile, crate::ReportFormat::Text, suppressions);
    assert!(page(Vec::new()).contains("`app::Row::clone` spends 40 %"));
    let known =
        Suppression { function: Some("app::Row::clone".to_owned()), ..Suppression::of("CPU-MEMORY-COPIES") };
    assert!(!page(vec![known]).contains("spends 40 %"));
}

#[test]
fn a_report_for_a_browser_has_a_closed_card_for_each_and_leaves_out_what_is_suppressed() {
    let page = |suppressions| report(&copying(400), crate::ReportFormat::Html, suppressions);
    let card = "<details class=\"finding high\" id=\"finding-1\">";
    assert!(page(Vec::new()).contains(card));
    let known = Suppression { reason: "known".to_owned(), ..Suppression::of("CPU-MEMORY-COPIES") };
    assert!(!page(vec![known]).contains(card));
}
