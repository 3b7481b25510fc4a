//! `--save` and `--label`: what recording commands do to keep a run.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use calor_analysis::quantity;
use calor_model::Profile;
use calor_project::StoreSettings;
use calor_store::{Bounds, Encoded, Note, Revision, Saved, Store};
use clap::Args;
use clap::builder::BoolishValueParser;

use super::naming::bench_name;
use super::place;
use crate::{news, project};

/// The flags.
#[derive(Args)]
pub(crate) struct SaveChoice {
    /// Also keep the run in the store, for comparisons and history: see `calor store --help`
    #[arg(long, value_name = "BOOL", value_parser = BoolishValueParser::new())]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    save: Option<bool>,
    /// Label the run, such as build=fast; may be given more than once
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
}

/// A label, as clap wants it.
pub(crate) fn label(given: &str) -> Result<(String, String), String> {
    calor_store::check_label(given).map_err(|error| error.to_string())
}

/// What is known of a run before it begins.
pub(crate) struct Saving {
    labels: Vec<(String, String)>,
    /// Only where the run is to be saved.
    revision: Option<Revision>,
    keep: Option<usize>,
}

impl SaveChoice {
    /// Makes sure that the store can be written, before anything is recorded for it, and notes the state of the sources in
    /// the folder that the program runs in, which may change meanwhile.
    pub(crate) fn prepare(&self, settings: &StoreSettings, folder: Option<&Path>) -> Result<Saving> {
        let is_saved = self.save.or(settings.save).unwrap_or(false);
        if is_saved {
            refuse_store_that_cannot_be_written()?;
        }
        Ok(self.saving(is_saved, settings, folder))
    }

    /// The same for a command that saves unless it is told not to. A store that cannot be written is then no reason not to
    /// run, unless somebody asked for it.
    #[cfg(feature = "workloads")]
    pub(crate) fn prepare_unless_refused(
        &self,
        settings: &StoreSettings,
        folder: Option<&Path>,
    ) -> Result<Saving> {
        if self.save.or(settings.save).is_some() {
            return self.prepare(settings, folder);
        }
        let refusal = refuse_store_that_cannot_be_written().err();
        if let Some(error) = &refusal {
            news::say_wrapped(&format!("warning: nothing is saved: {error:#}"));
        }
        Ok(self.saving(refusal.is_none(), settings, folder))
    }

    fn saving(&self, is_saved: bool, settings: &StoreSettings, folder: Option<&Path>) -> Saving {
        Saving {
            labels: self.labels.clone(),
            revision: is_saved.then(|| folder.map(revision).unwrap_or_default()),
            keep: settings.keep,
        }
    }
}

fn refuse_store_that_cannot_be_written() -> Result<()> {
    if place::create()?.is_read_only() {
        anyhow::bail!(
            "the store may not be written to: ask for the permission, or name another with --store"
        );
    }
    Ok(())
}

impl Saving {
    /// The labels that were given.
    #[cfg(feature = "workloads")]
    pub(crate) fn labels(&self) -> &[(String, String)] {
        &self.labels
    }

    /// Puts what was given into the profile itself, or a part of it.
    pub(crate) fn mark(&self, profile: &mut Profile) {
        for run in &mut profile.runs {
            run.labels.extend(self.labels.iter().cloned());
            if run.commit.is_none() {
                run.commit = self.revision.as_ref().and_then(|revision| revision.commit.clone());
            }
        }
    }

    /// Whether the run is to be saved.
    pub(crate) fn is_wanted(&self) -> bool {
        self.revision.is_some()
    }

    /// Saves a run that was asked to be; it may be in `file` as well, which is what is left if that fails.
    pub(crate) fn save(
        &self,
        run: &Encoded,
        settings: BTreeMap<String, String>,
        file: Option<&Path>,
    ) -> Result<()> {
        self.save_named(bench_name(run.profile()).as_deref(), run, settings, file, Self::tell)
    }

    /// Tells people under which id a run was saved.
    pub(crate) fn tell(saved: &Saved) {
        let size = quantity::bytes(saved.bytes);
        news::say(format_args!("\nSaved as {} ({size}), see `calor store ls`", saved.id));
    }

    /// The same under a name of its own, with whoever tells people of it.
    pub(crate) fn save_named(
        &self,
        name: Option<&str>,
        run: &Encoded,
        settings: BTreeMap<String, String>,
        file: Option<&Path>,
        tell: impl FnOnce(&Saved),
    ) -> Result<()> {
        let Some(revision) = &self.revision else { return Ok(()) };
        let mut note = Note::default();
        note.name = name.map(str::to_owned);
        note.revision = revision.clone();
        note.settings = settings;
        let save = || -> Result<()> {
            let mut store = place::create()?;
            tell(&store.save_encoded(run, &note)?);
            if let Some(keep) = self.keep {
                keep_only(&mut store, keep)?;
            }
            Ok(())
        };
        save().with_context(|| match file.map(Path::display) {
            Some(file) => {
                format!(
                    "the profile is in {file}, but could not be saved (`calor store add {file}` tries again)"
                )
            }
            None => "the run could not be saved".to_owned(),
        })
    }
}

/// Holds the store to the size that the settings ask for.
fn keep_only(store: &mut Store, keep: usize) -> Result<()> {
    let beyond = store.beyond(&Bounds { keep: Some(keep), ..Bounds::default() })?;
    if !beyond.is_empty() {
        let ids: Vec<_> = beyond.into_iter().map(|run| run.id).collect();
        let removed = store.remove(&ids)?;
        let runs = quantity::counted(removed.n_runs as u64, "run");
        news::say(format_args!("removed {runs} beyond the {keep} that [store] in calor.toml keeps"));
    }
    Ok(())
}

/// The state of the sources in the working folder.
pub(crate) fn here() -> Revision {
    revision(project::current().folder())
}

/// The state of the sources in a folder.
fn revision(folder: &Path) -> Revision {
    project::current().revision(folder)
}
