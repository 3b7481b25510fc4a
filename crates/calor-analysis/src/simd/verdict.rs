//! What is said of one function: its class, by the loops that its samples were found in.

use std::ops::Range;

use calor_model::{CodeKey, FunctionCode, Profile, StringId};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::{Class, Mix};
use crate::code::{Blocks, Decoded, Loops, regions};

/// Fewer samples say too little.
const LEAST_SAMPLES: u64 = 10;
/// Multiplying and adding at once in less than this part of the computing is by accident.
const LEAST_FUSED: f64 = 0.01;
/// The same of steps of a cipher or a hash. Around each stand a few instructions that prepare it: in loops of SHA-256 and
/// AES they are 20 to 60 % of all.
const LEAST_CRYPTO: f64 = 0.05;

/// What a function computes with.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SimdVerdict {
    /// The class of the loops with the most samples.
    pub class: Class,
    /// The part of the samples that were found in loops of that class.
    pub class_share: f64,
    /// Of all instructions that work on vector registers, the part that works on whole vectors; of integer code, of all
    /// its instructions. From 0 to 1.
    pub packed_share: f64,
    /// Of all instructions that compute with floating-point numbers, the part that multiplies and adds at once; `None`
    /// where nothing does.
    pub fma_share: Option<f64>,
    /// Of all instructions, the part that is steps of a cipher, a hash or a checksum.
    pub crypto_share: f64,
    /// The part of the samples that were found in a loop.
    pub loop_share: f64,
    /// The hottest loop, by the addresses that it reaches from and to; `None` where samples are outside of loops.
    pub hottest_loop: Option<Range<u64>>,
    /// How many samples it is drawn from.
    pub n_samples: u64,
}

impl SimdVerdict {
    /// Whether it multiplies and adds at once.
    #[must_use]
    pub fn fma(&self) -> bool {
        self.fma_share.is_some_and(|share| share >= LEAST_FUSED)
    }

    /// Whether it encrypts, hashes or makes checksums with the processor's own instructions for that, which have one
    /// width.
    #[must_use]
    pub fn is_crypto(&self) -> bool {
        self.crypto_share >= LEAST_CRYPTO
    }
}

/// The verdicts of all functions of a profile whose code is known. A function that was inlined into others is judged by
/// the loops of those that its samples were found in.
#[derive(Debug, Default)]
pub struct Verdicts {
    by_function: HashMap<(StringId, Option<StringId>), SimdVerdict, RandomState>,
}

impl Verdicts {
    /// Judges all functions with enough samples.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let mut sums: HashMap<(StringId, Option<StringId>), Sum, RandomState> = HashMap::default();
        for (key, code) in profile.code.iter() {
            let function = Taken::new(key, code);
            sums.entry((key.name, key.module)).or_default().add(&function, &function.decoded.counts);
            for (name, counts) in function.inlined(key, code) {
                sums.entry((name, key.module)).or_default().add(&function, &counts);
            }
        }
        let judged = sums.into_iter().filter_map(|(function, sum)| Some((function, sum.verdict()?)));
        Self { by_function: judged.collect() }
    }

    /// What is said of a function, by its name and module.
    #[must_use]
    pub fn get(&self, name: StringId, module: Option<StringId>) -> Option<&SimdVerdict> {
        self.by_function.get(&(name, module))
    }

    /// Whether nothing is said of any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_function.is_empty()
    }
}

/// A function taken apart.
struct Taken {
    decoded: Decoded,
    blocks: Blocks,
    loops: Loops,
}

impl Taken {
    fn new(key: CodeKey, code: &FunctionCode) -> Self {
        let decoded = Decoded::new(key.start, code);
        let blocks = Blocks::new(&decoded);
        let loops = Loops::of(&blocks);
        Self { decoded, blocks, loops }
    }

