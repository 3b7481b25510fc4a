//! What the kernel allows a CPU sampler. Calor does not sample yet; what it will need is told already, because a
//! machine's administrator may have to be asked.

use super::Check;

const NOTE: &str = "for CPU sampling, which is not built yet";
/// Bits of `CapEff`: `CAP_SYS_ADMIN` and `CAP_PERFMON` lift the limits below.
const FREEING: u64 = 1 << 21 | 1 << 38;

/// None where the kernel is not Linux.
pub(super) fn checks() -> Vec<Check> {
    let setting =
        |name: &str| std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok()?.trim().parse().ok();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let is_free = is_free(&status);
    let paranoid = setting("perf_event_paranoid").map(|level| paranoid(level, is_free));
    let restrict = setting("kptr_restrict").map(|level| restrict(level, is_free));
    paranoid.into_iter().chain(restrict).collect()
}

/// Whether this process has a capability that lifts the limits.
fn is_free(status: &str) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let bits = line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    bits.is_some_and(|bits| bits & FREEING != 0)
}

fn paranoid(level: i32, is_free: bool) -> Check {
    let name = "perf_event_paranoid";
    let allowed = match level {
        _ if is_free => "not a limit for this user",
        ..=1 => "code of programs and of the kernel may be sampled",
        2 => "code of programs may be sampled, code of the kernel not",
        _ => "nothing may be sampled",
    };
    let found = format!("{level}: {allowed} ({NOTE})");
    match is_free || level <= 1 {
        true => Check::ok(name, found),
        false => Check::not_ok(name, found).fixed_by("sudo sysctl kernel.perf_event_paranoid=1"),
    }
}

fn restrict(level: i32, is_free: bool) -> Check {
    let name = "kptr_restrict";
    match level {
        0 => Check::ok(name, format!("0: functions of the kernel can be named ({NOTE})")),
        1 if is_free => Check::ok(name, format!("1: not a limit for this user ({NOTE})")),
        _ => Check::not_ok(name, format!("{level}: functions of the kernel cannot be named ({NOTE})"))
            .fixed_by("sudo sysctl kernel.kptr_restrict=0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_forbids_is_not_ok_unless_a_capability_lifts_it() {
        for (level, is_free, is_ok) in
            [(-1, false, true), (1, false, true), (2, false, false), (4, false, false), (4, true, true)]
        {
            let check = paranoid(level, is_free);
            assert_eq!(check.ok, is_ok, "{}", check.found);
            assert_eq!(check.fix.is_none(), is_ok, "{}", check.found);
            assert!(check.found.contains("not built yet"));
        }
        let restricted =
            [(0, false), (1, false), (1, true), (2, true)].map(|(level, free)| restrict(level, free).ok);
        assert_eq!(restricted, [true, false, true, false]);
    }

    #[test]
    fn capabilities_are_read_from_the_status_of_the_process() {
        assert!(is_free("Name:\tcalor\nCapEff:\t000001ffffffffff\n"));
        assert!(is_free("CapEff:\t0000004000000000\n"));
        assert!(!is_free("CapPrm:\t000001ffffffffff\nCapEff:\t0000000000000000\n"));
        assert!(!is_free(""));
    }
}
