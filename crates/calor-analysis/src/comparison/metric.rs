//! What of the runs is compared. A profile may hold several numbers for each function, and two profiles need not hold the
//! same ones.

use std::fmt;
use std::str::FromStr;

use calor_model::{Profile, SampleKind};

use crate::quantity::{amount, bytes, count, duration};
use crate::{Metric, Quantity};

/// One of the numbers that runs can be compared by.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CompareMetric {
    /// Time in scopes, with their calls.
    Scopes,
    /// Time on a CPU, by samples.
    Cpu,
    /// Time on the wall, by samples: where it was not sampled itself, time on a CPU and time waited.
    Wall,
    /// Time waited, by samples.
    OffCpu,
    /// Time of kernels on GPUs, with their launches.
    Gpu,
    /// Bytes allocated, with the number of allocations.
    Allocated,
    /// Events of the counter of this name.
    Events(String),
}

/// What a number is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparedUnit {
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
    /// Events of a counter.
    Events,
    /// Things that are counted.
    Count,
}

impl CompareMetric {
    /// The words for those that have no name of their own; any other word is a counter's.
    pub const WORDS: [&'static str; 6] = ["scopes", "cpu", "wall", "off_cpu", "gpu", "allocated"];

    /// All that a profile can be compared by; without another being asked for, the first is taken.
    #[must_use]
    pub fn of_profile(profile: &Profile) -> Vec<Self> {
        let has = |kind: SampleKind| profile.samples.iter().any(|(key, _)| key.kind == kind);
        let fixed = [
            (!profile.scopes.is_empty(), Self::Scopes),
            (has(SampleKind::Cpu), Self::Cpu),
            (has(SampleKind::Wall) || (has(SampleKind::Cpu) && has(SampleKind::OffCpu)), Self::Wall),
            (has(SampleKind::OffCpu), Self::OffCpu),
            (!profile.gpu.kernels.is_empty(), Self::Gpu),
            (!profile.heap.is_empty(), Self::Allocated),
        ];
        let fixed = fixed.into_iter().filter(|(is_there, _)| *is_there).map(|(_, metric)| metric);
        let counters = profile.events.names().into_iter();
        fixed.chain(counters.map(|name| Self::Events(profile.strings.get(name).to_owned()))).collect()
    }

    /// The word for it on a command line and in files.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Scopes => "scopes",
            Self::Cpu => "cpu",
            Self::Wall => "wall",
            Self::OffCpu => "off_cpu",
            Self::Gpu => "gpu",
            Self::Allocated => "allocated",
            Self::Events(name) => name,
        }
    }

    /// What people call the sum over all functions.
    #[must_use]
    pub fn total_name(&self) -> String {
        match self {
            Self::Scopes => "time in scopes".to_owned(),
            Self::Cpu => "CPU time, by samples".to_owned(),
            Self::Wall => "wall time, by samples".to_owned(),
            Self::OffCpu => "time waited".to_owned(),
            Self::Gpu => "time of GPU kernels".to_owned(),
            Self::Allocated => "bytes allocated".to_owned(),
            Self::Events(name) => name.clone(),
        }
    }

    /// What its rows are.
    #[must_use]
    pub fn subject(&self) -> &'static str {
        match self {
            Self::Scopes => "scope",
            Self::Gpu => "kernel",
            _ => "function",
        }
    }

    pub(super) fn quantity(&self) -> Quantity<'_> {
        match self {
            Self::Scopes => Quantity::Scopes,
            Self::Cpu => Quantity::Samples(SampleKind::Cpu),
            Self::Wall => Quantity::Samples(SampleKind::Wall),
            Self::OffCpu => Quantity::Samples(SampleKind::OffCpu),
            Self::Gpu => Quantity::Kernels,
            Self::Allocated => Quantity::Allocated,
            Self::Events(name) => Quantity::Events(name),
        }
    }

    /// The kind of samples that it is from.
    pub(super) fn sample_kind(&self) -> Option<SampleKind> {
        match self.quantity() {
            Quantity::Samples(kind) => Some(kind),
            _ => None,
        }
    }

    pub(super) fn metric(&self) -> Metric {
        match self {
            Self::Scopes | Self::Wall => Metric::Wall,
            Self::Cpu => Metric::Cpu,
            Self::OffCpu => Metric::OffCpu,
            Self::Gpu => Metric::Gpu,
            Self::Allocated => Metric::Allocated,
            Self::Events(_) => Metric::Events,
        }
    }

    /// What it is counted in.
    #[must_use]
    pub fn unit(&self) -> ComparedUnit {
        match self {
            Self::Allocated => ComparedUnit::Bytes,
            Self::Events(_) => ComparedUnit::Events,
            _ => ComparedUnit::Nanos,
        }
    }
}

impl fmt::Display for CompareMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Never fails: what is none of the words is the name of a counter, and whether there is one the profiles know.
impl FromStr for CompareMetric {
    type Err = std::convert::Infallible;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Ok(match word {
            "scopes" => Self::Scopes,
            "cpu" => Self::Cpu,
            "wall" => Self::Wall,
            "off_cpu" | "off-cpu" => Self::OffCpu,
            "gpu" => Self::Gpu,
            "allocated" | "heap" => Self::Allocated,
            name => Self::Events(name.to_owned()),
        })
    }
}

impl ComparedUnit {
    /// The word for it in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Nanos => "ns",
            Self::Bytes => "bytes",
            Self::Events => "events",
            Self::Count => "count",
        }
    }

    /// A figure with its unit.
    #[must_use]
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Nanos => duration(value.round()),
            Self::Bytes => bytes(value.round().max(0.0) as u64),
            Self::Events => amount(value.round()),
            Self::Count => count(value.round().max(0.0) as u64),
        }
    }

    /// A difference with its sign.
    #[must_use]
    pub fn signed(self, value: f64) -> String {
        let size = self.text(value.abs());
        match value.round() {
            0.0 => size,
            more if more > 0.0 => format!("+{size}"),
            _ => format!("-{size}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written_and_others_are_counters() {
        for word in CompareMetric::WORDS.into_iter().chain(["page-faults"]) {
            assert_eq!(word.parse::<CompareMetric>().unwrap().word(), word);
        }
        assert_eq!("heap".parse(), Ok(CompareMetric::Allocated));
        assert_eq!("cycles".parse(), Ok(CompareMetric::Events("cycles".to_owned())));
    }

    #[test]
    fn differences_have_a_sign_and_nothing_has_none() {
        assert_eq!(ComparedUnit::Nanos.signed(1_500.0), "+1.50 µs");
        assert_eq!(ComparedUnit::Bytes.signed(-2048.0), "-2.00 KiB");
        assert_eq!(ComparedUnit::Events.signed(0.2), "0");
    }
}
