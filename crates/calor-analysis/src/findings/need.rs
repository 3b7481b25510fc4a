//! What rules need to have been recorded, and the command that records it.

use calor_model::{HeapMode, Profile};

use super::Facts;
use super::facts::knows_waits;
use crate::{GROWTH_NANOS, GROWTH_SNAPSHOTS};

/// Shares of fewer samples are too uncertain to found advice on: the interval of 2 % reaches from 0.5 % to 7 %.
pub const FEWEST_SAMPLES: u64 = 100;

/// Something that a rule cannot do without.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Need {
    /// Samples of running threads, at least [`FEWEST_SAMPLES`].
    CpuSamples,
    /// Samples of waiting threads.
    Waits,
    /// Scopes with calls and times.
    Scopes,
    /// Operations on arrays, as the Python package records them.
    Operations,
    /// The heap, exact or sampled.
    Heap,
    /// The heap with every block.
    ExactHeap,
    /// Enough snapshots of the heap to see growth.
    HeapSnapshots,
    /// Python functions on sampled paths; a program without Python needs no such rule.
    Python,
    /// The machine code of hot functions.
    Code,
    /// Events of the processor or the kernel by function.
    Events,
    /// What ran on GPUs.
    Gpu,
    /// What the machine can reach: peak and bandwidth.
    Machine,
}

/// Whether a need is met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Met {
    /// It is.
    Yes,
    /// It cannot be, and need not: the program does nothing of the kind.
    Irrelevant,
    /// It is not.
    No { missing: String, how: String },
}

impl Need {
    /// The word used in files of rules.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::CpuSamples => "cpu",
            Self::Waits => "waits",
            Self::Scopes => "scopes",
            Self::Operations => "operations",
            Self::Heap => "heap",
            Self::ExactHeap => "exact heap",
            Self::HeapSnapshots => "heap snapshots",
            Self::Python => "python",
            Self::Code => "code",
            Self::Events => "events",
            Self::Gpu => "gpu",
            Self::Machine => "machine",
        }
    }

    /// All needs.
    pub const ALL: [Self; 12] = [
        Self::CpuSamples,
        Self::Waits,
        Self::Scopes,
        Self::Operations,
        Self::Heap,
        Self::ExactHeap,
        Self::HeapSnapshots,
        Self::Python,
        Self::Code,
        Self::Events,
        Self::Gpu,
        Self::Machine,
    ];

    pub(super) fn met(self, facts: &Facts<'_>) -> Met {
        let profile = facts.profile();
        let runs_no_python = || facts.cpu().samples >= FEWEST_SAMPLES && !profile.has_python();
        let has = |is_there: bool| if is_there { Met::Yes } else { self.unmet(None) };
        match self {
            Self::CpuSamples => match facts.cpu().samples {
                0 => self.unmet(None),
                few if few < FEWEST_SAMPLES => self.unmet(Some(format!(
                    "enough samples of running threads: {few}, and {FEWEST_SAMPLES} are needed: let it run longer, or take \
                     more of them with `--rate 4999`"
                ))),
                _ => Met::Yes,
            },
            Self::Waits => has(knows_waits(profile)),
            Self::Scopes => has(!profile.scopes.is_empty()),
            Self::Operations if facts.operations().is_empty() && runs_no_python() => Met::Irrelevant,
            Self::Operations => has(!facts.operations().is_empty()),
            Self::Heap => has(profile.heap.summary.is_some()),
            Self::ExactHeap => {
                has(profile.heap.summary.is_some_and(|summary| summary.mode == HeapMode::Exact))
            }
            Self::HeapSnapshots => has(facts.heap().is_some_and(|heap| heap.has_growth())),
            Self::Python if runs_no_python() => Met::Irrelevant,
            Self::Python => has(profile.has_python()),
            Self::Code => has(!profile.code.is_empty()),
            Self::Events => has(!profile.events.is_empty()),
            Self::Gpu if facts.cpu().samples >= FEWEST_SAMPLES && !loads_gpu(profile) => Met::Irrelevant,
            Self::Gpu => has(!profile.gpu.kernels.is_empty()),
            Self::Machine => has(facts.machine().is_some()),
        }
    }

    /// How to record it.
    #[must_use]
    pub fn how(self) -> &'static str {
        match self {
            Self::CpuSamples | Self::Code => "calor record -- PROGRAM",
            Self::Waits => "calor record --off-cpu -- PROGRAM",
            Self::Scopes => {
                "mark functions with #[calor::profile] or calor::scope! (in Python @calor.profile or with calor.scope), and \
                 run the program"
            }
            Self::Operations => {
                "python -m calor -o profile.calor PROGRAM.py, or call calor.enable_profiling() at the start of the program and \
                 calor.export('profile.calor') at its end"
            }
            Self::Heap | Self::ExactHeap | Self::HeapSnapshots => "calor record --heap -- PROGRAM",
            Self::Python => "calor record -- python PROGRAM.py",
            Self::Events => "calor record --counters -- PROGRAM",
            Self::Gpu => "export a trace with torch.profiler (export_chrome_trace), and give that file",
            Self::Machine => "calor machine",
        }
    }

    fn unmet(self, missing: Option<String>) -> Met {
        let what = match self {
            Self::CpuSamples => "samples of running threads",
            Self::Waits => "samples of waiting threads",
            Self::Scopes => "scopes",
            Self::Operations => "operations on arrays",
            Self::Heap => "the heap",
            Self::ExactHeap => "every block of the heap",
            Self::HeapSnapshots => "",
            Self::Python => "Python functions",
            Self::Code => "the code of hot functions",
            Self::Events => "events of the processor",
            Self::Gpu => "what ran on GPUs",
            Self::Machine => "what the machine can reach",
        };
        let of_growth = || {
            let seconds = GROWTH_NANOS / 1_000_000_000;
            format!("{GROWTH_SNAPSHOTS} snapshots of the heap of one run over {seconds} s or more")
        };
        let missing = missing.unwrap_or_else(|| match self {
            Self::HeapSnapshots => of_growth(),
            _ => what.to_owned(),
        });
        Met::No { missing, how: self.how().to_owned() }
    }
}

