//! Verdicts on code written by hand.

use calor_model::{CodeLine, LabelTable, SampleKey, SampleKind, SampleWeight};
use proptest::prelude::*;

use super::*;
use crate::TreeOptions;

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

/// What is said of a path of functions, the first of which has the others in its code. Files follow a name's `@`.
fn said(profile: &Profile, path: &[&str]) -> Option<SimdVerdict> {
    let (mut profile, mut frames) = (profile.clone(), Vec::new());
    for (depth, place) in path.iter().enumerate() {
        let (name, file) = place.split_once('@').map_or((*place, None), |(name, file)| (name, Some(file)));
        let (name, file) = (profile.strings.intern(name), file.map(|file| profile.strings.intern(file)));
        let frame = Frame { file, is_inlined: depth > 0, ..Frame::new(name, FrameKind::Native) };
        frames.push(profile.frames.intern(frame));
    }
    let stack = profile.stacks.intern_path(frames).expect("a path has a frame");
    let thread = profile.intern_thread(1, 1, "main");
    let labels = LabelTable::none();
    let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
    profile.samples.add(key, SampleWeight { count: 1, nanos: 1 });
    let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
    let leaf = tree.nodes().find(|(id, _)| tree.children(*id).is_empty()).expect("there is a path").0;
    Verdicts::of(&profile).of_paths(&tree, &[leaf])
}

/// Two functions called `work` in two files, one of which adds vectors and the other single numbers, with the same function
/// inlined into both.
fn namesakes() -> Profile {
    let mut profile = Profile::default();
    let (name, fold) = (profile.strings.intern("work"), profile.strings.intern("fold"));
    for (start, file, bytes, inlined) in [(0x1000, "a.c", &CODE[..8], 3), (0x2000, "b.c", &CODE[8..14], 4)] {
        let file = Some(profile.strings.intern(file));
        let line = |offset, function| CodeLine { offset, function: Some(function), file, line: None };
        let code = FunctionCode {
            size: bytes.len() as u64,
            bytes: bytes.to_vec(),
            lines: vec![line(0, name), line(inlined, fold)],
            counts: [(0, 30), (inlined, 15)].into(),
        };
        profile.code.add(CodeKey { name, module: None, build: name, start }, code, &profile.strings);
    }
    profile
}

#[test]
fn code_is_that_of_the_function_of_the_file_and_not_of_a_namesake() {
    let profile = namesakes();
    let class = |path: &[&str]| said(&profile, path).map(|verdict| (verdict.class, verdict.hottest_loop));
    let (a, b) = (Some(0x1000..0x1006), Some(0x2000..0x2004));
    assert_eq!(class(&["work@a.c"]), Some((Class::Sse, a.clone())));
    assert_eq!(class(&["work@b.c"]), Some((Class::Scalar, b.clone())));
    assert_eq!(class(&["work@a.c", "fold@fold.h"]), Some((Class::Sse, a)));
    assert_eq!(class(&["work@b.c", "fold@fold.h"]), Some((Class::Scalar, b)));
    assert_eq!(class(&["work@cold.c"]), None, "its code is not known");
    assert_eq!(class(&["other@a.c", "fold@fold.h"]), None);
}

#[test]
fn an_annotation_weighs_all_functions_that_it_adds_up() {
    let mut profile = namesakes();
    let name = profile.strings.intern("work");
    let thread = profile.intern_thread(1, 1, "main");
    for file in ["a.c", "b.c"] {
        let file = Some(profile.strings.intern(file));
        let frame = profile.frames.intern(Frame { file, ..Frame::new(name, FrameKind::Native) });
        let stack = profile.stacks.intern(None, frame);
        let labels = LabelTable::none();
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 45, nanos: 45 });
    }
    let verdict = |file| {
        let there = crate::Whereabouts { file, module: None };
        crate::annotate(&profile, "work", there).and_then(|it| it.verdict).expect("there are enough samples")
    };
    assert_eq!((verdict(Some("a.c")).class, verdict(Some("b.c")).class), (Class::Sse, Class::Scalar));
    let both = verdict(None);
    assert_eq!((both.class, both.class_share, both.n_samples), (Class::Sse, 0.5, 90));
    assert_eq!(both.others, [(Class::Scalar, 0.5)]);
    assert!(both.packed_share > 0.2 && both.packed_share < 0.8, "{both:?}");
}

#[test]
fn the_loop_with_the_most_samples_names_the_class() {
    let (profile, ..) = profile(&[(0, 20), (3, 5), (8, 15)]);
    let whole = said(&profile, &["outer"]).expect("there are enough samples");
    assert_eq!((whole.class, whole.n_samples, whole.class_share), (Class::Sse, 40, 0.625));
    assert_eq!((whole.loop_share, whole.hottest_loop.clone()), (1.0, Some(0x1000..0x1006)));
    let inlined = said(&profile, &["outer", "inner"]).expect("there are enough samples");
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
        let code =
            FunctionCode { size: 13, bytes: bytes.to_vec(), counts: [(0, 50)].into(), ..Default::default() };
        let key = CodeKey { name, module: None, build: name, start: 0x1000 };
        profile.code.add(key, code, &profile.strings);
        let verdicts = Verdicts::of(&profile);
        let verdict = verdicts.of_code(key).expect("there are enough samples");
        assert_eq!((verdict.class, verdict.is_crypto()), (Class::Sse, is_crypto));
        let said = crate::simd::narrow_vectors(&profile, &verdicts, Some(widest));
        assert_eq!(said.is_empty(), is_crypto, "{said:?}");
    }
}

#[test]
fn of_few_samples_nothing_is_said() {
    let (profile, ..) = profile(&[(0, 9)]);
    assert!(said(&profile, &["outer"]).is_none() && said(&profile, &["outer", "inner"]).is_none());
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
    assert!(said(&profile, &["outer"]).is_some());
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
        if let Some(verdict) = said(&profile, &["outer"]) {
            prop_assert!((0.0..=1.0).contains(&verdict.packed_share));
            prop_assert!((0.0..=1.0).contains(&verdict.loop_share));
        }
    }
}
