//! What the demo records: inferences of a model that comes along, the same ones in every run, with the SDK and the sampler on.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Result, bail};
use calor::RecordingOptions;
use calor::sampling::{Sampling, SamplingOptions};
use calor_model::Profile;
use calor_store::Encoded;
use calor_workloads::model::bench::{Choice, requests};
use calor_workloads::model::{Model, Preset, run_batch};

use crate::store::saving::Saving;
use crate::{input, news, progress};

/// One for each of two cores, which nearly every machine has.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(2)
}
/// The scope of the inferences of either model, so that the two runs are compared scope by scope.
const SCOPE: &str = "model";
/// Samples a second of a busy thread, as `calor record` takes them.
pub(super) const RATE: u32 = 999;

/// What was recorded of a model.
pub(super) struct Recorded {
    pub(super) preset: Preset,
    /// Where its profile is.
    pub(super) file: PathBuf,
    /// The profile, with the bytes that its file has.
    pub(super) run: Encoded,
}

impl Recorded {
    /// What the run is called in the store.
    pub(super) fn name(&self) -> String {
        format!("demo-{}", self.preset.name())
    }
}

/// How a model is run.
pub(super) struct Load<'a> {
    pub(super) choice: &'a Choice,
    pub(super) has_samples: bool,
}

impl Load<'_> {
    /// Runs a model with the recorder and the sampler on, and leaves the profile in a file of the folder.
    pub(super) fn record(&self, preset: Preset, folder: &Path, saving: &Saving) -> Result<Recorded> {
        let file = folder.join(format!("{}.calor", preset.name()));
        calor::set_label("workload", "model");
        calor::set_label("model", preset.name());
        for (key, value) in saving.labels() {
            calor::set_label(key.as_str(), value.as_str());
        }
        // Of this model alone.
        calor::reset();
        let recording = calor::try_start_recording(&file, &RecordingOptions::new())?;
        let sampling = self.has_samples.then(sampling).flatten();
        let outcome = run(self.choice, preset);
        let recorded = recording.stop();
        drop(sampling);
        calor::disable();
        outcome?;
        if let Some(problem) = recorded.and_then(|recorded| recorded.problem) {
            bail!(problem);
        }
        let mut profile = input::profile(&file)?;
        saving.mark(&mut profile);
        tell_apart(&mut profile, preset);
        let run = Encoded::of(profile)?;
        calor::save_bytes(run.bytes(), &file)?;
        Ok(Recorded { preset, file, run })
    }
}

/// Without samples there is still everything that scopes tell.
fn sampling() -> Option<Sampling> {
    let options = SamplingOptions::new().rate(RATE);
    #[cfg(target_os = "linux")]
    let options = match calor_record::Options::default().symbol_cache {
        Some(folder) => options.symbol_cache(folder),
        None => options,
    };
    match calor::sampling::start_with(&options) {
        Ok(sampling) => Some(sampling),
        Err(error) => {
            news::say_wrapped(&format!("warning: there are no samples: {error}"));
            None
        }
    }
}

fn run(choice: &Choice, preset: Preset) -> Result<()> {
    let model = &Model::of_preset(preset, choice.seed)?.in_scope(SCOPE);
    let requests = requests(choice, model.config())?;
    let n_tokens: usize = requests.iter().map(|request| request.tokens).sum();
    let work = |done: &AtomicUsize| {
        run_batch(model, &requests, threads(), || {
            done.fetch_add(1, Relaxed);
        })
    };
    // What a log keeps of a run this short is the result, not how far it once was.
    if std::io::stderr().is_terminal() {
        progress::shown(&format!("running the {} model", preset.name()), Some(n_tokens), work)?;
    } else {
        work(&AtomicUsize::new(0))?;
    }
    Ok(())
}

/// Recordings of one process have the same id, by which commands take two files for one run. These are two runs.
fn tell_apart(profile: &mut Profile, preset: Preset) {
    let number = Preset::ALL.iter().position(|other| *other == preset).unwrap_or(0);
    for run in &mut profile.runs {
        // Pages have the command as their heading.
        let command = run.command.take().unwrap_or_else(|| "calor demo".to_owned());
        run.command = Some(format!("{command} ({} model)", preset.name()));
        run.id.0 = run.id.0.wrapping_add(number as u128);
    }
}
