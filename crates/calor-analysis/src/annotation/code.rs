//! The instructions of a function with their samples, sources and loops.

use calor_model::{CodeKey, CodeLine, FunctionCode, Profile, StringId};

use super::namesake::Whereabouts;
use crate::code::{Blocks, Decoded, LoopId, Loops};
use crate::simd::{SimdVerdict, verdict_on};

/// The code of a function, or of one that the wanted function was inlined into.
#[derive(Debug)]
pub struct AnnotatedCode<'p> {
    /// The function whose code it is.
    pub function: &'p str,
    /// Where it begins by its file's own reckoning.
    pub start: u64,
    /// How many bytes it has, and how many of them are known.
    pub size: u64,
    /// See `size`.
    pub n_known: u64,
    /// The samples of the wanted function in it.
    pub n_samples: u64,
    /// Samples of it whose instruction is not among those known.
    pub n_beyond: u64,
    /// Its instructions.
    pub instructions: Vec<AnnotatedInstruction<'p>>,
}

/// One instruction.
#[derive(Debug)]
pub struct AnnotatedInstruction<'p> {
    /// Where it is by its file's own reckoning.
    pub address: u64,
    /// What it is, in the notation of the processor's maker.
    pub text: String,
    /// Samples of the wanted function that were found at it.
    pub count: u64,
    /// The loops around it, by number within this code, outermost first.
    pub loops: Vec<usize>,
    /// The innermost function that the compiler put there, where it is known.
    pub function: Option<&'p str>,
    /// The source file.
    pub file: Option<&'p str>,
    /// The line in it.
    pub line: Option<u32>,
}

/// The code that has samples of a function, the hottest first.
pub(super) fn of<'p>(profile: &'p Profile, name: StringId, there: Whereabouts<'_>) -> Vec<AnnotatedCode<'p>> {
    let annotated = |(key, code)| annotated(profile, name, there, key, code);
    let mut found: Vec<AnnotatedCode<'p>> = profile.code.iter().filter_map(annotated).collect();
    found.sort_by_key(|code| (std::cmp::Reverse(code.n_samples), code.start));
    found
}

fn annotated<'p>(
    profile: &'p Profile,
    name: StringId,
    there: Whereabouts<'_>,
    key: CodeKey,
    code: &FunctionCode,
) -> Option<AnnotatedCode<'p>> {
    let decoded = Decoded::new(key.start, code);
    let is_wanted = wanted(profile, name, there, key, code);
    let counted = code.counts.iter().filter(|(offset, _)| is_wanted(**offset));
    let n_samples: u64 = counted.map(|(_, count)| *count).sum();
    if n_samples == 0 {
        return None;
    }
    let blocks = Blocks::new(&decoded);
    let loops = Loops::of(&blocks);
    let text = |id: Option<StringId>| id.map(|id| profile.strings.get(id));
    let texts = decoded.texts(0..decoded.instructions.len());
    let instructions: Vec<AnnotatedInstruction<'p>> = texts
        .into_iter()
        .enumerate()
        .map(|(index, instruction_text)| {
            let offset = decoded.offset(index);
            let line = code.line_at(offset);
            AnnotatedInstruction {
                address: decoded.instructions[index].ip(),
                text: instruction_text,
                count: if is_wanted(offset) { decoded.counts[index] } else { 0 },
                loops: around(&loops, blocks.of(index)),
                function: text(line.and_then(|line| line.function)),
                file: text(line.and_then(|line| line.file)),
                line: line.and_then(|line| line.line),
            }
        })
        .collect();
    let n_at_known: u64 = instructions.iter().map(|instruction| instruction.count).sum();
    Some(AnnotatedCode {
        function: profile.strings.get(key.name),
        start: key.start,
        size: code.size,
        n_known: code.bytes.len() as u64,
        n_samples,
        n_beyond: n_samples.saturating_sub(n_at_known),
        instructions,
    })
}

/// Whether the instruction at an offset is of the function that is meant: all of its own code is, and of other code what
/// was inlined.
fn wanted<'c>(
    profile: &'c Profile,
    name: StringId,
    there: Whereabouts<'c>,
    key: CodeKey,
    code: &'c FunctionCode,
) -> impl Fn(u32) -> bool + 'c {
    let is_function = key.name == name && is_there(profile, there, key, code);
    let is_inlined = move |line: CodeLine| {
        line.function == Some(name) && key.name != name && there.fits(profile, line.file, key.module)
    };
    move |offset| is_function || code.line_at(offset).is_some_and(is_inlined)
}

/// What the function computes with, by the samples in all of that code.
pub(super) fn verdict(profile: &Profile, name: StringId, there: Whereabouts<'_>) -> Option<SimdVerdict> {
    let parts = profile.code.iter().map(|(key, code)| {
        let is_wanted = wanted(profile, name, there, key, code);
        let decoded = Decoded::new(key.start, code);
        let counts = decoded.counts.iter().enumerate();
        let counts = counts.map(|(index, count)| if is_wanted(decoded.offset(index)) { *count } else { 0 });
        (key, code, counts.collect::<Vec<u64>>())
    });
    verdict_on(parts.filter(|(_, _, counts)| counts.iter().any(|count| *count > 0)))
}

/// Whether a function itself is where it is looked for: its own lines tell its file, those of what was inlined into it do
/// not.
fn is_there(profile: &Profile, there: Whereabouts<'_>, key: CodeKey, code: &FunctionCode) -> bool {
    let mut own = code.lines.iter().filter(|line| line.function == Some(key.name)).peekable();
    match own.peek() {
        Some(_) => own.any(|line| there.fits(profile, line.file, key.module)),
        None => there.fits(profile, None, key.module),
    }
}

/// The loops around a block, outermost first.
fn around(loops: &Loops, block: usize) -> Vec<LoopId> {
    let mut around: Vec<LoopId> =
        std::iter::successors(loops.innermost[block], |id| loops.all[*id].parent).collect();
    around.reverse();
    around
}
