//! A hot loop computes with one floating-point number at a time although it walks over numbers that lie side by side, and
//! the processor could take several of them at once.

use crate::code::{LoopShape, Walk};
use crate::findings::vector_code::{Asked, judge_functions};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, HotCode, Need, Outcome, Rule, Topic, Unit,
};
use crate::{Class, Offered};

/// A function with less of the time is not worth rewriting for its instructions.
const LEAST_SHARE: f64 = 0.10;
/// Fewer samples do not tell which loop is hot.
const LEAST_SAMPLES: u64 = 50;
/// The part of the samples that has to be in loops, and in scalar ones.
const LEAST_PURE: f64 = 0.7;
/// How many times faster vectors make such a loop at least: what comes from far memory gains little.
const LOCAL_LOW: f64 = 1.2;
/// The same of a sum, each of whose steps waits for the one before.
const SUM_LOW: f64 = 1.6;
/// A sum in several vectors also stops waiting for each step: so many times more than the numbers in a vector.
const SUM_FACTOR: f64 = 4.0;

/// Wider vectors do not make sums faster: data does not come that fast.
const USUAL_BITS: u32 = 256;

pub(super) struct ScalarLoop;

const ABOUT: About<'_> = About {
    id: "CPU-SCALAR-LOOP",
    version: 1,
    topic: Topic::Cpu,
    title: "a hot loop computes with one number at a time",
    needs: &[Need::CpuSamples, Need::Code],
    suppresses: &[],
};

impl Rule for ScalarLoop {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let asked =
            Asked { class: Class::Scalar, share: LEAST_SHARE, samples: LEAST_SAMPLES, pure: LEAST_PURE };
        judge_functions(facts, asked, |code, offered| finding(facts, code, offered))
    }
}

fn finding(facts: &Facts<'_>, code: &HotCode, offered: Offered) -> Option<Finding> {
    let HotCode { site, verdict, shape } = code;
    let shape = shape.as_ref()?;
    let bytes = side_by_side(shape)?;
    let bits = offered.widest.bits()?;
    let lanes = f64::from(bits) / (8 * bytes) as f64;
    if lanes < 2.0 {
        return None;
    }
    let usual = f64::from(bits.min(USUAL_BITS)) / (8 * bytes) as f64;
    let local = if shape.is_reduction { (SUM_LOW, SUM_FACTOR * usual) } else { (LOCAL_LOW, lanes) };
    let place = facts.place(site.stack);
    let title = format!(
        "`{}` computes with one number at a time, where the processor could take {lanes:.0}",
        place.function
    );
    let reason = format!(
        "if the loop takes up to {lanes:.0} numbers at once, and {:.1} times faster at least",
        local.0
    );
    let mut finding = Finding::new(&ABOUT, title, place, Gain::faster(site.share, local, reason))
        .because(
            "The loop reads numbers that lie side by side and handles each by itself. Compilers leave a loop so when they \
             may not change the order of a sum of floating-point numbers, when a bounds check can end it at any element, \
             or when they cannot know that what is written does not overlap what is read.",
        )
        .with(Evidence::share("share of the time in the function", site.share).against(LEAST_SHARE))
        .with(Evidence::new("samples in scalar loops", verdict.class_share, Unit::Share).against(LEAST_PURE))
        .with(Evidence::new("width that the processor offers", f64::from(bits), Unit::Bits));
    if shape.is_reduction {
        finding = finding.with(Evidence::new("sums that wait for the round before", 1.0, Unit::Count));
    }
    Some(finding.fixed_by(
        Fix::new(
            "Keep several sums, one for each place in a chunk, and add them up in the end; take slices of equal length \
             before the loop instead of indexing; or write the loop with vectors.",
        )
        .with_code(
            "let mut sum = 0.0;\nfor x in values {\n    sum += x * x;\n}",
            &"let mut sums = [0.0; 16];\nlet (chunks, rest) = values.as_chunks::<16>();\nfor chunk in chunks {\n    for (sum, x) in \
             sums.iter_mut().zip(chunk) {\n        *sum += x * x;\n    }\n}\nlet sum = sums.iter().sum::<$>() + rest.iter().map(|x| x * \
             x).sum::<$>();"
                .replace('$', if bytes == 4 { "f32" } else { "f64" }),
        ),
    ))
}

