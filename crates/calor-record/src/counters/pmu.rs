//! Whether the processor shows its counters here, and of how many kinds of cores.

use std::fs;
use std::sync::OnceLock;

use calor_host::CpuInfo;
use perf_event_open_sys::bindings;

use super::absence::Absence;
use super::catalogue::{Counter, CounterSource};
use super::event::{CountingEvent, Scope};
use crate::perf::Refusal;
use crate::process;

/// What the processor offers.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Pmu {
    /// The usual counters of the processor that can be counted here.
    pub offered: Vec<&'static str>,
    /// Whether what the kernel does can be counted too.
    pub sees_kernel: bool,
}

/// Tries the usual counters of the processor, on the calling thread.
///
/// # Errors
/// If none can be counted, why.
pub fn pmu() -> Result<Pmu, Absence> {
    let mut sees_kernel = true;
    let mut first_failure = None;
    let mut offered = Vec::new();
    let hardware = Counter::usual().into_iter().filter(|counter| counter.source() == CounterSource::Hardware);
    for counter in hardware {
        let Some(number) = counter.event else { continue };
        let attempt = |sees_kernel| CountingEvent::open(number, Scope { pid: 0, sees_kernel }, None);
        let mut opened = attempt(sees_kernel);
        if opened.as_ref().is_err_and(is_forbidden) {
            opened = attempt(false);
            sees_kernel &= opened.is_err();
        }
        match opened {
            Ok(_) => offered.extend(Counter::names().into_iter().find(|name| *name == counter.name())),
            Err(error) => first_failure = first_failure.or(Some(error)),
        }
    }
    match (offered.is_empty(), first_failure) {
        (true, Some(error)) => Err(why(&error, process::own_pid(), CounterSource::Hardware)),
        (true, None) => Err(Absence::NotOffered),
        (false, _) => Ok(Pmu { offered, sees_kernel }),
    }
}

/// Whether the kernel says that this user may not.
pub(super) fn is_forbidden(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM))
}

impl Absence {
    /// What an error of opening a counter means.
    pub(crate) fn of(error: &std::io::Error, pid: i32, source: CounterSource) -> Self {
        why(error, pid, source)
    }
}

/// What an error of opening a counter means.
pub(super) fn why(error: &std::io::Error, pid: i32, source: CounterSource) -> Absence {
    match error.raw_os_error() {
        // What a kernel says of an event that nothing here can count differs from one kind of processor to another.
        Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP | libc::EINVAL | libc::ENXIO)
            if source == CounterSource::Hardware =>
        {
            if is_there() {
                Absence::NotOffered
            } else {
                Absence::NoPmu { is_virtual: is_virtual() }
            }
        }
        _ => Absence::Refused(Refusal::of(error, pid)),
    }
}

/// Whether the kernel knows counters of the processor.
fn is_there() -> bool {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    *IS_THERE.get_or_init(|| {
        let of_cores = |name: &str| name == "cpu" || name.starts_with("cpu_") || name.starts_with("armv");
        let listed = fs::read_dir("/sys/bus/event_source/devices")
            .is_ok_and(|devices| devices.flatten().any(|one| one.file_name().to_str().is_some_and(of_cores)));
        listed || {
            // Containers may hide the list.
            let cycles = Counter::named("cycles").ok().and_then(|counter| counter.event);
            let scope = Scope { pid: 0, sees_kernel: false };
            cycles.is_some_and(|number| CountingEvent::open(number, scope, None).is_ok())
        }
    })
}

/// Whether the processor says that it is that of a virtual machine.
fn is_virtual() -> bool {
    CpuInfo::this().has("hypervisor")
        // Processors other than x86 do not say; the system's tables may.
        || fs::read_to_string("/sys/hypervisor/type").is_ok()
        || fs::read_to_string("/sys/class/dmi/id/sys_vendor").is_ok_and(|vendor| {
            ["QEMU", "Amazon EC2", "Google", "VMware", "Xen"].iter().any(|known| vendor.contains(known))
        })
}

/// The kinds of cores, by the numbers that the upper half of an event has to name them with; one 0 where all cores are
/// alike. Without the number, the kernel would count on cores of the first kind alone.
pub(super) fn kinds_of_cores() -> Vec<u64> {
    let of = |name: &str| -> Option<u64> {
        fs::read_to_string(format!("/sys/bus/event_source/devices/{name}/type")).ok()?.trim().parse().ok()
    };
    match (of("cpu_core"), of("cpu_atom")) {
        (Some(large), Some(small)) => vec![large, small],
        _ => vec![0],
    }
}

/// Whether an event's number has room for the kind of core.
pub(super) fn tells_cores(kind: u32) -> bool {
    kind == bindings::PERF_TYPE_HARDWARE || kind == bindings::PERF_TYPE_HW_CACHE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_either_offers_counters_or_says_why_not() {
        match pmu() {
            Ok(pmu) => assert!(!pmu.offered.is_empty()),
            Err(absence) => assert!(!absence.what().is_empty() && !absence.code().is_empty()),
        }
    }

    #[test]
    fn errors_of_the_kernel_have_their_meaning() {
        let of = |code, source| why(&std::io::Error::from_raw_os_error(code), process::own_pid(), source);
        let unknown = of(libc::ENOENT, CounterSource::Hardware);
        assert!(matches!(unknown, Absence::NotOffered | Absence::NoPmu { .. }), "{unknown:?}");
        assert_eq!(of(libc::ENOSYS, CounterSource::Hardware), Absence::Refused(Refusal::NotBuilt));
        assert_eq!(of(libc::ENOENT, CounterSource::Software), Absence::Refused(Refusal::Other(libc::ENOENT)));
    }
}
