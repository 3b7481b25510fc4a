//! Starts a program that is tried. Whoever asks for the end meanwhile asks the program, and not us alone: what was made for it
//! is taken away in any case.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::process::ExitStatus;

use anyhow::{Context as _, Result};
use calor::causal::handover::VARIABLE;
use calor_record::counters::{Counting, Streams};

use crate::launch;

/// While it lives, signals that would end us go to the program.
pub(super) struct Starter(Counting);

/// How a run ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) was_interrupted: bool,
}

impl Starter {
    pub(super) fn new() -> Result<Self> {
        Ok(Self(Counting::new(Vec::new()).map_err(failed)?))
    }

    /// Runs it with a plan. What it prints is not the result, and would be printed for every run.
    pub(super) fn run(&mut self, command: &[OsString], plan: &Path, errors: &File) -> Result<Ended> {
        let nothing =
            File::options().write(true).open("/dev/null").context("cannot open /dev/null for its output")?;
        self.0.set_variable(VARIABLE, plan);
        let taken_by = Some([nothing.as_raw_fd(), errors.as_raw_fd()]);
        let ran = self.0.run(command, Streams { no_input: true, taken_by, ..Streams::default() });
        let ran = ran.map_err(failed)?;
        Ok(Ended { status: ran.status, was_interrupted: ran.was_interrupted })
    }
}

fn failed(error: calor_record::RecordError) -> anyhow::Error {
    launch::failed(error, "calor whatif --confirm")
}
