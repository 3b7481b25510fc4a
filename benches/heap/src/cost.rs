//! What one run of the program cost, as it says itself and as the kernel counts the tool and all that it started.

use harness::watched::child::Ended;
use harness::watched::truth;

/// The cost of a run, or the least of several.
#[derive(Debug, Default)]
pub(crate) struct Cost {
    /// CPU time of the measured part, all threads of the program together.
    pub(crate) part_cpu_s: f64,
    /// Wall time of the same.
    pub(crate) part_wall_s: f64,
    /// By how much resident memory has grown in it.
    pub(crate) grown_bytes: f64,
    /// The most resident memory of the program.
    pub(crate) peak_bytes: f64,
    /// CPU time of all processes from the first to the last moment.
    pub(crate) tree_cpu_s: f64,
    /// From the end of the program's work to that of the tool, by the wall clock.
    pub(crate) end_s: f64,
    /// What the program's work came to.
    pub(crate) check: f64,
}

impl Cost {
    /// Of a tool, or of the program alone.
    pub(crate) fn of(ended: &Ended) -> Result<Self, String> {
        let truth = truth(&ended.stdout)?;
        let said = |name: &str| truth.get(name).ok_or_else(|| format!("the program did not say '{name}'"));
        Ok(Self {
            part_cpu_s: said("part_cpu_s")?,
            part_wall_s: said("part_wall_s")?,
            grown_bytes: said("grown_bytes")?,
            peak_bytes: said("peak_bytes")?,
            tree_cpu_s: ended.cpu_s,
            end_s: (ended.at_nanos as f64 - said("end_ns")?) / 1e9,
            check: said("check")?,
        })
    }

    /// The less of each.
    pub(crate) fn least(&self, other: &Self) -> Self {
        Self {
            part_cpu_s: self.part_cpu_s.min(other.part_cpu_s),
            part_wall_s: self.part_wall_s.min(other.part_wall_s),
            grown_bytes: self.grown_bytes.min(other.grown_bytes),
            peak_bytes: self.peak_bytes.min(other.peak_bytes),
            tree_cpu_s: self.tree_cpu_s.min(other.tree_cpu_s),
            end_s: self.end_s.min(other.end_s),
            check: self.check,
        }
    }

    /// CPU before and after the measured part, and in other processes.
    pub(crate) fn outside_s(&self) -> f64 {
        self.tree_cpu_s - self.part_cpu_s
    }
}
