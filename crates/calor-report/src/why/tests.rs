//! The page of two recordings that are made by hand.

use calor_analysis::{MachineRoof, RoofTier, WhyCause, WhyClock, WhyPoint, WhyReason};
use calor_model::{FrameKind, LabelTable, SampleKey, SampleKind, SampleWeight};

use super::*;

fn profile(path: &[&str], nanos: u64) -> Profile {
    let mut profile = Profile::default();
    let stack = profile.intern_named_path(path, FrameKind::Native).expect("a path");
    let thread = profile.intern_thread(1, 1, "main");
    let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
    profile.samples.add(key, SampleWeight { count: 10, nanos });
    profile
}

fn page(why: Option<&Why>) -> String {
    let point = |size: f64, b: f64| WhyPoint {
        size,
        bytes: Some(12.0 * size),
        cpu: [size * 0.1, b],
        wall: [size * 0.1, b],
        interval: None,
    };
    let tier = RoofTier {
        name: "L1".to_owned(),
        bytes: Some(32 << 10),
        bytes_per_s: 1e11,
        all_cores_bytes_per_s: None,
    };
    let evidence = WhyEvidence {
        points: vec![point(1024.0, 800.0), point(65536.0, 60000.0)],
        roof: Some(MachineRoof { tiers: vec![tier], ..MachineRoof::default() }),
        ..WhyEvidence::default()
    };
    let (a, b) = (profile(&["main", "<add>"], 1_000), profile(&["main", "add_slow"], 8_000));
    why_page(&WhyPage {
        sentence: "B is slower".to_owned(),
        names: ["./a".to_owned(), "./b".to_owned()],
        why,
        evidence: &evidence,
        sides: [Some((&a, 10.0)), Some((&b, 10.0))],
        warnings: &[Warning::new("x", "take care")],
    })
}

#[test]
fn the_page_has_causes_curves_and_three_flame_graphs() {
    let reason = WhyReason {
        cause: WhyCause::ScalarCode,
        share: 0.9,
        evidence: vec!["the loop of `add<T>` is narrow".to_owned()],
    };
    let why = Why {
        slower: 1,
        size: 1024.0,
        clock: WhyClock::Cpu,
        nanos: [102.4, 800.0],
        reasons: vec![reason],
        unexplained: 0.1,
        notes: vec!["a note".to_owned()],
        missing: vec!["the heap".to_owned()],
    };
    let page = page(Some(&why));
    for expected in [
        "narrow code",
        "<code>add&lt;T&gt;</code>",
        "unexplained",
        "L1 ends (32.0 KiB)",
        "class=\"ring\"",
        "id=\"flame-both\"",
        "id=\"flame-a\"",
        "id=\"flame-b\"",
        "&lt;add&gt;",
        "not known: the heap",
        "take care",
    ] {
        assert!(page.contains(expected), "{expected} is missing");
    }
    // Widths are of a call: 100 ns of A and 800 of B.
    assert!(page.contains("100 ns a call of A, 0 ns of B"), "frames are by call");
}

#[test]
fn without_a_gap_there_are_no_causes() {
    let page = page(None);
    assert!(
        !page.contains("id=\"causes\"") && page.contains("id=\"curves\"") && page.contains("verdict same")
    );
}
