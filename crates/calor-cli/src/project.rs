//! The project that the command works in: that of its working folder, opened when it is first asked for. What a command line
//! says holds until the process ends, so there is one.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::Result;
use calor_project::Environment;

use crate::news;
use crate::settings::{Check, Record, Settings};

/// The project with the sections of its settings that the command alone knows.
pub(crate) type Project = calor_project::Project<Record, Check>;

static STORE: OnceLock<PathBuf> = OnceLock::new();
static PROJECT: OnceLock<Project> = OnceLock::new();

/// Means this store from now on: the flag wins over everything else.
pub(crate) fn choose_store(folder: PathBuf) {
    STORE.get_or_init(|| folder);
}

/// The project.
pub(crate) fn current() -> &'static Project {
    PROJECT.get_or_init(|| {
        let folder = std::env::current_dir().unwrap_or_default();
        let project = Project::open(folder, Environment::of_process()).with_store(STORE.get().cloned());
        for unread in project.unread() {
            news::say_wrapped(&format!("warning: {unread}"));
        }
        project
    })
}

/// Its settings.
pub(crate) fn settings() -> Result<&'static Settings> {
    Ok(current().settings()?)
}
