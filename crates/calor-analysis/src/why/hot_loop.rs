//! The loops of a side, from the code that was recorded with it: how wide they compute, how large their numbers are, how
//! they walk over memory, whether they convert, and whether they take locks by themselves.

use calor_model::{Frame, FrameKind, Profile};
use iced_x86::{Instruction, Mnemonic, OpKind};

use super::loop_threads::LoopThreads;
use super::part::{Chosen, is_own};
use crate::Class;
use crate::code::{Blocks, Decoded, LoopShape, Loops, Walk, regions};
use crate::simd::Mix;

/// Loops with fewer samples than this part are not told.
const LEAST_SHARE: f64 = 0.02;
/// Fewer samples than these do not tell what a loop does.
const LEAST_SAMPLES: u64 = 10;
/// The part of a loop's instructions that has to convert numbers before it is said to.
const LEAST_CONVERTING: f64 = 0.04;

/// One loop.
#[derive(Clone, PartialEq, Debug)]
pub struct WhyLoop {
    /// The function whose code it is in.
    pub function: String,
    /// File and line of its hottest instruction, where they are known.
    pub place: Option<String>,
    /// Its part of all CPU samples.
    pub share: f64,
    /// What it computes with.
    pub class: Class,
    /// Bytes of the floating-point numbers that it computes with; `None` where it computes with none.
    pub number_bytes: Option<u32>,
    /// The part of its samples at loads that use little of each line of the caches.
    pub far_share: f64,
    /// Whether loads step on by far, samples at them or not.
    pub has_far_walk: bool,
    /// How many stretches of memory it goes along.
    pub n_streams: usize,
    /// What lines of memory it moves, by what its longest stretch goes on: once for what is read, once more for what is
    /// written back, and once more for what is written without being read. `None` where it goes along no memory.
    pub moved: Option<f64>,
    /// The part of its instructions that turns numbers of one size into another.
    pub converting: f64,
    /// Whether it takes or gives a lock, or changes what threads share.
    pub has_lock: bool,
    /// Whether it calls functions.
    pub has_call: bool,
    /// Threads that were found in its function, by number; none where samples do not tell.
    pub threads: Vec<usize>,
}

impl WhyLoop {
    /// Bits that one instruction computes with: of a vector, or of one number.
    #[must_use]
    pub fn bits(&self) -> Option<u32> {
        match self.class {
            Class::Scalar => Some(8 * self.number_bytes.unwrap_or(4)),
            Class::Integer => self.number_bytes.map(|bytes| 8 * bytes),
            class => class.bits(),
        }
    }

    /// Whether it converts numbers.
    #[must_use]
    pub fn converts(&self) -> bool {
        self.converting >= LEAST_CONVERTING
    }

    /// Whether locks are what it does.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.has_lock
    }
}

/// Loops of the operation's own code, the one with the most samples first.
pub(super) fn hot_loops(profile: &Profile, chosen: &Chosen) -> Vec<WhyLoop> {
    let n_all: u64 = chosen.samples(profile).map(|(_, count)| count).sum();
    let threads = LoopThreads::of(profile, chosen);
    let mut found = Vec::new();
    for (key, code) in profile.code.iter() {
        let frame = Frame { module: key.module, ..Frame::new(key.name, FrameKind::Native) };
        if !is_own(profile, frame) {
            continue;
        }
        let decoded = Decoded::new(key.start, code);
        let blocks = Blocks::new(&decoded);
        let loops = Loops::of(&blocks);
        for region in regions(&decoded.counts, &blocks, &loops) {
            let share = region.n_samples as f64 / n_all.max(1) as f64;
            if region.loop_id.is_none() || region.n_samples < LEAST_SAMPLES || share < LEAST_SHARE {
                continue;
            }
            let code_of = |index: usize| &decoded.instructions[index];
            let mut mix = Mix::default();
            let (mut all, mut converting, mut sizes, mut has_lock) = (0.0, 0.0, [0.0; 3], false);
            for &(index, weight) in &region.instructions {
                let instruction = code_of(index);
                let next = decoded.instructions.get(index + 1);
                mix.add(instruction, next.is_some_and(Instruction::is_jcc_short_or_near), weight);
                all += weight;
                converting += if is_conversion(instruction) { weight } else { 0.0 };
                if let Some(at) = number_at(instruction) {
                    sizes[at] += weight;
                }
                has_lock |= is_locked(instruction) && weight > 0.0;
            }
            let round: Vec<(&Instruction, u64)> = region
                .instructions
                .iter()
                .map(|(index, _)| (code_of(*index), decoded.counts[*index]))
                .collect();
            let shape = LoopShape::of_round(&round, region.n_samples);
            let hottest = region.instructions.iter().max_by_key(|(index, _)| decoded.counts[*index]);
            let line = hottest.and_then(|(index, _)| code.line_at(decoded.offset(*index)));
            let place = line.and_then(|line| {
                let file = profile.strings.get(line.file?);
                Some(format!("{}:{}", file.rsplit('/').next().unwrap_or(file), line.line?))
            });
            found.push(WhyLoop {
                function: profile.strings.get(key.name).to_owned(),
                place,
                share: share.min(1.0),
                class: mix.class(),
                number_bytes: most_used(sizes),
                far_share: shape.far_share(),
                has_far_walk: shape.loads.iter().any(|load| matches!(load.walk, Walk::Far(_))),
                n_streams: shape.traffic.n_streams,
                moved: (shape.traffic.step > 0.0).then(|| shape.traffic.moved / shape.traffic.step),
                converting: converting / f64::max(all, 1.0),
                has_lock,
                has_call: shape.has_call,
                threads: threads.of_function(key.name),
            });
        }
    }
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found
}

