//! What a step of the test run is.

use std::path::PathBuf;
use std::process::Command;

use crate::cargo;

pub(super) type Run = fn(&Place) -> anyhow::Result<StepOutcome>;

pub(super) struct Step {
    /// What one types to run it alone.
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// Nothing runs after a build that failed.
    pub(super) is_build: bool,
    /// Whether it belongs to the quick round that a developer runs between edits.
    pub(super) is_quick: bool,
    /// An error is a failure of the step.
    pub(super) run: Run,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum StepOutcome {
    Passed,
    /// What was tried has passed; what this machine does not let anybody try was counted.
    Partly(String),
    Failed(String),
    /// Something optional is not on this machine.
    Skipped(String),
    /// An earlier step has failed that this one needs.
    NotRun,
}

/// Where the steps work.
pub(super) struct Place {
    pub(super) root: PathBuf,
    pub(super) target: PathBuf,
    /// Whether this is the quick round.
    pub(super) is_quick: bool,
}

impl Place {
    pub(super) fn new(root: PathBuf) -> Self {
        let target = cargo::target_folder(&root);
        Self { root, target, is_quick: false }
    }

    pub(super) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo::cargo(&self.root);
        command.args(arguments);
        command
    }

    /// Runs cargo with its output visible.
    pub(super) fn run_cargo(&self, arguments: &[&str]) -> anyhow::Result<StepOutcome> {
        cargo::run(&mut self.cargo(arguments))?;
        Ok(StepOutcome::Passed)
    }
}
