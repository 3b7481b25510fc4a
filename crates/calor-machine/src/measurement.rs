//! The whole measurement: which kernels, on how much memory, for how long.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use calor_model::Warning;

use crate::buffer::Buffer;
use crate::burst::{Contestant, contest};
use crate::caches::Caches;
use crate::clock::wall_nanos;
use crate::kernel::{Arithmetic, Kernel, Memory, Number, Pass};
use crate::{Machine, Peak, Peaks, Processor, Tier, Width, memory, noise, together};

/// The least change, as a part, that pairs of times find four times in five; `None` for too few.
pub type SmallestDetectable = fn(first: &[f64], second: &[f64]) -> Option<f64>;

/// Time on the wall for one core, and for each kernel of all cores.
const ALONE_NANOS: u64 = 220_000_000;
const TOGETHER_NANOS: u64 = 35_000_000;

/// Main memory is passed over in slices of this size, and never more of it than this.
const SLICE: u64 = 1 << 20;
const MOST_MEMORY: u64 = 512 << 20;
/// Where the caches are not known: what any nearest cache holds, and more than any last one.
const SMALL: u64 = 16 << 10;
const LARGE: u64 = 256 << 20;
/// How many times the caches memory has to be, wanted and at least, for its own speed to show.
const WANTED: u64 = 4;
const LEAST: u64 = 2;

/// Measures this machine, in about half a second.
#[must_use]
pub fn measure(smallest_detectable: SmallestDetectable) -> Machine {
    let from = wall_nanos();
    let processor = Processor::this();
    let mut warnings = Vec::new();
    let plan = Plan::new(&Caches::of_this_machine(), memory::allowance());
    let mut alone = Alone::new(&plan, &mut warnings);
    // In two parts, with the rest between them: the further apart bursts are, the likelier one of them is undisturbed.
    contest(&mut alone.contestants, ALONE_NANOS / 2);
    let noise = noise::measure(smallest_detectable);
    contest(&mut alone.contestants, ALONE_NANOS / 2);
    let (mut peaks, mut tiers) = alone.found(&mut warnings);
    all_cores(&plan, &processor, &mut peaks, &mut tiers, &mut warnings);
    if let Some(dram) = tiers.last_mut() {
        dram.bytes = processor.memory_bytes;
    }
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Machine {
        id: processor.fingerprint(),
        processor,
        peaks,
        tiers,
        noise,
        measured_at_unix_nanos: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX),
        took_nanos: wall_nanos() - from,
        warnings,
    }
}