fn is_conversion(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    let name = name.strip_prefix('v').unwrap_or(&name);
    ["cvtps2pd", "cvtpd2ps", "cvtss2sd", "cvtsd2ss", "cvtdq2pd", "cvtph2ps", "cvtps2ph"].contains(&name)
}

/// Bytes of the numbers that are told apart; the last are those of the processor's old unit, which has no vectors.
const NUMBERS: [u32; 3] = [4, 8, 10];

/// The place among [`NUMBERS`] of those that an instruction computes with; `None` where it computes with none.
fn number_at(instruction: &Instruction) -> Option<usize> {
    if !crate::simd::is_float(instruction) {
        return None;
    }
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    match () {
        () if name.starts_with('f') => Some(2),
        () if name.ends_with("pd") || name.ends_with("sd") => Some(1),
        () if name.ends_with("ps") || name.ends_with("ss") => Some(0),
        () => None,
    }
}

/// The size that most is computed with.
fn most_used(weights: [f64; 3]) -> Option<u32> {
    let at = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]))?;
    (weights[at] > 0.0).then_some(NUMBERS[at])
}

/// Whether an instruction keeps other processors from what it changes.
fn is_locked(instruction: &Instruction) -> bool {
    let swaps = instruction.mnemonic() == Mnemonic::Xchg
        && (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory);
    instruction.has_lock_prefix() || swaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    fn loops(code: &[u8]) -> Vec<WhyLoop> {
        let path = ["app::main@src/main.rs:3", "app::add@src/add.rs:7"];
        let profile = Draft::new().cpu(&path, 100).code("app::add", code, &[(0, 100)]).profile();
        hot_loops(&profile, &Chosen::of(&profile, None))
    }

    #[test]
    fn a_loop_tells_its_width_and_the_size_of_its_numbers() {
        // addsd xmm0, [rdi + 8*rax]; inc rax; cmp rax, rsi; jne to the first
        let sum = [0xf2, 0x0f, 0x58, 0x04, 0xc7, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0, 0x75, 0xf3, 0xc3];
        let [found] = &loops(&sum)[..] else { panic!("one loop") };
        assert_eq!((found.class, found.number_bytes, found.bits()), (Class::Scalar, Some(8), Some(64)));
        assert!(!found.converts() && !found.has_lock && found.share == 1.0);
    }

    #[test]
    fn conversions_and_locks_are_seen() {
        // cvtss2sd xmm0, [rdi + 4*rax]; inc rax; cmp rax, rsi; jne to the first
        let convert = [0xf3, 0x0f, 0x5a, 0x04, 0x87, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0, 0x75, 0xf3, 0xc3];
        assert!(loops(&convert)[0].converts());
        // fadd qword ptr [rdi + 8*rax]; inc rax; cmp rax, rsi; jne to the first
        let old_unit = [0xdc, 0x04, 0xc7, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0, 0x75, 0xf5, 0xc3];
        assert_eq!(loops(&old_unit)[0].number_bytes, Some(10));
        // lock inc dword ptr [rdi]; inc rax; cmp rax, rsi; jne to the first
        let lock = [0xf0, 0xff, 0x07, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf0, 0x75, 0xf5, 0xc3];
        assert!(loops(&lock)[0].is_locked());
    }
}
