//! One function from near: its hottest lines and, where its code is known, its hottest instructions.

mod choice;
mod code;
mod lines;
mod namesake;
mod stretch;

use calor_model::{FrameKind, Profile, SampleKind};

pub use choice::{Unchosen, choose_function};
pub use code::{AnnotatedCode, AnnotatedInstruction};
pub use lines::HotLine;
pub use namesake::{Namesake, Whereabouts, namesakes};

use crate::simd::{Offered, SimdVerdict};

/// What is known of a function.
#[derive(Debug)]
pub struct Annotation<'p> {
    /// Its name.
    pub name: &'p str,
    /// What kind of function it is.
    pub kind: FrameKind,
    /// The program or library it is of, where that is known.
    pub module: Option<&'p str>,
    /// The kind of samples that it is about.
    pub sampled: SampleKind,
    /// Samples that found it innermost, those in it or in what it called, and all there are.
    pub own: u64,
    /// See `own`.
    pub inclusive: u64,
    /// See `own`.
    pub n_all: u64,
    /// All functions of its name, the hottest first; those that were chosen are added up here.
    pub namesakes: Vec<Namesake<'p>>,
    /// Its lines with samples, the hottest first.
    pub lines: Vec<HotLine<'p>>,
    /// Its code, and that of functions it was inlined into, the hottest first.
    pub code: Vec<AnnotatedCode<'p>>,
    /// Which vectors it computes with; `None` where too little is known.
    pub verdict: Option<SimdVerdict>,
    /// Which vectors the processor offers.
    pub offered: Option<Offered>,
}

impl Annotation<'_> {
    /// Why there are no instructions, and what to do about it; `None` where there are.
    #[must_use]
    pub fn missing_code(&self, profile: &Profile) -> Option<&'static str> {
        if !self.code.is_empty() {
            return None;
        }
        Some(match self.kind {
            FrameKind::Python => "a Python function has no machine code of its own",
            FrameKind::Kernel => "code of the kernel is not recorded",
            _ if profile.code.is_empty() => {
                "the profile has no machine code: `calor record` keeps that of the hottest functions when a recording ends; \
                 other formats and older files have none"
            }
            _ => {
                "its machine code is not in the profile: that of functions with at least 0.5 % of the samples as \
                 their own is, if their file could be read; record for longer, or with a higher --rate"
            }
        })
    }
}

/// Looks at the function of exactly this name; `None` where no sample is of it there. See [`choose_function`]. Several
/// functions that are there are added up.
#[must_use]
pub fn annotate<'p>(profile: &'p Profile, name: &str, there: Whereabouts<'_>) -> Option<Annotation<'p>> {
    let sampled = sampled_kind(profile)?;
    let id = profile.strings.find(name)?;
    let found = lines::of(profile, sampled, id, there)?;
    let frame = found.frame;
    let code = match frame.kind {
        FrameKind::Native => code::of(profile, id, there),
        _ => Vec::new(),
    };
    Some(Annotation {
        name: profile.strings.get(id),
        kind: frame.kind,
        module: frame.module.map(|module| profile.strings.get(module)),
        sampled,
        own: found.own,
        inclusive: found.inclusive,
        n_all: found.n_all,
        namesakes: namesake::of(profile, sampled, id, there),
        lines: found.lines,
        verdict: if code.is_empty() { None } else { code::verdict(profile, id, there) },
        code,
        offered: Offered::of(profile),
    })
}

/// The samples that tell where time goes: of running threads, or else whatever there is.
fn sampled_kind(profile: &Profile) -> Option<SampleKind> {
    let kinds = [SampleKind::Cpu, SampleKind::Wall, SampleKind::OffCpu];
    kinds.into_iter().find(|kind| profile.samples.iter().any(|(key, _)| key.kind == *kind))
}
