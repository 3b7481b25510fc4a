//! What all workloads have in common: the recorder is on while the engine runs, its profile is kept where that was asked for,
//! and what it has to tell is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use calor_analysis::workload::{REPEATED_BY_TIME, models};
use calor_model::Profile;
use calor_report::bench::{Bench, render};
use calor_store::Encoded;
use calor_workloads::{Error, Watch};

use super::choice::Common;
use super::watched::watched;
use crate::ExitCode;
use crate::failure::INTERRUPTED;
use crate::store::naming::name_of;
use crate::store::saving::Saving;
use crate::{news, output, project};

/// Says of this run that its cases are repeated until their time is over, for those who compare it.
pub(super) fn repeated_by_time() {
    let (key, value) = REPEATED_BY_TIME;
    calor::set_label(key, value);
}

/// Runs an engine, after [`Common::refuse_bad_places`]. `settings` is what was run, for those who compare runs; `tell` adds what only the profile knows.
pub(crate) fn measured(
    common: &Common,
    name: &'static str,
    settings: &[(&str, String)],
    engine: impl FnOnce(&dyn Watch) -> Result<Bench, Error>,
    tell: impl FnOnce(&Profile, &mut Bench) -> Result<()>,
) -> Result<ExitCode> {
    let options = common.options()?;
    let here = std::env::current_dir().ok();
    let saving = common.saving.prepare(&project::settings()?.store, here.as_deref())?;
    calor::set_label("workload", name);
    for (key, value) in saving.labels() {
        calor::set_label(key.as_str(), value.as_str());
    }
    calor::reset();
    calor::enable();
    let (outcome, is_interrupted) = watched(name, engine);
    calor::disable();
    let mut bench = match outcome {
        Err(Error::Stopped) => {
            news::say_wrapped("interrupted before anything was measured: there is nothing to tell");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        outcome => outcome?,
    };
    let mut profile = calor::snapshot();
    saving.mark(&mut profile);
    bench.models = models(&profile);
    tell(&profile, &mut bench)?;
    let mut page = Vec::new();
    render(&bench, Some(&profile), &options, &mut page)?;
    // What was cut short does not take the place of what was not.
    let place = |path: &Path| if is_interrupted && path.exists() { partial(path) } else { path.to_owned() };
    match common.page.file() {
        Some(path) => output::write(Some(&place(path)), &page)?,
        None => common.page.write(&page)?,
    }
    let file = common.profile.as_deref().map(place);
    let is_encoded = file.is_some() || saving.is_wanted();
    let run = is_encoded.then(|| Encoded::of(profile)).transpose()?;
    if let (Some(run), Some(path)) = (&run, file) {
        calor::save_bytes(run.bytes(), &path)?;
        news::say(format_args!("wrote {}", path.display()));
    }
    // What was cut short would be compared with what was not.
    if is_interrupted {
        news::say_wrapped("interrupted: what was measured by then is told, and not kept in the store");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let settings: BTreeMap<String, String> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    if let Some(run) = &run {
        let name = name_of(name, settings.get("models").map_or("", String::as_str));
        saving.save_named(Some(&name), run, settings, common.profile.as_deref(), Saving::tell)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Beside a file, for what would take its place: `page.partial.html`.
fn partial(path: &Path) -> PathBuf {
    let ending = path.extension().map(|ending| format!(".{}", ending.display())).unwrap_or_default();
    let stem = path.file_stem().unwrap_or(path.as_os_str());
    path.with_file_name(format!("{}.partial{ending}", stem.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_short_lies_beside_what_was_not() {
        for (file, beside) in [
            ("out/page.html", "out/page.partial.html"),
            ("page", "page.partial"),
            ("a.b.md", "a.b.partial.md"),
        ] {
            assert_eq!(partial(Path::new(file)), Path::new(beside));
        }
    }
}
