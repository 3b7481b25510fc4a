//! What is said of one function: its class, by the loops that its samples were found in.

use std::ops::Range;

use calor_model::{CodeKey, Frame, FrameKind, FunctionCode, Profile, StackId, StringId};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use super::{Class, Mix};
use crate::code::{Blocks, Decoded, Loops, regions};
use crate::{CallTree, NodeId};

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
    /// The other classes and their parts of the samples, the larger ones first.
    pub others: Vec<(Class, f64)>,
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

/// What is known of the code of a profile, for verdicts. A name is not enough to find code by: every file of a C program
/// may have its own `work`, and what is inlined in two functions has two pieces of code.
#[derive(Debug, Default)]
pub struct Verdicts {
    pieces: Vec<Piece>,
    by_name: HashMap<(StringId, Option<StringId>), Vec<usize>, RandomState>,
}

/// A function with code of its own.
#[derive(Debug)]
struct Piece {
    key: CodeKey,
    /// The files of its own lines.
    files: Vec<StringId>,
    /// Whether some of its lines are not known.
    has_gaps: bool,
    whole: Sum,
    inlined: Vec<(StringId, Sum)>,
}

impl Verdicts {
    /// Takes all code apart.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let pieces: Vec<Piece> = profile.code.iter().map(|(key, code)| Piece::new(key, code)).collect();
        let mut by_name: HashMap<_, Vec<usize>, RandomState> = HashMap::default();
        for (index, piece) in pieces.iter().enumerate() {
            by_name.entry((piece.key.name, piece.key.module)).or_default().push(index);
        }
        Self { pieces, by_name }
    }

    /// What is said of paths that end in one function, all together.
    #[must_use]
    pub fn of_paths(&self, tree: &CallTree<'_>, paths: &[NodeId]) -> Option<SimdVerdict> {
        if self.pieces.is_empty() {
            return None;
        }
        self.of_places(paths.iter().map(|path| place(tree, *path)).collect())
    }

    /// The same of call paths of a profile.
    pub(crate) fn of_stacks(&self, profile: &Profile, stacks: &[StackId]) -> Option<SimdVerdict> {
        if self.pieces.is_empty() {
            return None;
        }
        self.of_places(stacks.iter().map(|stack| place_of_stack(profile, *stack)).collect())
    }

    fn of_places(&self, mut places: Vec<(Frame, StringId)>) -> Option<SimdVerdict> {
        // Many paths lead to the same code, which counts once.
        places
            .sort_unstable_by_key(|(owner, name)| (*name, owner.name, owner.module, owner.file, owner.line));
        places.dedup_by_key(|(owner, name)| (*name, owner.name, owner.module, owner.file));
        let mut counted: HashSet<(usize, StringId), RandomState> = HashSet::default();
        let mut all = Sum::default();
        for (owner, name) in places {
            for index in self.pieces_of(&owner) {
                let piece = &self.pieces[index];
                let sum = match name == piece.key.name {
                    true => Some(&piece.whole),
                    false => piece.inlined.iter().find(|(known, _)| *known == name).map(|(_, sum)| sum),
                };
                if let Some(sum) = sum.filter(|_| counted.insert((index, name))) {
                    all.add_sum(sum);
                }
            }
        }
        all.verdict()
    }

    /// What is said of a function with code of its own.
    #[must_use]
    pub fn of_code(&self, key: CodeKey) -> Option<SimdVerdict> {
        let namesakes = self.by_name.get(&(key.name, key.module))?;
        let index = namesakes.iter().find(|index| self.pieces[**index].key == key)?;
        self.pieces[*index].whole.verdict()
    }

    /// The code that a frame may be of: that whose own lines are of its file.
    fn pieces_of(&self, owner: &Frame) -> Vec<usize> {
        let named = self.by_name.get(&(owner.name, owner.module)).map_or(&[][..], Vec::as_slice);
        let Some(file) = owner.file else { return named.to_vec() };
        let those = |fits: &dyn Fn(&Piece) -> bool| -> Vec<usize> {
            named.iter().copied().filter(|index| fits(&self.pieces[*index])).collect()
        };
        match those(&|piece| piece.files.contains(&file)) {
            none if none.is_empty() => those(&|piece| piece.files.is_empty() || piece.has_gaps),
            found => found,
        }
    }
}

/// The function whose code a path ends in, which is the innermost that was not inlined, and the name of what it ends in.
fn place(tree: &CallTree<'_>, path: NodeId) -> (Frame, StringId) {
    let frames = &tree.profile().frames;
    let (mut caller, frame) = tree.place(path);
    let leaf = frames.get(frame);
    let mut owner = leaf;
    while owner.is_inlined {
        let Some((next, frame)) = caller.map(|caller| tree.place(caller)) else { break };
        let frame = frames.get(frame);
        if frame.kind != FrameKind::Native {
            break;
        }
        (caller, owner) = (next, frame);
    }
    (owner, leaf.name)
}

