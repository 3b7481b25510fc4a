//! The cases: what is done with which input, and by whom.

use std::path::Path;

use harness::Figures;

use crate::inputs::Input;
use crate::jobs::{browser, collapse, convert, flame, memory, page, report};

/// One case.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What the table says above its rows.
    pub(crate) about: &'static str,
    pub(crate) input: Input,
    /// Who takes part, Calor first.
    pub(crate) jobs: &'static [Job],
}

/// What one participant does in a case.
#[derive(Debug)]
pub(crate) struct Job {
    /// Its name in the tables.
    pub(crate) who: &'static str,
    /// The crate whose version the tables state.
    package: &'static str,
    /// Does it in this process, with the inputs of a folder.
    pub(crate) work: fn(Input, &Path) -> Result<Figures, String>,
}

const fn calor(work: fn(Input, &Path) -> Result<Figures, String>) -> Job {
    Job { who: "calor", package: "calor-formats", work }
}

/// All of them, in the order of the tables.
pub(crate) const ALL: &[Case] = &[
    Case {
        name: "pprof-read",
        about: "100 MB of pprof, uncompressed, to a profile; `prost` decodes the same message and does no more, a \
                floor for readers that keep every sample",
        input: Input::Pprof,
        jobs: &[
            calor(convert::read_samples),
            Job { who: "prost", package: "prost", work: convert::decode_message },
        ],
    },
    Case {
        name: "pprof-wide-read",
        about: "as much of it with several times the call paths",
        input: Input::PprofWide,
        jobs: &[
            calor(convert::read_samples),
            Job { who: "prost", package: "prost", work: convert::decode_message },
        ],
    },
    Case {
        name: "pprof-calor",
        about: "100 MB of pprof, uncompressed, to `.calor`",
        input: Input::Pprof,
        jobs: &[calor(convert::samples_to_native)],
    },
    Case {
        name: "pprof-gz-calor",
        about: "the same, compressed as programs write it, to `.calor`",
        input: Input::PprofGzip,
        jobs: &[calor(convert::samples_to_native)],
    },
    Case {
        name: "pprof-folded",
        about: "100 MB of pprof, uncompressed, to folded stacks",
        input: Input::Pprof,
        jobs: &[calor(convert::samples_to_folded)],
    },
    Case {
        name: "chrome-read",
        about: "a Chrome trace of 100 MB to a profile; `serde_json` parses the same bytes into a `Value` and does no \
                more",
        input: Input::Chrome,
        jobs: &[
            calor(convert::read_trace),
            Job { who: "serde_json", package: "serde_json", work: convert::parse_json },
        ],
    },
    Case {
        name: "chrome-calor",
        about: "a Chrome trace of 100 MB to `.calor`",
        input: Input::Chrome,
        jobs: &[calor(convert::trace_to_native)],
    },
    Case {
        name: "flame",
        about: "a flame graph of 100,000 different call paths: folded text to SVG, both with their default options",
        input: Input::Folded,
        jobs: &[calor(flame::ours), Job { who: "inferno", package: "inferno", work: flame::inferno }],
    },
    Case {
        name: "perf-folded",
        about: "50 MB of `perf script` text to folded stacks",
        input: Input::Perf,
        jobs: &[calor(collapse::ours), Job { who: "inferno", package: "inferno", work: collapse::inferno }],
    },
    Case {
        name: "memory-pprof",
        about: "100 MB of pprof, uncompressed: the file read, the profile made of it, the text report made of that",
        input: Input::Pprof,
        jobs: &[calor(memory::measure)],
    },
    Case {
        name: "memory-chrome",
        about: "a Chrome trace of 100 MB, the same way",
        input: Input::Chrome,
        jobs: &[calor(memory::measure)],
    },
    Case {
        name: "memory-calor",
        about: "10 MB of scopes and spans in `.calor`, the same way",
        input: Input::NativeScopes,
        jobs: &[calor(memory::measure)],
    },
    Case {
        name: "report-samples",
        about: "10 MB of samples in `.calor` to the text report",
        input: Input::NativeSamples,
        jobs: &[calor(report::measure)],
    },
    Case {
        name: "report-scopes",
        about: "10 MB of scopes and spans in `.calor` to the text report",
        input: Input::NativeScopes,
        jobs: &[calor(report::measure)],
    },
    Case {
        name: "page",
        about: "a recording of 5,000 functions to the HTML report",
        input: Input::Functions,
        jobs: &[calor(page::measure)],
    },
    Case {
        name: "paint",
        about: "that page in headless Chromium, wall time from the start of its navigation",
        input: Input::Functions,
        jobs: &[calor(browser::paint)],
    },
    Case {
        name: "pan",
        about: "an interactive flame graph of 100,000 frames in headless Chromium: fifty steps of zooming and fifty of \
                panning, wall time of each until its pixels could be read back",
        input: Input::FoldedFrames,
        jobs: &[calor(browser::pan)],
    },
];

impl Case {
    /// The case of that name.
    pub(crate) fn find(name: &str) -> Result<&'static Self, String> {
        harness::find(ALL, name, "cases", |case| case.name)
    }

    /// What that participant does.
    pub(crate) fn job(&'static self, who: &str) -> Result<&'static Job, String> {
        harness::find(self.jobs, who, "participants of this case", |job| job.who)
    }
}

impl Job {
    /// Its version as the lock file states it.
    pub(crate) fn version(&self) -> Option<&'static str> {
        harness::version_in(include_str!("../Cargo.lock"), self.package)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calor_takes_part_in_every_case_and_every_version_is_in_the_lock_file() {
        for case in ALL {
            assert_eq!(case.jobs[0].who, "calor", "{}", case.name);
            assert!(case.jobs.iter().all(|job| job.version().is_some()), "{}", case.name);
        }
    }
}
