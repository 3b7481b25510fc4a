//! A hot loop goes through memory in large steps and takes a number or two from each line of the caches, so that most of
//! what is fetched is never used: the column of a matrix of rows, or one field of large records.

use crate::code::Walk;
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, HotCode, Need, Outcome, Rule, Topic, Unit,
};

/// A function with less of the time is not worth another layout of its data.
const LEAST_SHARE: f64 = 0.15;
/// Fewer samples do not tell where a loop waits.
const LEAST_SAMPLES: u64 = 50;
/// The part of the loop's samples that has to be at such loads.
const LEAST_AT_LOADS: f64 = 0.4;
/// A heap that fits into a cache near the core makes steps of any size cheap.
const CACHED_BYTES: u64 = 512 << 10;
/// Between data that is mostly in a cache and data of which each line comes from main memory for 4 of its bytes, on a page of
/// its own, and which becomes vector code once neighbours are taken in turn.
const LOCAL: (f64, f64) = (1.15, 32.0);

pub(super) struct StridedAccess;

const ABOUT: About<'_> = About {
    id: "MACHINE-STRIDED-ACCESS",
    version: 1,
    topic: Topic::Machine,
    title: "a hot loop uses little of each line of the caches",
    needs: &[Need::CpuSamples, Need::Code],
    suppresses: &["CPU-NARROW-VECTORS", "CPU-SCALAR-LOOP"],
};

impl Rule for StridedAccess {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        if facts.heap().is_some_and(|heap| heap.totals.peak_bytes < CACHED_BYTES) {
            return Outcome::Fine;
        }
        let code = facts.hot_code();
        Outcome::of(code.iter().filter_map(|code| finding(facts, code)).collect())
    }
}

fn finding(facts: &Facts<'_>, code: &HotCode) -> Option<Finding> {
    let HotCode { site, shape, .. } = code;
    let shape = shape.as_ref()?;
    let at_loads = shape.far_share();
    let is_heavy = site.share.estimate >= LEAST_SHARE && site.samples >= LEAST_SAMPLES;
    if !is_heavy || at_loads < LEAST_AT_LOADS || shape.has_call {
        return None;
    }
    let far = shape
        .loads
        .iter()
        .filter(|load| matches!(load.walk, Walk::Far(_)))
        .max_by_key(|load| load.n_samples)?;
    let step = match far.walk {
        Walk::Far(Some(bytes)) => format!("{bytes} bytes"),
        _ => "a whole row".to_owned(),
    };
    let place = facts.place(site.stack);
    let title = format!("`{}` steps by {step} and uses {} bytes of each line", place.function, far.bytes);
    let reason = "if neighbours are used together, from data in a near cache to data in main memory";
    let mut finding = Finding::new(&ABOUT, title, place, Gain::faster(site.share, LOCAL, reason))
        .because(
            "Memory comes in lines of 64 bytes. The loop takes a few bytes of one and goes on to another, so that it fetches \
             many times what it uses, and by the time it comes back for the neighbours their line is gone.",
        )
        .with(Evidence::share("share of the time in the function", site.share).against(LEAST_SHARE))
        .with(Evidence::new("samples at these loads", at_loads, Unit::Share).against(LEAST_AT_LOADS))
        .with(Evidence::new("bytes used of a line", far.bytes as f64, Unit::Bytes));
    if let Walk::Far(Some(bytes)) = far.walk {
        finding = finding.with(Evidence::new("step", bytes as f64, Unit::Bytes).against(64.0));
    }
    Some(finding.fixed_by(
        Fix::new(
            "Exchange the loops so that the innermost one walks along a row, work on tiles that fit into a cache, or keep the \
             field that is read here in an array of its own.",
        )
        .with_code(
            "for column in 0..n {\n    for row in 0..n {\n        sums[column] += m[row * n + column];\n    }\n}",
            "for row in 0..n {\n    for column in 0..n {\n        sums[column] += m[row * n + column];\n    }\n}",
        ),
    ))
}

#[cfg(test)]
mod tests {
    use calor_model::HeapSite;

    use super::*;
    use crate::findings::draft::Draft;

    /// addsd xmm0, [rdi]; add rdi, rcx; dec rax; jne to the first
    const BY_ROW: &[u8] = &[0xf2, 0x0f, 0x58, 0x07, 0x48, 0x01, 0xcf, 0x48, 0xff, 0xc8, 0x75, 0xf4, 0xc3];
    /// addsd xmm0, [rdi]; add rdi, 8; dec rax; jne to the first
    const BESIDE: &[u8] =
        &[0xf2, 0x0f, 0x58, 0x07, 0x48, 0x83, 0xc7, 0x08, 0x48, 0xff, 0xc8, 0x75, 0xf3, 0xc3];

    fn draft(code: &[u8], in_loop: u64, others: u64, at_load: u64) -> Draft {
        let path = ["app::main@src/main.rs:3", "app::columns@src/m.rs:7"];
        Draft::new().seconds(1.0).cpu(&path, in_loop).cpu(&path[..1], others).code(
            "app::columns",
            code,
            &[(0, at_load), (10, in_loop - at_load)],
        )
    }

    fn judged(code: &[u8], in_loop: u64, others: u64, at_load: u64) -> Outcome {
        StridedAccess.judge(&Facts::new(&draft(code, in_loop, others, at_load).profile(), None))
    }

    #[test]
    fn a_walk_down_a_column_is_found() {
        let Outcome::Findings(found) = judged(BY_ROW, 600, 400, 500) else { panic!("found") };
        assert!(found[0].title.contains("steps by a whole row and uses 8 bytes"), "{}", found[0].title);
        assert!(found[0].gain.low > 1.05 && found[0].gain.low < 1.1, "{:?}", found[0].gain);
    }

    #[test]
    fn neighbours_cool_functions_and_time_spent_elsewhere_are_fine() {
        assert_eq!(judged(BESIDE, 600, 400, 500), Outcome::Fine);
        assert_eq!(judged(BY_ROW, 145, 855, 145), Outcome::Fine);
        assert_eq!(judged(BY_ROW, 49, 51, 49), Outcome::Fine);
        assert_eq!(judged(BY_ROW, 600, 400, 230), Outcome::Fine);
        assert!(matches!(judged(BY_ROW, 600, 400, 250), Outcome::Findings(_)));
    }

    #[test]
    fn a_heap_that_fits_into_a_cache_is_fine() {
        let site =
            HeapSite { allocated_bytes: 1000, allocated_count: 1, peak_bytes: 1000, ..HeapSite::default() };
        let profile = draft(BY_ROW, 600, 400, 500).heap(&["app::main@src/main.rs:3"], site).profile();
        assert_eq!(StridedAccess.judge(&Facts::new(&profile, None)), Outcome::Fine);
    }
}
