//! A hot loop computes with vectors of 128 bits on a processor that has wider ones: the program was built for every
//! processor of its kind, and uses what the oldest of them had.

use crate::findings::vector_code::{Asked, judge_functions};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, HotCode, Need, Outcome, Rule, Topic, Unit,
};
use crate::{Class, Offered};

/// Wider vectors help a loop that computes, not one that waits for memory, and which it is cannot be seen: so only a
/// function that is much of the program is worth the trial.
const LEAST_SHARE: f64 = 0.25;
/// Fewer samples do not tell which loop is hot.
const LEAST_SAMPLES: u64 = 50;
/// The part of the samples that has to be in loops, and in those of 128 bits.
const LEAST_PURE: f64 = 0.8;
/// The part of the loop's work on vector registers that has to be on whole vectors.
const LEAST_PACKED: f64 = 0.5;
/// A loop has to compute so many times for each access to memory: one that does less may be limited by memory, and then the
/// width of vectors does not matter.
const LEAST_COMPUTING: f64 = 3.0;
/// What twice the width gives: some of it where results wait for each other, more than twice where fewer instructions and fused
/// ones come with it. Compilers rarely take the widest vectors, so that a processor with 512 bits gives no more.
const LOCAL: (f64, f64) = (1.15, 2.8);

pub(super) struct NarrowVectors;

const ABOUT: About<'_> = About {
    id: "CPU-NARROW-VECTORS",
    version: 1,
    topic: Topic::Cpu,
    title: "a hot loop uses narrower vectors than the processor has",
    needs: &[Need::CpuSamples, Need::Code],
    suppresses: &[],
};

impl Rule for NarrowVectors {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let asked = Asked { class: Class::Sse, share: LEAST_SHARE, samples: LEAST_SAMPLES, pure: LEAST_PURE };
        judge_functions(facts, asked, |code, offered| {
            let is_narrow = offered.widest >= Class::Avx2 && is_computing(code);
            is_narrow.then(|| finding(facts, code, offered))
        })
    }
}

/// Whether the hottest loop computes on whole vectors, and for long on what it reads.
fn is_computing(HotCode { verdict, shape, .. }: &HotCode) -> bool {
    let computing =
        shape.as_ref().map_or(0.0, |shape| shape.n_computing as f64 / shape.n_moving.max(1) as f64);
    computing >= LEAST_COMPUTING && verdict.packed_share >= LEAST_PACKED
}

fn finding(facts: &Facts<'_>, code: &HotCode, offered: Offered) -> Finding {
    let HotCode { site, verdict, .. } = code;
    let place = facts.place(site.stack);
    let bits = offered.widest.bits().unwrap_or(256);
    let title =
        format!("`{}` computes with vectors of 128 bits on a processor that has {bits}", place.function);
    let reason = "if up to twice as many numbers are taken at once, and results do not wait for each other";
    Finding::new(&ABOUT, title, place, Gain::faster(site.share, LOCAL, reason))
        .because(
            "A compiler that is not told which processor it builds for uses vectors of 128 bits, which every x86-64 \
             processor has. This one takes twice as many numbers with each instruction, and multiplies and adds at once.",
        )
        .with(Evidence::share("share of the time in the function", site.share).against(LEAST_SHARE))
        .with(Evidence::new("samples in loops of 128 bits", verdict.class_share, Unit::Share).against(LEAST_PURE))
        .with(Evidence::new("width that the processor offers", f64::from(bits), Unit::Bits).against(256.0))
        .fixed_by(
            Fix::new(
                "Build for the processors that the program runs on, or build the function a second time for wider vectors \
                 and choose when it is called.",
            )
            .with_code(
                "cargo build --release",
                "RUSTFLAGS=\"-C target-cpu=x86-64-v3\" cargo build --release   # C: -march=x86-64-v3",
            ),
        )
        .by_setting()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    /// addpd xmm0, [rdi + 8*rax]; mulpd xmm0, xmm1; mulpd xmm0, xmm2; inc rax; cmp rax, rsi; jne to the first
    const SSE: &[u8] = &[
        0x66, 0x0f, 0x58, 0x04, 0xc7, 0x66, 0x0f, 0x59, 0xc1, 0x66, 0x0f, 0x59, 0xc2, 0x48, 0xff, 0xc0, 0x48,
        0x39, 0xf0, 0x75, 0xeb, 0xc3,
    ];
    /// addpd xmm0, [rdi + 8*rax]; inc rax; cmp rax, rsi; jne to the first
    const SUM: &[u8] = &[0x66, 0x0f, 0x58, 0x04, 0xc7, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0, 0x75, 0xf3, 0xc3];
    /// vaddpd ymm0, ymm0, [rdi + 8*rax]; vmulpd ymm0, ymm0, ymm1 twice; inc rax; cmp rax, rsi; jne to the first
    const AVX: &[u8] = &[
        0xc5, 0xfd, 0x58, 0x04, 0xc7, 0xc5, 0xfd, 0x59, 0xc1, 0xc5, 0xfd, 0x59, 0xc1, 0x48, 0xff, 0xc0, 0x48,
        0x39, 0xf0, 0x75, 0xeb, 0xc3,
    ];

    fn judged(code: &[u8], features: &str, in_loop: u64, others: u64) -> Outcome {
        let path = ["app::main@src/main.rs:3", "app::axpy@src/axpy.rs:7"];
        let profile = Draft::new()
            .seconds(1.0)
            .cpu_features(features)
            .cpu(&path, in_loop)
            .cpu(&path[..1], others)
            .code("app::axpy", code, &[(0, in_loop)])
            .profile();
        NarrowVectors.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn vectors_of_128_bits_are_found_where_the_processor_has_wider_ones() {
        let Outcome::Findings(found) = judged(SSE, "sse2 avx avx2 fma", 600, 400) else { panic!("found") };
        assert!(
            found[0].title.contains("on a processor that has 256") && found[0].is_knob,
            "{}",
            found[0].title
        );
        assert!(found[0].gain.low > 1.05 && found[0].gain.high < 1.7, "{:?}", found[0].gain);
    }

    #[test]
    fn wide_vectors_old_processors_and_small_functions_are_fine() {
        assert_eq!(judged(AVX, "sse2 avx avx2 fma", 600, 400), Outcome::Fine);
        assert_eq!(judged(SUM, "sse2 avx avx2 fma", 600, 400), Outcome::Fine, "memory may limit it");
        assert_eq!(judged(SSE, "sse2", 600, 400), Outcome::Fine);
        assert_eq!(judged(SSE, "sse2 avx2", 245, 755), Outcome::Fine);
        assert_eq!(judged(SSE, "sse2 avx2", 49, 51), Outcome::Fine);
        assert!(matches!(judged(SSE, "sse2 avx2", 255, 745), Outcome::Findings(_)));
    }

    #[test]
    fn a_processor_that_did_not_tell_is_not_enough() {
        assert!(matches!(judged(SSE, "", 600, 400), Outcome::NotEnough { .. }));
    }
}
