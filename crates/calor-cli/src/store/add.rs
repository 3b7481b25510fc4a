//! `calor store add`: profiles from files, of any format that is read.

use std::path::{Path, PathBuf};

use anyhow::Result;
use calor_store::{Encoded, Note, Revision, Saved, Store};
use clap::Args;

use super::naming::bench_name;
use super::place;
use super::saving::{here, label};
use crate::{input, news, output};

const EXAMPLES: &str = "\
Examples:
  calor store add profile.calor
  calor store add profile.calor --label build=fast --commit HEAD";

/// Save profiles from files
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(super) struct Arguments {
    /// The profiles, of any format that `calor convert --list` shows; - reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Label them, such as build=fast; may be given more than once
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// The commit they are of, where they do not say; HEAD is what is checked out here
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
    /// What to call them in lists [default: the program]
    #[arg(long)]
    name: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let mut note = Note::default();
    note.labels = arguments.labels.iter().cloned().collect();
    note.name.clone_from(&arguments.name);
    note.revision = match arguments.commit.as_deref() {
        None => Revision::default(),
        Some("HEAD") => here(),
        Some(commit) => Revision { commit: Some(commit.to_ascii_lowercase()), ..Revision::default() },
    };
    let mut store = place::create()?;
    for file in &arguments.files {
        let saved = saved_file(&mut store, file, &note)?;
        output::write(None, format!("{}\n", saved.id).as_bytes())?;
    }
    Ok(())
}

fn saved_file(store: &mut Store, file: &Path, note: &Note) -> Result<Saved> {
    saved_profile(store, file, &input::encoded(file)?, note)
}

/// Saves the profile that was read from a file. One without a command is called like the file.
pub(crate) fn saved_profile(store: &mut Store, file: &Path, run: &Encoded, note: &Note) -> Result<Saved> {
    let mut note = note.clone();
    note.name = note.name.or_else(|| bench_name(run.profile()));
    let has_command = run.profile().runs.iter().any(|run| run.command.is_some());
    if note.name.is_none() && !has_command && !output::is_standard(file) {
        note.name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    }
    let saved = store.save_encoded(run, &note)?;
    let again = if saved.is_new { "saved" } else { "was saved before" };
    news::say(format_args!("{}: {again} as {}", file.display(), saved.id));
    Ok(saved)
}
