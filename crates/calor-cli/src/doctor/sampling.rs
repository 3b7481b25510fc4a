//! What `calor record` can do here: tried, not guessed, and then explained by the settings that stand behind it.

use super::Check;

/// Bits of `CapEff`: `CAP_SYS_ADMIN` and `CAP_PERFMON` lift the limits below.
const FREEING: u64 = 1 << 21 | 1 << 38;

/// What sampling depends on; on other systems than Linux one line says that there is none.
pub(super) fn checks() -> Vec<Check> {
    let setting =
        |name: &str| std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok()?.trim().parse().ok();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let is_free = is_free(&status);
    let mut checks = vec![sampling()];
    checks.extend(off_cpu());
    checks.extend(setting("perf_event_paranoid").map(|level| paranoid(level, is_free)));
    checks.extend(setting("kptr_restrict").map(|level| restrict(level, is_free)));
    checks.extend(seccomp(&status));
    checks.extend(setting("yama/ptrace_scope").map(|level| attach(level, is_free)));
    if cfg!(target_os = "linux") {
        checks.push(debug_info());
    }
    checks
}

#[cfg(target_os = "linux")]
fn sampling() -> Check {
    match calor_record::probe() {
        Ok(ability) if ability.sees_kernel => {
            Check::ok("sampling", "`calor record` works, time inside the kernel included")
        }
        Ok(_) => Check::not_ok("sampling", "`calor record` works, but time inside the kernel is not seen")
            .fixed_by("sudo sysctl kernel.perf_event_paranoid=1"),
        Err(refusal) => Check::not_ok("sampling", refusal.what()).fixed_by(refusal.remedy()),
    }
}

#[cfg(not(target_os = "linux"))]
fn sampling() -> Check {
    Check::not_ok("sampling", "`calor record` needs Linux: other systems have no perf events")
        .fixed_by("record on Linux, a virtual machine included, and read the profile here")
}

#[cfg(target_os = "linux")]
fn off_cpu() -> Option<Check> {
    let name = "off_cpu";
    let ability = calor_record::probe().ok()?;
    Some(match ability.off_cpu {
        true => Check::ok(name, "`calor record --off-cpu` shows where threads wait"),
        false => Check::not_ok(name, "where threads wait cannot be recorded by this user")
            .fixed_by("sudo sysctl kernel.perf_event_paranoid=1"),
    })
}

#[cfg(not(target_os = "linux"))]
fn off_cpu() -> Option<Check> {
    None
}

/// Whether this process has a capability that lifts the limits.
fn is_free(status: &str) -> bool {
    field(status, "CapEff:")
        .and_then(|bits| u64::from_str_radix(bits, 16).ok())
        .is_some_and(|bits| bits & FREEING != 0)
}

fn field<'s>(status: &'s str, name: &str) -> Option<&'s str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

fn paranoid(level: i32, is_free: bool) -> Check {
    let name = "perf_event_paranoid";
    let allowed = match level {
        _ if is_free => "not a limit for this user",
        ..=1 => "code of programs and of the kernel may be sampled",
        2 => "code of programs may be sampled, code of the kernel not",
        _ => "nothing may be sampled",
    };
    let found = format!("{level}: {allowed}");
    match is_free || level <= 1 {
        true => Check::ok(name, found),
        false => Check::not_ok(name, found).fixed_by("sudo sysctl kernel.perf_event_paranoid=1"),
    }
}

fn restrict(level: i32, is_free: bool) -> Check {
    let name = "kptr_restrict";
    match level {
        0 => Check::ok(name, "0: functions of the kernel can be named"),
        1 if is_free => Check::ok(name, "1: not a limit for this user"),
        _ => Check::not_ok(name, format!("{level}: functions of the kernel cannot be named"))
            .fixed_by("sudo sysctl kernel.kptr_restrict=0"),
    }
}

/// A filter of system calls stands between this process and the kernel, as in containers. What it refuses is seen
/// by trying; this tells where to look.
fn seccomp(status: &str) -> Option<Check> {
    let found = match field(status, "Seccomp:")? {
        "0" => "no filter of system calls",
        _ => "system calls are filtered, as in containers; where sampling is refused, this is why",
    };
    Some(Check::ok("seccomp", found))
}

fn attach(level: i32, is_free: bool) -> Check {
    let name = "ptrace_scope";
    match level {
        0 => Check::ok(name, "0: deep stacks of running processes can be followed"),
        _ if is_free => Check::ok(name, format!("{level}: not a limit for this user")),
        1 => Check::ok(
            name,
            "1: deep stacks of programs started by `calor record` can be followed, others may be cut",
        ),
        _ => Check::not_ok(name, format!("{level}: stacks deeper than the kernel copies are cut"))
            .fixed_by("sudo sysctl kernel.yama.ptrace_scope=1"),
    }
}

/// Whether names inside the C library are to be had, as the one library that is in every stack.
fn debug_info() -> Check {
    match std::path::Path::new("/usr/lib/debug/.build-id").is_dir() {
        true => Check::ok("debug_info", "separate debug information is installed under /usr/lib/debug"),
        false => Check::not_ok(
            "debug_info",
            "no separate debug information: functions inside system libraries may lack names",
        )
        .fixed_by("sudo apt-get install libc6-dbg"),
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
        }
        let restricted =
            [(0, false), (1, false), (1, true), (2, true)].map(|(level, free)| restrict(level, free).ok);
        assert_eq!(restricted, [true, false, true, false]);
        let attached =
            [(0, false), (1, false), (2, false), (3, true)].map(|(level, free)| attach(level, free).ok);
        assert_eq!(attached, [true, true, false, true]);
    }

    #[test]
    fn capabilities_are_read_from_the_status_of_the_process() {
        assert!(is_free("Name:\tcalor\nCapEff:\t000001ffffffffff\n"));
        assert!(is_free("CapEff:\t0000004000000000\n"));
        assert!(!is_free("CapPrm:\t000001ffffffffff\nCapEff:\t0000000000000000\n"));
        assert!(!is_free(""));
    }

    #[test]
    fn a_filter_of_system_calls_is_told() {
        assert!(seccomp("Seccomp:\t2\n").is_some_and(|check| check.found.contains("containers")));
        assert!(seccomp("Seccomp:\t0\n").is_some_and(|check| check.found.starts_with("no filter")));
        assert!(seccomp("").is_none());
    }
}
