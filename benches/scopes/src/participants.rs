//! Who takes part: what each keeps, in which cases it can be measured, and which build it needs.

use crate::builds::Build;
use crate::case::Case::{self, *};

/// What a participant keeps, which says whom it is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Nothing: a floor to measure against.
    Floor,
    /// Calor itself.
    Ours,
    /// Statistics by name or path.
    Statistics,
    /// Every single scope, or the last ones.
    Timeline,
    /// Nothing: the cost of its dispatch alone.
    Dispatch,
}

/// One participant.
#[derive(Debug)]
pub(crate) struct Participant {
    /// Its name on the command line and in the tables.
    pub(crate) name: &'static str,
    /// What it keeps.
    pub(crate) kind: Kind,
    /// The crate whose version the tables state.
    pub(crate) package: Option<&'static str>,
    /// Where it can be measured.
    pub(crate) cases: &'static [Case],
    /// It is given this share of the scopes, 1 in `share`: some are so slow that all would take minutes.
    pub(crate) share: u64,
}

const RECORDER: &[Case] = &[Flat, Nested, Threads2, Wide, Off, Out, Matmul, Memory];
const ALWAYS_IN: &[Case] = &[Flat, Nested, Threads2, Wide, Off, Matmul, Memory];
const LAYER: &[Case] = &[Flat, Nested, Threads2, Wide, Matmul, Memory];

/// All of them, in the order of the tables.
pub(crate) const ALL: &[Participant] = &[
    Participant {
        name: "empty",
        kind: Kind::Floor,
        package: None,
        cases: &[Off, Out, Matmul, Memory],
        share: 1,
    },
    Participant {
        name: "tsc2",
        kind: Kind::Floor,
        package: None,
        cases: &[Flat, Nested, Threads2, Wide, OneIn16, Matmul],
        share: 1,
    },
    Participant {
        name: "calor",
        kind: Kind::Ours,
        package: Some("calor"),
        cases: &[Flat, Nested, Threads2, Wide, Off, Out, Matmul, Memory, Memory100, Report, Report4096],
        share: 1,
    },
    Participant {
        name: "calor-timeline",
        kind: Kind::Ours,
        package: Some("calor"),
        cases: &[Flat, Nested, Threads2, Wide, Matmul, Memory, Memory100, Report, Report4096],
        share: 1,
    },
    Participant {
        name: "calor-1in16",
        kind: Kind::Ours,
        package: Some("calor"),
        cases: &[OneIn16, Matmul],
        share: 1,
    },
    Participant {
        name: "calor-site-1in16",
        kind: Kind::Ours,
        package: Some("calor"),
        cases: &[OneIn16, Matmul],
        share: 1,
    },
    Participant {
        name: "hotpath",
        kind: Kind::Statistics,
        package: Some("hotpath"),
        cases: RECORDER,
        share: 1,
    },
    Participant {
        name: "tracy",
        kind: Kind::Timeline,
        package: Some("tracy-client"),
        cases: RECORDER,
        share: 1,
    },
    Participant { name: "puffin", kind: Kind::Timeline, package: Some("puffin"), cases: ALWAYS_IN, share: 1 },
    Participant {
        name: "fastrace",
        kind: Kind::Timeline,
        package: Some("fastrace"),
        cases: RECORDER,
        share: 1,
    },
    Participant {
        name: "tracing",
        kind: Kind::Dispatch,
        package: Some("tracing"),
        cases: RECORDER,
        share: 1,
    },
    #[cfg(feature = "recording")]
    Participant { name: "calor-tracing", kind: Kind::Ours, package: Some("calor"), cases: LAYER, share: 1 },
    Participant {
        name: "tracing-chrome",
        kind: Kind::Timeline,
        package: Some("tracing-chrome"),
        cases: LAYER,
        share: 5,
    },
];

impl Participant {
    /// The build it is measured in.
    pub(crate) fn build(&self, case: Case) -> Build {
        match (case, self.name) {
            (Out, _) => Build::CompiledOut,
            (Off, "tracy") => Build::TracyOnDemand,
            (_, "tracy") => Build::Tracy,
            _ => Build::Recording,
        }
    }

    /// Its version as the lock file states it; `None` for the floors.
    pub(crate) fn version(&self) -> Option<&'static str> {
        harness::version_in(include_str!("../Cargo.lock"), self.package?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_every_peer_is_in_the_lock_file() {
        for participant in ALL.iter().filter(|participant| participant.package.is_some()) {
            assert!(participant.version().is_some(), "no version of {}", participant.name);
        }
    }
}
