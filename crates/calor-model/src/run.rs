//! Which run of which program on which machine a profile is of, and what recording it cost.

use std::collections::{BTreeMap, BTreeSet};

use crate::Canary;

/// Tells runs apart. Parts of one recording carry the same id and merge into one run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct RunId(pub u128);

/// What recorded into the profile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Recorder {
    /// Scopes of the SDK.
    Scopes,
    /// CPU samples.
    Cpu,
    /// Samples of waiting threads.
    OffCpu,
    /// Allocations.
    Heap,
    /// GPU kernels and copies.
    Gpu,
    /// Counters.
    Counters,
}

impl Recorder {
    /// The word used in reports and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Scopes => "scopes",
            Self::Cpu => "cpu",
            Self::OffCpu => "off_cpu",
            Self::Heap => "heap",
            Self::Gpu => "gpu",
            Self::Counters => "counters",
        }
    }
}

/// The machine; what is not known is empty or `None`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Host {
    /// The machine's name.
    pub name: String,
    /// The operating system, such as `linux`.
    pub os: String,
    /// Its kernel's version.
    pub kernel: String,
    /// The architecture, such as `x86_64`.
    pub arch: String,
    /// The processor's name.
    pub cpu: String,
    /// What the processor can do beyond the least of its architecture, such as `avx2`, as the kernel names it; empty
    /// when not known.
    pub cpu_features: BTreeSet<String>,
    /// Cores that the program could use.
    pub cores: Option<u32>,
    /// Main memory.
    pub memory_bytes: Option<u64>,
}

/// One run of one program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// Tells it from other runs.
    pub id: RunId,
    /// The command line, when known.
    pub command: Option<String>,
    /// When it started, in nanoseconds since 1970 (UTC).
    pub started_at_unix_nanos: u64,
    /// How long was recorded.
    pub duration_nanos: u64,
    /// CPU time of the program meanwhile; `None` when not measured.
    pub cpu_nanos: Option<u64>,
    /// The machine.
    pub host: Host,
    /// The commit of the program, when known.
    pub commit: Option<String>,
    /// Labels of the whole run.
    pub labels: BTreeMap<String, String>,
    /// What recorded.
    pub recorders: BTreeSet<Recorder>,
    /// What recording cost.
    pub cost: Cost,
    /// How fast the machine was meanwhile.
    pub canary: Canary,
}

/// What recording cost the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// CPU time that recording took; an estimate where the recorder says so by a warning.
    pub own_cpu_nanos: Option<u64>,
    /// The measured cost of one empty scope, in thousandths of a nanosecond.
    pub per_scope_picos: Option<u64>,
    /// The part of that which falls inside the scope's own time, in thousandths of a nanosecond.
    pub inside_scope_picos: Option<u64>,
    /// Memory that recording held.
    pub memory_bytes: Option<u64>,
}

impl Run {
    /// Takes in what another part of the same run knows.
    pub fn absorb(&mut self, other: &Self) {
        fn larger<T: Ord + Copy>(own: &mut Option<T>, theirs: Option<T>) {
            *own = (*own).max(theirs);
        }
        // What a part does not know is empty, and text that differs is settled by order, so that the
        // outcome does not depend on which part came first.
        self.command = self.command.take().max(other.command.clone());
        self.commit = self.commit.take().max(other.commit.clone());
        self.started_at_unix_nanos = match (self.started_at_unix_nanos, other.started_at_unix_nanos) {
            (0, theirs) => theirs,
            (own, 0) => own,
            (own, theirs) => own.min(theirs),
        };
        self.duration_nanos = self.duration_nanos.max(other.duration_nanos);
        larger(&mut self.cpu_nanos, other.cpu_nanos);
        self.host.absorb(&other.host);
        for (key, value) in &other.labels {
            let own = self.labels.entry(key.clone()).or_default();
            if *own < *value {
                own.clone_from(value);
            }
        }
        self.recorders.extend(&other.recorders);
        larger(&mut self.cost.own_cpu_nanos, other.cost.own_cpu_nanos);
        larger(&mut self.cost.per_scope_picos, other.cost.per_scope_picos);
        larger(&mut self.cost.inside_scope_picos, other.cost.inside_scope_picos);
        larger(&mut self.cost.memory_bytes, other.cost.memory_bytes);
        larger(&mut self.canary.first_nanos, other.canary.first_nanos);
        larger(&mut self.canary.last_nanos, other.canary.last_nanos);
    }
}

impl Host {
    fn absorb(&mut self, other: &Self) {
        for (own, theirs) in [
            (&mut self.name, &other.name),
            (&mut self.os, &other.os),
            (&mut self.kernel, &other.kernel),
            (&mut self.arch, &other.arch),
            (&mut self.cpu, &other.cpu),
        ] {
            if *own < *theirs {
                own.clone_from(theirs);
            }
        }
        self.cpu_features.extend(other.cpu_features.iter().cloned());
        self.cores = self.cores.max(other.cores);
        self.memory_bytes = self.memory_bytes.max(other.memory_bytes);
    }
}
