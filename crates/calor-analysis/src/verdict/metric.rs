//! What is measured of a run, and the words for more and less of it.

use crate::quantity::{amount, bytes, duration};

/// What was measured. Of all of them, less is better.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Metric {
    /// Time on a processor, in the program and in the kernel for it.
    #[default]
    Cpu,
    /// Time on the wall.
    Wall,
    /// The most memory that was resident.
    Rss,
    /// Instructions.
    Instructions,
    /// Time that threads waited.
    OffCpu,
    /// Bytes allocated.
    Allocated,
    /// Time on a GPU.
    Gpu,
    /// Events of a counter.
    Events,
}

impl Metric {
    /// The short word used for it in options and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Wall => "wall",
            Self::Rss => "rss",
            Self::Instructions => "instructions",
            Self::OffCpu => "off_cpu",
            Self::Allocated => "allocated",
            Self::Gpu => "gpu",
            Self::Events => "events",
        }
    }

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU time",
            Self::Wall => "wall time",
            Self::Rss => "peak memory",
            Self::Instructions => "instructions",
            Self::OffCpu => "time off the CPU",
            Self::Allocated => "allocated bytes",
            Self::Gpu => "GPU time",
            Self::Events => "events",
        }
    }

    /// A figure with its unit.
    #[must_use]
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Rss | Self::Allocated => bytes(value.round().max(0.0) as u64),
            Self::Instructions | Self::Events => amount(value),
            Self::Cpu | Self::Wall | Self::OffCpu | Self::Gpu => duration(value),
        }
    }

    /// What one with more of it is: `slower` or `larger`; what one with less of it is.
    #[must_use]
    pub fn worse_and_better(self) -> (&'static str, &'static str) {
        match self {
            Self::Cpu | Self::Wall | Self::Gpu => ("slower", "faster"),
            Self::OffCpu => ("longer", "shorter"),
            Self::Rss | Self::Allocated | Self::Instructions | Self::Events => ("larger", "smaller"),
        }
    }
}
