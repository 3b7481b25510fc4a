//! Why a counter has no value. There are many reasons, and each has another remedy.

use crate::perf::Refusal;

/// What stood in the way of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Absence {
    /// The processor shows no counters at all, as virtual machines mostly do not.
    NoPmu {
        /// Whether this is a virtual machine.
        is_virtual: bool,
    },
    /// The processor has counters, but none for this.
    NotOffered,
    /// The kernel does not let this user count.
    Refused(Refusal),
    /// It happens inside the kernel, which this user may not see.
    KernelHidden,
    /// Other events had the processor's counters all the time, or the program was over before it was its turn.
    NeverCounted,
    /// So little memory that it cannot be told from what the process had before it became the program, in bytes.
    BelowStart(u64),
}

impl Absence {
    /// A word for scripts.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NoPmu { .. } => "pmu_missing",
            Self::NotOffered => "counter_not_offered",
            Self::Refused(_) => "counting_refused",
            Self::KernelHidden => "kernel_hidden",
            Self::NeverCounted => "never_counted",
            Self::BelowStart(_) => "below_start",
        }
    }

    /// The reason, as words to put behind "not available".
    #[must_use]
    pub fn what(self) -> String {
        match self {
            Self::NoPmu { is_virtual: true } => "on this machine (virtual machine without PMU)".to_owned(),
            Self::NoPmu { is_virtual: false } => {
                "on this machine (the processor shows no PMU, its counters)".to_owned()
            }
            Self::NotOffered => "on this processor, which does not count it".to_owned(),
            Self::Refused(refusal) => format!("to this user: {}", refusal.what()),
            Self::KernelHidden => {
                "to this user: it is counted inside the kernel, which kernel.perf_event_paranoid hides"
                    .to_owned()
            }
            Self::NeverCounted => {
                "in this run: it was over before these had a turn on the processor's counters".to_owned()
            }
            Self::BelowStart(bytes) => format!(
                "for so small a program: it held less than the {} KiB that the process had before it became the program",
                bytes.div_ceil(1024)
            ),
        }
    }

    /// What would change it, where something would.
    #[must_use]
    pub fn remedy(self) -> Option<&'static str> {
        match self {
            Self::NoPmu { .. } => Some("`calor stat --simulate` counts with valgrind instead"),
            Self::NotOffered | Self::BelowStart(_) => None,
            Self::Refused(refusal) => Some(refusal.remedy()),
            Self::KernelHidden => Some("run `sudo sysctl kernel.perf_event_paranoid=1`"),
            Self::NeverCounted => Some("count fewer with -e, or run it more often with -r"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_virtual_machine_is_told_from_a_refusal() {
        let of_machine = Absence::NoPmu { is_virtual: true };
        assert_eq!(of_machine.what(), "on this machine (virtual machine without PMU)");
        assert!(of_machine.remedy().is_some_and(|remedy| remedy.contains("--simulate")));
        let blocked = Absence::Refused(Refusal::Blocked);
        assert!(blocked.what().contains("container") && !blocked.what().contains("machine"));
        assert!(blocked.remedy().is_some_and(|remedy| remedy.contains("seccomp")));
    }
}
