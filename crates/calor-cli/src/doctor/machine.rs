//! The machine: system, processor, memory, clock, and what a scope costs on it.

use calor_analysis::quantity::{bytes, count};
use calor_host::CpuInfo;
use calor_model::Host;

use super::Check;

pub(super) fn checks() -> Vec<Check> {
    // A recording of nothing tells what the recorder knows of the machine, and its measured cost.
    calor::enable();
    let profile = calor::snapshot();
    calor::disable();
    let run = profile.runs.first();
    let host = run.map(|run| run.host.clone()).unwrap_or_default();
    let is_steady = profile.warnings.iter().all(|warning| warning.code != "clock_unsteady");
    vec![
        Check::ok("calor", env!("CARGO_PKG_VERSION")),
        Check::ok("system", system(&host)),
        Check::ok("cpu", cpu(&host)),
        memory(&host),
        clock(is_steady),
        scope_cost(run.and_then(|run| run.cost.per_scope_picos)),
    ]
}

fn system(host: &Host) -> String {
    let words = [host.os.as_str(), &host.kernel, &host.arch];
    let known: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    if known.is_empty() { std::env::consts::OS.to_owned() } else { known.join(" ") }
}

fn cpu(host: &Host) -> String {
    let name = if host.cpu.is_empty() { "of unknown name" } else { &host.cpu };
    match host.cores {
        Some(1) => format!("{name}, 1 core"),
        Some(cores) => format!("{name}, {} cores", count(cores.into())),
        None => name.to_owned(),
    }
}

fn memory(host: &Host) -> Check {
    let Some(all) = host.memory_bytes else {
        return Check::not_ok("memory", "this system does not say how much memory there is");
    };
    let found = match calor_host::memory().available_bytes {
        Some(available) => format!("{}, {} available", bytes(all), bytes(available)),
        None => bytes(all),
    };
    Check::ok("memory", found)
}

/// Scopes are timed by the processor's counter, which has to run at the same rate whatever the processor does.
fn clock(is_steady: bool) -> Check {
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let source =
        source.map_or_else(|_| String::new(), |name| format!("; the system's clock is {}", name.trim()));
    let flags = tsc_flags(&CpuInfo::this());
    match is_steady {
        true => Check::ok("clock", format!("the processor's counter has a constant rate{flags}{source}")),
        false => Check::not_ok(
            "clock",
            format!(
                "the processor does not promise a counter of constant rate{flags}, so times may be off; no \
                 command mends that, another machine does{source}"
            ),
        ),
    }
}

/// What the kernel says of the counter, in parentheses; nothing where it is not that of an x86 processor.
fn tsc_flags(cpu: &CpuInfo) -> String {
    if !cpu.has_flags() {
        return String::new();
    }
    let said = ["constant_tsc", "nonstop_tsc"]
        .map(|flag| if cpu.has(flag) { flag.to_owned() } else { format!("no {flag}") });
    format!(" ({})", said.join(", "))
}

fn scope_cost(per_scope_picos: Option<u64>) -> Check {
    match per_scope_picos.filter(|picos| *picos > 0) {
        Some(picos) => {
            let build = if cfg!(debug_assertions) { ", in this build without optimisation" } else { "" };
            let nanos = picos as f64 / 1000.0;
            Check::ok("scope_cost", format!("{nanos:.1} ns for an empty scope, measured now{build}"))
        }
        None => Check::not_ok("scope_cost", "could not be measured just now").fixed_by("calor doctor"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_of_the_counter_are_whole_words() {
        let flags = "processor : 0\nflags\t\t: fpu constant_tsc nonstop_tsc_s3\n";
        assert_eq!(tsc_flags(&CpuInfo::parse(flags)), " (constant_tsc, no nonstop_tsc)");
        assert_eq!(tsc_flags(&CpuInfo::parse("Features : fp asimd\n")), "");
    }

    #[test]
    fn a_counter_that_may_change_its_rate_is_not_ok() {
        assert!(clock(true).ok && !clock(false).ok);
        assert!(!scope_cost(Some(0)).ok && scope_cost(Some(21_500)).found.starts_with("21.5 ns"));
    }
}
