//! Starts a program that is tried, on systems that we do not record on: an interrupt ends us and the program.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context as _, Result};
use calor::causal::handover::VARIABLE;

use crate::command_line;

/// Nothing has to be made ready.
pub(super) struct Starter;

/// How a run ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) was_interrupted: bool,
}

impl Starter {
    pub(super) fn new() -> Result<Self> {
        Ok(Self)
    }

    /// Runs it with a plan. What it prints is not the result, and would be printed for every run.
    pub(super) fn run(&mut self, command: &[OsString], plan: &Path, errors: &File) -> Result<Ended> {
        let (program, arguments) = command.split_first().context("expected a program after --")?;
        let errors = errors.try_clone().context("cannot keep what the program writes")?;
        let mut started = Command::new(program);
        started.args(arguments).env(VARIABLE, plan).stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        let status = started.status().with_context(|| {
            format!("cannot start `{}`: check the name, or give the path to it", command_line::shown(command))
        })?;
        Ok(Ended { status, was_interrupted: false })
    }
}