/// Beginnings of the names of libraries through which programs reach GPUs.
const GPU_LIBRARIES: [&str; 8] =
    ["libcuda", "libcudart", "libnv", "libtorch_cuda", "libamdhip", "libhsa", "libOpenCL", "libvulkan"];

/// Whether something sampled has to do with a GPU, or was recorded on one. Modules that are not known may.
fn loads_gpu(profile: &Profile) -> bool {
    let is_gpus = |module: &str| {
        let name = module.rsplit('/').next().unwrap_or(module);
        GPU_LIBRARIES.iter().any(|library| name.starts_with(library))
    };
    let mut modules = profile.frames.iter().filter_map(|(_, frame)| frame.module).peekable();
    !profile.gpu.kernels.is_empty()
        || !profile.gpu.copies.is_empty()
        || modules.peek().is_none()
        || modules.any(|module| is_gpus(profile.strings.get(module)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;
    use calor_model::Recorder;

    fn is_met(need: Need, draft: Draft) -> Option<bool> {
        let profile = draft.profile();
        match need.met(&Facts::new(&profile, None)) {
            Met::Yes => Some(true),
            Met::No { .. } => Some(false),
            Met::Irrelevant => None,
        }
    }

    #[test]
    fn waits_that_were_recorded_and_did_not_happen_are_known() {
        let draft = || Draft::new().seconds(1.0).cpu(&["app::main!app"], 200);
        assert_eq!(is_met(Need::Waits, draft()), Some(false));
        let asked = draft().change(|profile| profile.runs[0].recorders = [Recorder::OffCpu].into());
        assert_eq!(is_met(Need::Waits, asked), Some(true));
        assert_eq!(is_met(Need::Waits, draft().wait_on("main", &["read!libc.so.6"], 1, 9)), Some(true));
    }

    #[test]
    fn a_program_without_a_gpus_library_needs_nothing_of_gpus() {
        let draft = |library: &str, count| Draft::new().cpu(&["app::main!app", library], count);
        assert_eq!(is_met(Need::Gpu, draft("memcpy!libc.so.6", 200)), None);
        assert_eq!(is_met(Need::Gpu, draft("cuLaunch!/usr/lib/libcuda.so.1", 200)), Some(false));
        // Few samples may have missed it, and names alone do not tell.
        assert_eq!(is_met(Need::Gpu, draft("memcpy!libc.so.6", 20)), Some(false));
        assert_eq!(is_met(Need::Gpu, Draft::new().cpu(&["app::main"], 200)), Some(false));
    }
}
