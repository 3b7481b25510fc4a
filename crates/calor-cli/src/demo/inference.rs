//! What the demo records: inferences of the models that come along, the same ones in every run.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Result, bail};
use calor::RecordingOptions;
use calor_workloads::Random;
use calor_workloads::transformer::{Preset, Request, Sampling, run_batch};

use crate::progress;

/// Decides weights, prompts and samples.
const SEED: u64 = 2025;
/// One for each of two cores, which nearly every machine has.
const THREADS: usize = 2;

/// How much is run.
pub(super) struct Load {
    pub(super) presets: &'static [Preset],
    /// Tokens that each inference writes.
    pub(super) tokens: usize,
    /// Inferences with each model.
    pub(super) inferences: usize,
}

impl Load {
    /// Runs the models with the recorder on, and leaves the profile in a file.
    pub(super) fn record(&self, path: &Path) -> Result<()> {
        calor::set_label("workload", "transformer");
        let recording = calor::try_start_recording(path, &RecordingOptions::new())?;
        // What a log keeps of a run this short is the result, not how far it once was.
        let outcome = if std::io::stderr().is_terminal() {
            progress::shown("running the models", Some(self.steps()), |done| self.run(done))
        } else {
            self.run(&AtomicUsize::new(0))
        };
        calor::disable();
        let recorded = recording.stop();
        outcome?;
        match recorded.and_then(|recorded| recorded.problem) {
            Some(problem) => bail!(problem),
            None => Ok(()),
        }
    }

    fn run(&self, done: &AtomicUsize) -> Result<()> {
        for preset in self.presets {
            let model = preset.model(SEED);
            run_batch(&model, &self.requests(*preset), THREADS, || {
                done.fetch_add(work_of_token(*preset), Relaxed);
            })?;
        }
        Ok(())
    }

    fn requests(&self, preset: Preset) -> Vec<Request> {
        let random = &mut Random::new(SEED);
        let vocabulary = preset.config().vocabulary as u32;
        let request = |_| Request {
            prompt: (0..prompt_length(preset)).map(|_| random.below(vocabulary)).collect(),
            tokens: self.tokens,
            sampling: Sampling::Temperature(1.0),
            seed: random.bits(),
        };
        (0..self.inferences).map(request).collect()
    }

    fn steps(&self) -> usize {
        let tokens = self.inferences * self.tokens;
        self.presets.iter().map(|preset| tokens * work_of_token(*preset)).sum()
    }
}

/// The most tokens an inference can write before the model's context is full.
pub(super) fn most_tokens(preset: Preset) -> usize {
    preset.config().context + 1 - prompt_length(preset)
}

/// Prompts of a quarter of the context, and one token from which writing starts.
fn prompt_length(preset: Preset) -> usize {
    preset.config().context / 4 + 1
}

/// A token of a larger model takes longer; parameters are a fair measure of how much.
fn work_of_token(preset: Preset) -> usize {
    preset.config().parameters() / 1000
}
