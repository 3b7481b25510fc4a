//! What GPUs did, as several rules look at it: how busy a device was while it was in use, and what the host spent on it.
//!
//! Recorders tell, beside kernels and copies, how busy each device is over time: the series `gpu 0 utilisation` in `%`, one for
//! each device by its number. Calls of the host to the driver are scopes with the label `gpu`: `launch`, `copy`, `sync` or
//! `other`; their scope is the call (`cudaLaunchKernel`) and its parent the line that made it. Traces of other tools have the
//! calls without the label: what they are for is told by their names.

use calor_model::{CopyKind, CounterPoint, FrameKind, ScopeKey, StackId};

use super::{Facts, Place, Share};

/// The label that makes a scope a call to a driver.
const LABEL: &str = "gpu";

/// How busy a device was while it was in use: from the first moment at which it did something to the last.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct DeviceUse {
    /// The device.
    pub device: u32,
    /// How long it was in use, by the clock.
    pub nanos: u64,
    /// The part of that in which it ran something.
    pub busy: f64,
    /// How often it was looked at.
    pub n_looks: usize,
}

/// How busy the devices were; those that were never looked at are missing.
pub(super) fn uses(facts: &Facts<'_>) -> Vec<DeviceUse> {
    let profile = facts.profile();
    let used = |&device: &u32| {
        let name = profile.strings.find(&format!("gpu {device} utilisation"))?;
        let series = profile.counters.iter().find(|(key, _)| key.name == name && key.thread.is_none());
        let points: &[CounterPoint] = series?.1;
        let first = points.iter().position(|point| point.value > 0.0)?;
        let last = points.iter().rposition(|point| point.value > 0.0)?;
        let inside = &points[first..=last];
        let mean = inside.iter().map(|point| point.value / 100.0).sum::<f64>() / inside.len() as f64;
        let nanos = inside[inside.len() - 1].at_nanos.saturating_sub(inside[0].at_nanos);
        Some(DeviceUse { device, nanos, busy: mean.clamp(0.0, 1.0), n_looks: inside.len() })
    };
    devices(facts).iter().filter_map(used).collect()
}

/// The numbers of devices that ran something.
fn devices(facts: &Facts<'_>) -> Vec<u32> {
    let gpu = &facts.profile().gpu;
    let mut devices: Vec<u32> = gpu.kernels.keys().map(|key| key.device).collect();
    devices.extend(gpu.copies.keys().map(|key| key.device));
    devices.sort_unstable();
    devices.dedup();
    devices
}

/// Time in which kernels ran on devices, added up.
pub(super) fn kernel_nanos(facts: &Facts<'_>) -> u64 {
    facts.profile().gpu.kernels.values().map(|durations| durations.total_nanos).sum()
}

/// The part of the whole that calls of the host to the driver of one kind took, and how many there were; `None` where such calls
/// were not recorded.
pub(super) fn host_calls(facts: &Facts<'_>, kind: &str, line: Option<StackId>) -> Option<(Share, u64)> {
    let profile = facts.profile();
    let name = profile.strings.find(LABEL);
    let is_kind = |key: &ScopeKey| {
        let mut labels = profile.labels.get(key.labels).iter();
        match labels.find(|(label, _)| Some(*label) == name) {
            Some((_, value)) => profile.strings.get(*value) == kind,
            // Traces of others have the call and no label.
            None => kind_of_call(facts.name(key.stack)) == Some(kind),
        }
    };
    let is_of_line = |stack: StackId| line.is_none_or(|line| site(facts, Some(stack)) == Some(line));
    let rows = profile.scopes.iter().filter(|(key, _)| is_kind(key) && is_of_line(key.stack));
    let (nanos, calls) = rows
        .fold((0, 0), |sum: (u64, u64), (_, stats)| (sum.0 + stats.inclusive_nanos(), sum.1 + stats.calls));
    (calls > 0).then(|| (facts.whole().clock_share(nanos as f64), calls))
}