/// The size of the numbers that a loop could take several of at once; `None` where it could not.
fn side_by_side(shape: &LoopShape) -> Option<u64> {
    let floats = || shape.loads.iter().filter(|load| load.is_float);
    let is_plain = floats().all(|load| matches!(load.walk, Walk::Next | Walk::Fixed));
    let bytes = floats().filter(|load| load.walk == Walk::Next).map(|load| load.bytes).max()?;
    (is_plain && !shape.has_call && !shape.is_recurrence && (4..=8).contains(&bytes)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    /// addsd xmm0, [rdi + 8*rax]; inc rax; cmp rax, rsi; jne to the first
    const SUM: &[u8] = &[0xf2, 0x0f, 0x58, 0x04, 0xc7, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0, 0x75, 0xf3, 0xc3];
    /// mulsd xmm0, xmm2; addsd xmm0, [rdi + 8*rax]; inc rax; cmp rax, rsi; jne to the first
    const FILTER: &[u8] = &[
        0xf2, 0x0f, 0x59, 0xc2, 0xf2, 0x0f, 0x58, 0x04, 0xc7, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0, 0x75, 0xef,
        0xc3,
    ];
    /// addpd xmm0, [rdi + 8*rax]; inc rax; cmp rax, rsi; jne to the first
    const VECTOR: &[u8] =
        &[0x66, 0x0f, 0x58, 0x04, 0xc7, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0, 0x75, 0xf3, 0xc3];

    fn judged(code: &[u8], in_loop: u64, others: u64) -> Outcome {
        let path = ["app::main@src/main.rs:3", "app::norm@src/norm.rs:7"];
        let profile = Draft::new()
            .seconds(1.0)
            .cpu_features("sse2 avx avx2 fma")
            .cpu(&path, in_loop)
            .cpu(&path[..1], others)
            .code("app::norm", code, &[(0, in_loop)])
            .profile();
        ScalarLoop.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_sum_of_single_numbers_is_found_with_what_vectors_would_give() {
        let Outcome::Findings(found) = judged(SUM, 500, 500) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one function") };
        assert!(finding.title.contains("could take 4"), "{}", finding.title);
        assert_eq!((finding.gain.local_low, finding.gain.local_high), (Some(SUM_LOW), Some(16.0)));
        assert_eq!(finding.place.source().as_deref(), Some("src/norm.rs:7"));
    }

    #[test]
    fn vectors_recurrences_and_cool_loops_are_fine() {
        assert_eq!(judged(VECTOR, 500, 500), Outcome::Fine);
        assert_eq!(judged(FILTER, 500, 500), Outcome::Fine);
        assert_eq!(judged(SUM, 95, 905), Outcome::Fine);
        assert_eq!(judged(SUM, 49, 51), Outcome::Fine);
        assert!(matches!(judged(SUM, 105, 895), Outcome::Findings(_)));
    }

    #[test]
    fn without_code_or_processor_it_cannot_tell() {
        let path = ["app::norm@src/norm.rs:7"];
        let bare = Draft::new().seconds(1.0).cpu_features("sse2 avx2").cpu(&path, 500).profile();
        let all = findings(&Facts::new(&bare, None), &[&ScalarLoop], &[]);
        assert_eq!(all.not_enough[0].missing, "the code of hot functions");
        let unknown = Draft::new().seconds(1.0).cpu(&path, 500).code("app::norm", SUM, &[(0, 500)]).profile();
        assert!(matches!(ScalarLoop.judge(&Facts::new(&unknown, None)), Outcome::NotEnough { .. }));
    }
}