    /// The samples of each function that was inlined here, by instruction.
    fn inlined(&self, key: CodeKey, code: &FunctionCode) -> Vec<(StringId, Vec<u64>)> {
        let counts = &self.decoded.counts;
        let mut found: Vec<(StringId, Vec<u64>)> = Vec::new();
        for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let Some(name) = code.line_at(self.decoded.offset(index)).and_then(|line| line.function) else {
                continue;
            };
            if name == key.name {
                continue;
            }
            let at = found.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                found.push((name, vec![0; counts.len()]));
                found.len() - 1
            });
            found[at].1[index] = *count;
        }
        found
    }
}

/// What is drawn from one function, or from several places that it was inlined at.
#[derive(Default)]
struct Sum {
    mix: Mix,
    /// Samples by class.
    by_class: Vec<(Class, u64)>,
    n_samples: u64,
    n_in_loops: u64,
    hottest: Option<(u64, Range<u64>)>,
}

impl Sum {
    fn add(&mut self, function: &Taken, counts: &[u64]) {
        let Taken { decoded, blocks, loops } = function;
        let code = &decoded.instructions;
        for region in regions(counts, blocks, loops) {
            let mut mix = Mix::default();
            for &(index, weight) in &region.instructions {
                let is_before_branch = code.get(index + 1).is_some_and(|next| next.is_jcc_short_or_near());
                mix.add(&code[index], is_before_branch, weight);
            }
            let n_samples = region.n_samples;
            self.mix.add_mix(&mix, n_samples as f64 / mix.total().max(1.0));
            let class = mix.class();
            match self.by_class.iter_mut().find(|(known, _)| *known == class) {
                Some((_, sum)) => *sum += n_samples,
                None => self.by_class.push((class, n_samples)),
            }
            self.n_samples += n_samples;
            let Some(id) = region.loop_id else { continue };
            self.n_in_loops += n_samples;
            if self.hottest.as_ref().is_none_or(|(most, _)| *most < n_samples) {
                let ranges = loops.all[id].blocks.iter().filter_map(|block| blocks.ranges.get(*block));
                let first = ranges.clone().map(|range| code[range.start].ip()).min();
                let last = ranges.map(|range| code[range.end - 1].ip()).max();
                self.hottest = first.zip(last).map(|(first, last)| (n_samples, first..last));
            }
        }
    }

    fn verdict(self) -> Option<SimdVerdict> {
        if self.n_samples < LEAST_SAMPLES {
            return None;
        }
        let part = |n_samples: u64| n_samples as f64 / self.n_samples as f64;
        let &(class, n_samples) = self.by_class.iter().max_by_key(|(class, n)| (*n, *class))?;
        Some(SimdVerdict {
            class,
            class_share: part(n_samples),
            packed_share: self.mix.packed_share(class),
            fma_share: self.mix.fused_share(),
            crypto_share: self.mix.crypto_share(),
            loop_share: part(self.n_in_loops),
            hottest_loop: self.hottest.map(|(_, range)| range),
            n_samples: self.n_samples,
        })
    }
}

#[cfg(test)]
mod tests {
    use calor_model::CodeLine;
    use proptest::prelude::*;

    use super::*;

    /// Adds four floats at a time until rax is 0 (8 bytes), then two with one of rax in a function called `inner`.
    const CODE: [u8; 15] = [
        0x0f, 0x58, 0x06, // addps xmm0, [rsi]
        0x48, 0xff, 0xc8, // dec rax
        0x75, 0xf8, // jne to the first
        0xf3, 0x0f, 0x58, 0xc1, // addss xmm0, xmm1
        0xeb, 0xfa, // jmp to the one before
        0xc3,
    ];

    fn profile(counts: &[(u32, u64)]) -> (Profile, StringId, StringId) {
        let mut profile = Profile::default();
        let (name, inner) = (profile.strings.intern("outer"), profile.strings.intern("inner"));
        let key = CodeKey { name, module: None, build: name, start: 0x1000 };
        let line = |offset, function| CodeLine { offset, function: Some(function), file: None, line: None };
        let code = FunctionCode {
            size: CODE.len() as u64,
            bytes: CODE.to_vec(),
            lines: vec![line(0, name), line(8, inner)],
            counts: counts.iter().copied().collect(),
        };
        profile.code.add(key, code, &profile.strings);
        (profile, name, inner)
    }