/// The line of the program behind a path that launched something.
pub(super) fn site(facts: &Facts<'_>, launched_from: Option<StackId>) -> Option<StackId> {
    let stack = launched_from?;
    let profile = facts.profile();
    // The call to the driver itself is a scope, and its line the function around it.
    let is_call = matches!(facts.kind(stack), FrameKind::Scope | FrameKind::Native)
        && is_driver_call(facts.name(stack));
    let stack = if is_call { profile.stacks.get(stack).parent.unwrap_or(stack) } else { stack };
    facts.program_site(stack)
}

/// Whether a name is that of a function of CUDA or HIP: `cudaMemcpy`, `cuLaunchKernel`, `hipFree`.
fn is_driver_call(name: &str) -> bool {
    let rest = ["cuda", "cu", "hip"].iter().find_map(|library| name.strip_prefix(library));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// What a call to the driver is for, by its name: `launch`, `copy`, `sync` or `other`; `None` for what is none.
fn kind_of_call(name: &str) -> Option<&'static str> {
    let has = |part| name.contains(part);
    is_driver_call(name).then(|| match () {
        () if has("Launch") => "launch",
        () if has("Synchronize") => "sync",
        () if has("Memcpy") || has("Memset") => "copy",
        () => "other",
    })
}

/// Where something was launched; the whole program where nobody knows.
pub(super) fn place(facts: &Facts<'_>, site: Option<StackId>) -> Place {
    site.map_or_else(Place::whole_program, |site| facts.place(site))
}

/// Whether a copy goes between host and device.
pub(super) fn is_transfer(kind: CopyKind) -> bool {
    matches!(kind, CopyKind::HostToDevice | CopyKind::DeviceToHost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    #[test]
    fn a_device_is_in_use_from_its_first_work_to_its_last() {
        let values = [0.0, 0.0, 80.0, 0.0, 40.0, 0.0].into_iter();
        let profile = Draft::new().kernel("gemm", 1, 1).series("gpu 0 utilisation", "%", values).profile();
        let [used] = uses(&Facts::new(&profile, None))[..] else { panic!("one device") };
        assert_eq!((used.device, used.nanos, used.n_looks), (0, 200_000_000, 3));
        assert!((used.busy - 0.4).abs() < 1e-9, "{used:?}");
        let other =
            Draft::new().kernel("gemm", 1, 1).series("gpu 1 utilisation", "%", [9.0].into_iter()).profile();
        assert!(uses(&Facts::new(&other, None)).is_empty());
    }

    #[test]
    fn calls_of_other_tools_are_told_by_their_names() {
        for (name, kind) in [
            ("cudaLaunchKernelExC", Some("launch")),
            ("cuLaunchKernel", Some("launch")),
            ("cudaStreamSynchronize", Some("sync")),
            ("hipMemcpyAsync", Some("copy")),
            ("cudaMalloc", Some("other")),
            ("current_launch", None),
        ] {
            assert_eq!(kind_of_call(name), kind, "{name}");
        }
    }

    #[test]
    fn what_a_driver_was_asked_for_belongs_to_the_line_that_asked() {
        let mut draft = Draft::new();
        for call in ["cudaMemcpyAsync", "cuLaunchKernel", "hipFree"] {
            let stack = draft.path(&["py:train@train.py:12", call], FrameKind::Scope);
            draft = draft.change(|profile| {
                let facts = Facts::new(profile, None);
                assert_eq!(site(&facts, Some(stack)).map(|site| facts.name(site)), Some("train"), "{call}");
            });
        }
        let step = draft.path(&["py:train@train.py:12", "cut"], FrameKind::Scope);
        let profile = draft.profile();
        let facts = Facts::new(&profile, None);
        assert_eq!(site(&facts, Some(step)).map(|site| facts.name(site)), Some("cut"));
        assert_eq!(site(&facts, None), None);
    }
}