fn place_of_stack(profile: &Profile, stack: StackId) -> (Frame, StringId) {
    let frame = |stack: StackId| profile.frames.get(profile.stacks.get(stack).frame);
    let leaf = frame(stack);
    let (mut owner, mut at) = (leaf, stack);
    while owner.is_inlined {
        let Some(caller) = profile.stacks.get(at).parent else { break };
        if frame(caller).kind != FrameKind::Native {
            break;
        }
        (owner, at) = (frame(caller), caller);
    }
    (owner, leaf.name)
}

impl Piece {
    fn new(key: CodeKey, code: &FunctionCode) -> Self {
        let function = Taken::new(key, code);
        let own = code.lines.iter().filter(|line| line.function == Some(key.name));
        let mut files: Vec<StringId> = own.filter_map(|line| line.file).collect();
        files.sort_unstable();
        files.dedup();
        let has_gaps = code
            .lines
            .split_last()
            .is_some_and(|(_, before)| before.iter().any(|line| line.function.is_none()));
        let mut whole = Sum::default();
        whole.add(&function, &function.decoded.counts);
        let inlined = function.inlined(key, code).into_iter().map(|(name, counts)| {
            let mut sum = Sum::default();
            sum.add(&function, &counts);
            (name, sum)
        });
        Self { key, files, has_gaps, whole, inlined: inlined.collect() }
    }
}

/// The verdict on samples of one function in several pieces of code, each with its samples by instruction.
pub(crate) fn verdict_on<'c>(
    parts: impl Iterator<Item = (CodeKey, &'c FunctionCode, Vec<u64>)>,
) -> Option<SimdVerdict> {
    let mut sum = Sum::default();
    parts.for_each(|(key, code, counts)| sum.add(&Taken::new(key, code), &counts));
    sum.verdict()
}

/// The verdict on one function with counts by instruction, however few they are.
pub(super) fn verdict_on_taken(function: &Taken, counts: &[u64]) -> Option<SimdVerdict> {
    let mut sum = Sum::default();
    sum.add(function, counts);
    sum.said()
}

/// A function taken apart.
pub(super) struct Taken {
    pub(super) decoded: Decoded,
    pub(super) blocks: Blocks,
    pub(super) loops: Loops,
}

impl Taken {
    pub(super) fn new(key: CodeKey, code: &FunctionCode) -> Self {
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
#[derive(Debug, Default)]
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
            self.add_class(mix.class(), n_samples);
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

    fn add_class(&mut self, class: Class, n_samples: u64) {
        match self.by_class.iter_mut().find(|(known, _)| *known == class) {
            Some((_, sum)) => *sum += n_samples,
            None => self.by_class.push((class, n_samples)),
        }
    }

    /// Adds what was drawn from other code. Sums of instructions are weighed by samples already.
    fn add_sum(&mut self, other: &Self) {
        self.mix.add_mix(&other.mix, 1.0);
        other.by_class.iter().for_each(|(class, n_samples)| self.add_class(*class, *n_samples));
        self.n_samples += other.n_samples;
        self.n_in_loops += other.n_in_loops;
        if other.hottest.as_ref().map(|(most, _)| most) > self.hottest.as_ref().map(|(most, _)| most) {
            self.hottest.clone_from(&other.hottest);
        }
    }

    fn verdict(&self) -> Option<SimdVerdict> {
        if self.n_samples < LEAST_SAMPLES { None } else { self.said() }
    }

    fn said(&self) -> Option<SimdVerdict> {
        let part = |n_samples: u64| n_samples as f64 / self.n_samples as f64;
        let mut classes = self.by_class.clone();
        classes.sort_by_key(|(class, n)| std::cmp::Reverse((*n, *class)));
        let &(class, n_samples) = classes.first()?;
        Some(SimdVerdict {
            class,
            class_share: part(n_samples),
            others: classes[1..].iter().map(|(class, n_samples)| (*class, part(*n_samples))).collect(),
            packed_share: self.mix.packed_share(class),
            fma_share: self.mix.fused_share(),
            crypto_share: self.mix.crypto_share(),
            loop_share: part(self.n_in_loops),
            hottest_loop: self.hottest.as_ref().map(|(_, range)| range.clone()),
            n_samples: self.n_samples,
        })
    }
}

#[cfg(test)]
mod tests;