/// How much memory stands for each tier.
#[derive(Clone, PartialEq, Debug)]
struct Plan {
    /// The name of a tier, what it holds, and how much is passed over; `Err` says why it is not measured.
    tiers: Vec<(&'static str, Option<u64>, Result<u64, String>)>,
    /// The same for main memory and all cores together.
    all_cores: Result<u64, String>,
}

impl Plan {
    fn new(caches: &Caches, allowance: Option<u64>) -> Self {
        let [l1, l2, l3] = caches.levels;
        let unknown = |name: &str| {
            Err(format!("the system does not tell the size of a cache {name}, so nothing was measured there"))
        };
        // Half of a cache is its own; of the last one, which is shared with whoever runs beside, only a little is.
        let half = |size: Option<u64>, name: &str| size.map_or_else(|| unknown(name), |size| Ok(size / 2));
        let last = l3.map_or_else(
            || unknown("L3"),
            |size| match l2 {
                Some(near) if size < 4 * near => Ok(size / 2),
                near => Ok((size / 8).max(2 * near.unwrap_or(0))),
            },
        );
        Self {
            tiers: vec![
                ("L1", l1, Ok(l1.map_or(SMALL, |size| size / 2))),
                ("L2", l2, half(l2, "L2")),
                ("L3", l3, last),
                ("DRAM", None, main_memory(caches.last(), allowance)),
            ],
            all_cores: main_memory(caches.last_of_all, allowance),
        }
    }
}

/// How much main memory to pass over where caches hold so much.
fn main_memory(caches: Option<u64>, allowance: Option<u64>) -> Result<u64, String> {
    let allowed = allowance.unwrap_or(LARGE).min(MOST_MEMORY);
    let wanted = caches.map_or(LARGE, |caches| (WANTED * caches).max(LARGE / 4)).min(allowed);
    match wanted >= caches.map_or(LARGE, |caches| LEAST * caches) {
        true => Ok(wanted),
        false => Err(format!(
            "only {} MiB of memory may be taken, too little beside the caches: free some memory and measure again",
            allowed >> 20
        )),
    }
}

/// One core.
struct Alone {
    contestants: Vec<Contestant>,
    /// What the first contestants are.
    arithmetic: Vec<(Number, Width)>,
    /// The tiers, each with which contestants read it and do the triad in it.
    tiers: Vec<(Tier, [Option<usize>; 2])>,
}

impl Alone {
    fn new(plan: &Plan, warnings: &mut Vec<Warning>) -> Self {
        let (mut arithmetic, mut contestants) = (Vec::new(), Vec::new());
        for number in [Number::F32, Number::F64] {
            for width in Width::ALL {
                let Some(kernel) = Arithmetic::new(number, width) else { continue };
                arithmetic.push((number, width));
                contestants.push(Contestant::new(Box::new(kernel)));
            }
        }
        let largest = plan.tiers.iter().filter_map(|(.., size)| size.as_ref().ok()).max();
        let buffer = largest.and_then(|size| buffer(*size));
        let mut tiers = Vec::new();
        for (name, bytes, size) in &plan.tiers {
            let of_tier = [Pass::Read, Pass::Triad].map(|pass| {
                let kernel = memory_kernel_in_turns(buffer.as_ref()?, *size.as_ref().ok()?, pass);
                contestants.push(Contestant::new(kernel));
                Some(contestants.len() - 1)
            });
            let reason = match size {
                Err(reason) => Some(reason.as_str()),
                Ok(_) => of_tier.contains(&None).then_some("the system did not give the memory"),
            };
            warnings
                .extend(reason.map(|reason| Warning::new("tier_not_measured", format!("{name}: {reason}"))));
            let tier = Tier {
                name: (*name).to_owned(),
                bytes: *bytes,
                working_set_bytes: size.as_ref().ok().copied(),
                read: None,
                triad: None,
                all_cores: None,
            };
            tiers.push((tier, of_tier));
        }
        Self { contestants, arithmetic, tiers }
    }

