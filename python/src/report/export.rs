//! A profile as a file of whichever format its ending names. A file that is there is replaced by a whole one or stays.

use std::path::{Path, PathBuf};

use calor::model::Profile;
use calor_analysis::findings::Circumstances;
use calor_formats::{Format, WriteOptions};
use calor_report::flame::{FlameInput, FlameTreeOptions, html, svg};
use calor_report::{OperationsOptions, ReportFormat, render_operations};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use super::{judged, refused};

/// Columns of a page of text in a file.
const WIDTH: usize = 120;

/// What a file is to be.
enum Kind {
    Page(ReportFormat),
    Picture,
    FlamePage,
    Converted(Format),
}

/// Endings of the pages and pictures that Calor draws itself; formats of profiles have theirs from `calor-formats`.
const DRAWN: [(&str, Kind); 8] = [
    ("flame.html", Kind::FlamePage),
    ("html", Kind::Page(ReportFormat::Html)),
    ("md", Kind::Page(ReportFormat::Markdown)),
    ("markdown", Kind::Page(ReportFormat::Markdown)),
    ("json", Kind::Page(ReportFormat::Json)),
    ("csv", Kind::Page(ReportFormat::Csv)),
    ("txt", Kind::Page(ReportFormat::Text)),
    ("svg", Kind::Picture),
];

/// Says at once what `write` would say of the ending of a path.
#[pyfunction]
pub(crate) fn check_export(path: PathBuf) -> PyResult<()> {
    kind(&path).map(|_| ())
}

/// Whether the ending of a path means a page.
pub(super) fn is_page(path: &Path) -> bool {
    matches!(kind(path), Ok(Kind::Page(_)))
}

pub(super) fn write(profile: &Profile, path: &Path, circumstances: Circumstances) -> PyResult<()> {
    let bytes = match kind(path)? {
        Kind::Page(format) => page(profile, format, circumstances)?,
        Kind::Picture => picture(profile)?,
        Kind::FlamePage => flame_page(profile)?,
        Kind::Converted(format) => converted(profile, format)?,
    };
    calor_host::replace(path, &bytes).map_err(|error| {
        let what = format!("cannot write the profile, choose a writable place with free space ({error})");
        // With its number it is a FileNotFoundError, a PermissionError and so on.
        PyOSError::new_err((error.raw_os_error().unwrap_or(0), what, path.display().to_string()))
    })
}

fn kind(path: &Path) -> PyResult<Kind> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let fits = |ending: &str| name.strip_suffix(ending).is_some_and(|stem| stem.ends_with('.'));
    // `trace.json` is more than `json`.
    let format = Format::for_file_name(&name).filter(|format| format.can_write() && *format != Format::Csv);
    if let Some(format) = format {
        return Ok(Kind::Converted(format));
    }
    let drawn = DRAWN.into_iter().find(|(ending, _)| fits(ending));
    drawn.map(|(_, kind)| kind).ok_or_else(|| {
        PyValueError::new_err(format!(
            "the ending of {:?} names no format: it is one of {}",
            path.display().to_string(),
            endings().join(", ")
        ))
    })
}

/// All endings there are.
fn endings() -> Vec<String> {
    let formats = Format::ALL.into_iter().filter(|format| format.can_write() && *format != Format::Csv);
    let formats = formats.flat_map(Format::endings).copied();
    DRAWN.iter().map(|(ending, _)| *ending).chain(formats).map(|ending| format!(".{ending}")).collect()
}

fn page(profile: &Profile, format: ReportFormat, circumstances: Circumstances) -> PyResult<Vec<u8>> {
    let (roof, findings) = (calor_project::kept_roof(profile), judged(profile, None, circumstances)?);
    let options = OperationsOptions {
        format,
        roof,
        findings,
        width: WIDTH,
        carries: true,
        ..OperationsOptions::default()
    };
    let mut bytes = Vec::new();
    render_operations(profile, &options, &mut bytes).map_err(|error| refused(&error))?;
    Ok(bytes)
}

fn picture(profile: &Profile) -> PyResult<Vec<u8>> {
    let input = flame_input(profile)?;
    let options = svg::SvgOptions { title: input.title.clone(), ..svg::SvgOptions::default() };
    let mut bytes = Vec::new();
    svg::draw(profile, &input.metrics[0], FlameTreeOptions::default(), &options, &mut bytes)?;
    Ok(bytes)
}

fn flame_page(profile: &Profile) -> PyResult<Vec<u8>> {
    let mut bytes = Vec::new();
    html::write(profile, &flame_input(profile)?, &html::HtmlOptions::default(), &mut bytes)?;
    Ok(bytes)
}

/// What a flame graph is drawn from; never nothing.
fn flame_input(profile: &Profile) -> PyResult<FlameInput> {
    let input = FlameInput::of_profile(profile);
    match input.metrics.is_empty() {
        true => Err(PyValueError::new_err(
            "there is nothing to draw: nothing was recorded; call calor.enable_profiling() before the work",
        )),
        false => Ok(input),
    }
}

fn converted(profile: &Profile, format: Format) -> PyResult<Vec<u8>> {
    let mut bytes = Vec::new();
    calor_formats::write(profile, format, &WriteOptions::default(), &mut bytes)
        .map_err(|error| refused(&error))?;
    Ok(bytes)
}
