//! What the system tells of a process that has ended, whatever the kernel allows otherwise: time, memory, faults and
//! switches of it and of the children it waited for.

use std::fs;
use std::time::Duration;

use calor_host::kibibytes;

use super::absence::Absence;
use super::reading::Amount;

/// How much more a process may have held before it became its program than was read of it: it touches some pages after that,
/// and kernels tell memory by counters that lag behind by some pages a processor. 570 KiB were seen.
const UNSEEN_BYTES: u64 = 1 << 20;

/// One figure of those that are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Figure {
    Elapsed,
    CpuTime,
    UserTime,
    SystemTime,
    PeakMemory,
    Faults,
    MinorFaults,
    MajorFaults,
    Switches,
}

/// All figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Usage {
    pub(super) elapsed: Duration,
    pub(super) user_nanos: u64,
    pub(super) system_nanos: u64,
    pub(super) peak_bytes: u64,
    pub(super) minor_faults: u64,
    pub(super) major_faults: u64,
    pub(super) switches: u64,
}

impl Usage {
    pub(super) fn new(elapsed: Duration, told: &libc::rusage) -> Self {
        let number = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
        let nanos = |time: libc::timeval| number(time.tv_sec) * 1_000_000_000 + number(time.tv_usec) * 1_000;
        Self {
            elapsed,
            user_nanos: nanos(told.ru_utime),
            system_nanos: nanos(told.ru_stime),
            peak_bytes: number(told.ru_maxrss) * 1024,
            minor_faults: number(told.ru_minflt),
            major_faults: number(told.ru_majflt),
            switches: number(told.ru_nvcsw) + number(told.ru_nivcsw),
        }
    }

    /// What a process has used up that still waits to become its program: its time, faults and switches are not the
    /// program's. `None` where the system does not tell.
    pub(super) fn of_held(pid: i32) -> Option<Self> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        // Not every kernel has it, and the time alone is no reason to do without the rest.
        let times = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap_or_default();
        Self::parse_held(&String::from_utf8_lossy(&stat), &status, &times)
    }

    fn parse_held(stat: &str, status: &str, times: &str) -> Option<Self> {
        // The name is in brackets and may hold anything; after it stand the state and the numbers.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let (minor_faults, major_faults) = (fields.nth(7)?.parse().ok()?, fields.nth(1)?.parse().ok()?);
        let field = |name: &str| -> Option<u64> {
            status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
        };
        Some(Self {
            // Which part of it was the system's is told in ticks, of which it has not used one.
            user_nanos: times.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0),
            peak_bytes: kibibytes(status, "VmHWM:")?,
            minor_faults,
            major_faults,
            switches: field("voluntary_ctxt_switches:")? + field("nonvoluntary_ctxt_switches:")?,
            ..Self::default()
        })
    }

    /// The same with no more time on processors than `most_nanos`. The kernel tells a short process's user and system
    /// time by the ticks that met it, so that what is too much is taken off both in proportion.
    pub(super) fn within(mut self, most_nanos: u64) -> Self {
        let all = self.cpu_nanos();
        if all > most_nanos {
            let user = u128::from(self.user_nanos) * u128::from(most_nanos) / u128::from(all);
            self.user_nanos = u64::try_from(user).unwrap_or(most_nanos);
            self.system_nanos = most_nanos - self.user_nanos;
        }
        self
    }

    /// All time on processors.
    pub(super) fn cpu_nanos(&self) -> u64 {
        self.user_nanos.saturating_add(self.system_nanos)
    }

    /// A figure of the program alone.
    pub(super) fn figure(&self, figure: Figure, before: &Self) -> Result<Amount, Absence> {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Ok(Amount::whole(match figure {
            Figure::Elapsed => nanos(self.elapsed),
            Figure::CpuTime => self.cpu_nanos(),
            Figure::UserTime => self.user_nanos,
            Figure::SystemTime => self.system_nanos,
            // The peak of what the process was before is kept over its change into the program.
            Figure::PeakMemory if self.peak_bytes <= before.peak_bytes + UNSEEN_BYTES => {
                return Err(Absence::BelowStart(before.peak_bytes + UNSEEN_BYTES));
            }
            Figure::PeakMemory => self.peak_bytes,
            Figure::Faults => (self.minor_faults + self.major_faults)
                .saturating_sub(before.minor_faults + before.major_faults),
            Figure::MinorFaults => self.minor_faults.saturating_sub(before.minor_faults),
            Figure::MajorFaults => self.major_faults.saturating_sub(before.major_faults),
            Figure::Switches => self.switches.saturating_sub(before.switches),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "77 (a b) c) S 1 77 77 0 -1 4194304 120 0 3 0 1 2 0 0 20 0 1 0 99 1000 200";
    const STATUS: &str = "Name:\ta\nVmHWM:\t    2048 kB\nvoluntary_ctxt_switches:\t5\n\
                          nonvoluntary_ctxt_switches:\t2\n";

    #[test]
    fn what_was_used_before_the_program_is_not_the_programs() {
        let before = Usage::parse_held(STAT, STATUS, "700000 12 3\n").expect("it is whole");
        let expected = Usage {
            user_nanos: 700_000,
            peak_bytes: 2 << 20,
            minor_faults: 120,
            major_faults: 3,
            switches: 7,
            ..Usage::default()
        };
        assert_eq!(before, expected);
        let after = Usage { minor_faults: 150, major_faults: 4, switches: 6, ..before };
        let of = |figure| after.figure(figure, &before).map(|amount| amount.value);
        assert_eq!((of(Figure::Faults), of(Figure::MinorFaults)), (Ok(31), Ok(30)));
        assert_eq!((of(Figure::MajorFaults), of(Figure::Switches)), (Ok(1), Ok(0)));
        assert_eq!(of(Figure::PeakMemory), Err(Absence::BelowStart(3 << 20)));
        let more = |peak_bytes| Usage { peak_bytes, ..before }.figure(Figure::PeakMemory, &before);
        assert!(more(3 << 20).is_err() && more(4 << 20).is_ok_and(|amount| amount.value == 4 << 20));
    }

    #[test]
    fn what_cannot_be_read_is_nothing() {
        for (stat, status) in [("", STATUS), (STAT, ""), ("77 (a) S 1", STATUS)] {
            assert_eq!(Usage::parse_held(stat, status, ""), None);
        }
        assert_eq!(Usage::parse_held(STAT, STATUS, "").map(|usage| usage.cpu_nanos()), Some(0));
    }

    #[test]
    fn time_that_is_not_the_programs_is_taken_off_both_parts() {
        let usage = Usage { user_nanos: 900, system_nanos: 300, ..Usage::default() };
        let times = |usage: Usage| (usage.user_nanos, usage.system_nanos);
        assert_eq!(times(usage.within(800)), (600, 200));
        assert_eq!(times(usage.within(1_200)), (900, 300));
        assert_eq!(times(usage.within(u64::MAX)), (900, 300));
        assert_eq!(times(usage.within(0)), (0, 0));
    }
}