    /// What they have reached; their memory is given back.
    fn found(self, warnings: &mut Vec<Warning>) -> (Peaks, Vec<Tier>) {
        let mut peaks = Peaks::default();
        for ((number, width), contestant) in self.arithmetic.iter().zip(&self.contestants) {
            peak_of(&mut peaks, *number).set(*width, contestant.rate());
        }
        warnings.extend(missing_widths(&peaks));
        let rate = |at: Option<usize>| self.contestants[at?].rate();
        let tiers = self.tiers.iter().map(|(tier, [read, triad])| Tier {
            read: rate(*read),
            triad: rate(*triad),
            ..tier.clone()
        });
        (peaks, tiers.collect())
    }
}

fn peak_of(peaks: &mut Peaks, number: Number) -> &mut Peak {
    match number {
        Number::F32 => &mut peaks.f32,
        Number::F64 => &mut peaks.f64,
    }
}

fn buffer(bytes: u64) -> Option<Arc<Mutex<Buffer>>> {
    Buffer::new(usize::try_from(bytes).ok()?).map(|buffer| Arc::new(Mutex::new(buffer)))
}

/// Passes over the first so many bytes of a buffer that has them: caches in one step, main memory in slices.
fn memory_kernel(buffer: &Arc<Mutex<Buffer>>, bytes: u64, pass: Pass) -> Box<dyn Kernel> {
    let most = if bytes > 8 * SLICE { SLICE } else { bytes };
    Box::new(Memory::new(buffer, pass, 0..bytes as usize, most as usize))
}

/// The same for passes that take turns: each has a half of main memory to itself, so that none finds in a cache what the other
/// left there.
fn memory_kernel_in_turns(buffer: &Arc<Mutex<Buffer>>, bytes: u64, pass: Pass) -> Box<dyn Kernel> {
    if bytes <= 8 * SLICE {
        return memory_kernel(buffer, bytes, pass);
    }
    let half = (bytes / 2).next_multiple_of(SLICE) as usize;
    let range = if pass == Pass::Read { 0..half } else { half..bytes as usize };
    Box::new(Memory::new(buffer, pass, range, SLICE as usize))
}

fn missing_widths(peaks: &Peaks) -> Vec<Warning> {
    let widths = [Width::Sse, Width::Avx2, Width::Avx512];
    let missing: Vec<&str> =
        widths.into_iter().filter(|width| peaks.f32.of(*width).is_none()).map(Width::word).collect();
    match missing.is_empty() {
        true => Vec::new(),
        false => {
            let message = format!("this processor has no {}: their peaks are null", missing.join(", "));
            vec![Warning::new("no_such_width", message)]
        }
    }
}

/// All cores at once.
fn all_cores(
    plan: &Plan,
    processor: &Processor,
    peaks: &mut Peaks,
    tiers: &mut [Tier],
    warnings: &mut Vec<Warning>,
) {
    let n_cores = processor.cores.max(1) as usize;
    let mut unseen = Vec::new();
    for (number, name) in [(Number::F32, "f32"), (Number::F64, "f64")] {
        let peak = peak_of(peaks, number);
        let Some((width, alone)) = peak.best() else { continue };
        peak.all_cores = match n_cores {
            1 => Some(alone),
            _ => together::rate(n_cores, TOGETHER_NANOS, || {
                Some(vec![Box::new(Arithmetic::new(number, width)?) as Box<dyn Kernel>])
            }),
        };
        unseen.extend(peak.all_cores.is_none().then_some(name));
    }
    if let Some(dram) = tiers.last_mut().filter(|tier| tier.best().is_some()) {
        let share = plan.all_cores.clone().map(|bytes| (bytes / n_cores as u64).max(SLICE));
        dram.all_cores = match (n_cores, share) {
            (1, _) => dram.best(),
            (_, Ok(share)) => together::rate(n_cores, TOGETHER_NANOS, || {
                // Each has memory of its own, near the core that touches it first.
                let buffer = buffer(share)?;
                Some([Pass::Read, Pass::Triad].map(|pass| memory_kernel(&buffer, share, pass)).into())
            }),
            (_, Err(reason)) => {
                warnings.push(Warning::new("tier_not_measured", format!("DRAM by all cores: {reason}")));
                return;
            }
        };
        unseen.extend(dram.all_cores.is_none().then_some("DRAM"));
    }
    if !unseen.is_empty() {
        let message = format!(
            "other programs kept the cores busy: they were never all free at once, so {} of all cores is not known; measure \
             again with `calor machine --fresh` when less runs",
            unseen.join(", ")
        );
        warnings.push(Warning::new("cores_busy", message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn plan(levels: [Option<u64>; 3], allowance: Option<u64>) -> Vec<(&'static str, Option<u64>)> {
        let last_of_all = levels.into_iter().flatten().max();
        let plan = Plan::new(&Caches { levels, last_of_all }, allowance);
        plan.tiers.into_iter().map(|(name, _, size)| (name, size.ok())).collect()
    }

    #[test]
    fn a_tier_is_measured_well_inside_its_cache_and_memory_far_outside_all() {
        let usual = plan([Some(32 << 10), Some(MIB), Some(32 * MIB)], Some(6_000 * MIB));
        let expected =
            [("L1", Some(16 << 10)), ("L2", Some(MIB / 2)), ("L3", Some(4 * MIB)), ("DRAM", Some(128 * MIB))];
        assert_eq!(usual, expected);
        let small_last = plan([Some(32 << 10), Some(2 * MIB), Some(4 * MIB)], None);
        assert_eq!(small_last[2..], [("L3", Some(2 * MIB)), ("DRAM", Some(64 * MIB))]);
    }

    #[test]
    fn unknown_caches_and_scarce_memory_are_no_figures() {
        let unknown = plan([None; 3], Some(6_000 * MIB));
        assert_eq!(unknown, [("L1", Some(SMALL)), ("L2", None), ("L3", None), ("DRAM", Some(LARGE))]);
        let scarce =
            Plan::new(&Caches { levels: [None, None, Some(32 * MIB)], last_of_all: None }, Some(50 * MIB));
        let (.., dram) = &scarce.tiers[3];
        assert!(dram.as_ref().is_err_and(|reason| reason.contains("50 MiB")), "{dram:?}");
    }

    #[test]
    fn widths_that_are_not_there_are_named() {
        let all = Peak { sse: Some(1.0), avx2: Some(2.0), avx512: Some(3.0), ..Peak::default() };
        assert!(missing_widths(&Peaks { f32: all, f64: all }).is_empty());
        let some = Peak { avx512: None, ..all };
        let found = missing_widths(&Peaks { f32: some, f64: some });
        assert!(found[0].message.contains("no avx512:"), "{found:?}");
    }
}
