//! The whole measurement: which kernels, on how much memory, for how long.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use calor_host::Caches;
use calor_model::Warning;

use crate::buffer::Buffer;
use crate::burst::{Contestant, Rate, contest};
use crate::clock::wall_nanos;
use crate::kernel::{Arithmetic, From, Kernel, Memory, Number, Pass, can_flush};
use crate::plan::Plan;
use crate::{Machine, Peak, Peaks, Processor, Tier, Width, noise, together};

/// The least change, as a part, that pairs of times find four times in five; `None` for too few.
pub type SmallestDetectable = fn(first: &[f64], second: &[f64]) -> Option<f64>;

/// Parts of the measurement of one core, and time on the wall for each; and for each kernel of all cores.
const PARTS: u32 = 4;
const PART_NANOS: u64 = 60_000_000;
const TOGETHER_NANOS: u64 = 30_000_000;

/// A cache of more than this is passed over in slices of it.
const SLICE: u64 = 1 << 20;
/// Slices of main memory, of which each is timed by itself.
const COLD_SLICE: u64 = 192 << 10;

/// What a measurement may take: a quarter of what this process may still take.
fn allowance() -> Option<u64> {
    calor_host::room().map(|room| room.bytes / 4)
}

/// Measures this machine, in about half a second.
#[must_use]
pub fn measure(smallest_detectable: SmallestDetectable) -> Machine {
    let from = wall_nanos();
    let processor = Processor::this();
    let mut warnings = Vec::new();
    let cores = processor.cores.max(1).into();
    let plan = Plan::new(&Caches::of_this_machine(), allowance(), cores, can_flush());
    let mut alone = Alone::new(&plan, &mut warnings);
    // The rest lies between the parts: the further apart bursts are, the likelier one of them is undisturbed.
    let mut noise = None;
    for part in 0..PARTS {
        if part == PARTS / 2 {
            noise = Some(noise::measure(smallest_detectable));
        }
        contest(&mut alone.contestants, PART_NANOS);
    }
    let (mut peaks, mut tiers) = alone.found(&mut warnings);
    all_cores(&plan, &processor, &mut peaks, &mut tiers, &mut warnings);
    if let Some(dram) = tiers.last_mut() {
        dram.bytes = processor.memory_bytes;
    }
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut machine = Machine {
        id: processor.fingerprint(),
        processor,
        peaks,
        tiers,
        noise: noise.unwrap_or_default(),
        measured_at_unix_nanos: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX),
        took_nanos: wall_nanos() - from,
        warnings,
    };
    let said = disturbance(&machine.disturbed());
    machine.warnings.extend(said);
    machine
}

fn disturbance(disturbed: &[&str]) -> Option<Warning> {
    let message = format!(
        "others disturbed the measurement of {}: its parts differ by more than 5 %, so there may be more than was found; \
         measure again with `calor machine --fresh` when less runs",
        disturbed.join(", ")
    );
    (!disturbed.is_empty()).then(|| Warning::new("disturbed", message))
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
                let (buffer, size) = (buffer.as_ref()?, *size.as_ref().ok()?);
                let kernel = match *name {
                    "DRAM" => main_memory(buffer, pass, size, plan.can_flush),
                    _ => cache(buffer, pass, size),
                };
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
                interval: None,
            };
            tiers.push((tier, of_tier));
        }
        Self { contestants, arithmetic, tiers }
    }

    /// What they have reached; their memory is given back.
    fn found(self, warnings: &mut Vec<Warning>) -> (Peaks, Vec<Tier>) {
        let mut peaks = Peaks::default();
        for ((number, width), contestant) in self.arithmetic.iter().zip(&self.contestants) {
            let (peak, rate) = (peak_of(&mut peaks, *number), contestant.rate());
            peak.set(*width, rate.map(|rate| rate.best));
            if peak.best().map(|(best, _)| best) == Some(*width) {
                peak.interval = rate.map(interval);
            }
        }
        warnings.extend(missing_widths(&peaks));
        let rate = |at: Option<usize>| self.contestants[at?].rate();
        let tiers = self.tiers.iter().map(|(tier, [read, triad])| {
            let rates = [rate(*read), rate(*triad)];
            let [read, triad] = rates.map(|rate| rate.map(|rate| rate.best));
            let better = rates.into_iter().flatten().max_by(|a, b| a.best.total_cmp(&b.best));
            Tier { read, triad, interval: better.map(interval), ..tier.clone() }
        });
        (peaks, tiers.collect())
    }
}

fn interval(rate: Rate) -> [f64; 2] {
    [rate.least, rate.best]
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

/// Passes over the first so many bytes of a buffer that has them, and that a cache holds.
fn cache(buffer: &Arc<Mutex<Buffer>>, pass: Pass, bytes: u64) -> Box<dyn Kernel> {
    Box::new(Memory::new(buffer, pass, From::Cache, 0..bytes as usize, SLICE as usize))
}

/// Passes over the first so many bytes of a buffer that has them, and that no cache holds. Where caches cannot be told to forget,
/// each pass has a half to itself, so that none finds in a cache what the other left there.
fn main_memory(buffer: &Arc<Mutex<Buffer>>, pass: Pass, bytes: u64, can_flush: bool) -> Box<dyn Kernel> {
    let half = (bytes / 2).next_multiple_of(SLICE) as usize;
    let (from, range) = match (can_flush, pass) {
        (true, _) => (From::Flushed, 0..bytes as usize),
        (false, Pass::Read) => (From::Beyond, 0..half),
        (false, Pass::Triad) => (From::Beyond, half..bytes as usize),
    };
    Box::new(Memory::new(buffer, pass, from, range, COLD_SLICE as usize))
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
        dram.all_cores = match (n_cores, plan.of_each.clone()) {
            (1, _) => dram.best(),
            (_, Ok(share)) => together::rate(n_cores, TOGETHER_NANOS, || {
                // Each has memory of its own, near the core that touches it first.
                let buffer = buffer(share)?;
                Some(
                    [Pass::Read, Pass::Triad]
                        .map(|pass| main_memory(&buffer, pass, share, plan.can_flush))
                        .into(),
                )
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

    #[test]
    fn widths_that_are_not_there_are_named() {
        let all = Peak { sse: Some(1.0), avx2: Some(2.0), avx512: Some(3.0), ..Peak::default() };
        assert!(missing_widths(&Peaks { f32: all, f64: all }).is_empty());
        let some = Peak { avx512: None, ..all };
        let found = missing_widths(&Peaks { f32: some, f64: some });
        assert!(found[0].message.contains("no avx512:"), "{found:?}");
    }
}