    #[test]
    fn the_loop_with_the_most_samples_names_the_class() {
        let (profile, outer, inner) = profile(&[(0, 20), (3, 5), (8, 15)]);
        let verdicts = Verdicts::of(&profile);
        let whole = verdicts.get(outer, None).expect("there are enough samples");
        assert_eq!((whole.class, whole.n_samples, whole.class_share), (Class::Sse, 40, 0.625));
        assert_eq!((whole.loop_share, whole.hottest_loop.clone()), (1.0, Some(0x1000..0x1006)));
        let inlined = verdicts.get(inner, None).expect("there are enough samples");
        assert_eq!((inlined.class, inlined.n_samples), (Class::Scalar, 15));
        assert!(whole.packed_share > 0.3 && whole.packed_share < 0.9 && inlined.packed_share == 0.0);
    }

    #[test]
    fn code_of_ciphers_and_hashes_is_no_code_that_could_be_wider() {
        const HASH: [u8; 13] = [
            0x0f, 0x38, 0xcb, 0xd1, // sha256rnds2 xmm2, xmm1
            0x66, 0x0f, 0xfe, 0xc1, // paddd xmm0, xmm1
            0x48, 0xff, 0xc8, // dec rax
            0x75, 0xf3, // jne to the first
        ];
        let widest = crate::Offered { widest: Class::Avx512, fma: true };
        for (bytes, is_crypto) in [(&HASH[..], true), (&CODE[..8], false)] {
            let mut profile = Profile::default();
            let name = profile.strings.intern("update");
            let code = FunctionCode {
                size: 13,
                bytes: bytes.to_vec(),
                counts: [(0, 50)].into(),
                ..Default::default()
            };
            profile.code.add(
                CodeKey { name, module: None, build: name, start: 0x1000 },
                code,
                &profile.strings,
            );
            let verdicts = Verdicts::of(&profile);
            let verdict = verdicts.get(name, None).expect("there are enough samples");
            assert_eq!((verdict.class, verdict.is_crypto()), (Class::Sse, is_crypto));
            let said = crate::simd::narrow_vectors(&profile, &verdicts, Some(widest));
            assert_eq!(said.is_empty(), is_crypto, "{said:?}");
        }
    }

    #[test]
    fn of_few_samples_nothing_is_said() {
        let (profile, outer, inner) = profile(&[(0, 9)]);
        let verdicts = Verdicts::of(&profile);
        assert!(verdicts.get(outer, None).is_none() && verdicts.get(inner, None).is_none());
        assert!(verdicts.is_empty());
    }

    #[test]
    fn samples_without_code_and_code_that_is_none_do_no_harm() {
        let (mut profile, name, _) = profile(&[(0, 30)]);
        for (start, bytes) in
            [(1, vec![]), (2, vec![0x06; 40]), (3, vec![0xff; 40]), (u64::MAX - 3, CODE.to_vec())]
        {
            let counts = [(0, 50), (7, 50), (900, 50)].into();
            let code = FunctionCode { size: 40, bytes, lines: Vec::new(), counts };
            profile.code.add(CodeKey { name, module: None, build: name, start }, code, &profile.strings);
        }
        assert!(Verdicts::of(&profile).get(name, None).is_some());
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged_without_a_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..600),
            counts in proptest::collection::btree_map(0..700_u32, 1..100_u64, 1..20),
        ) {
            let (mut profile, name, _) = profile(&[]);
            let code = FunctionCode { size: 600, bytes, lines: Vec::new(), counts };
            profile.code.add(CodeKey { name, module: None, build: name, start: 7 }, code, &profile.strings);
            if let Some(verdict) = Verdicts::of(&profile).get(name, None) {
                prop_assert!((0.0..=1.0).contains(&verdict.packed_share));
                prop_assert!((0.0..=1.0).contains(&verdict.loop_share));
            }
        }
    }
}
