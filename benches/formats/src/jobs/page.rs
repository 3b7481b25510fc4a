//! A recording to the HTML report, which has to be small enough to send.

use std::path::Path;

use calor_analysis::findings::{Circumstances, judge};
use calor_report::{Options, ReportFormat};
use harness::Figures;

use super::{output, timed};
use crate::inputs::Input;

/// The size of the page and what making it takes.
pub(crate) fn measure(input: Input, folder: &Path) -> Result<Figures, String> {
    let (figures, page) = timed(&input.read(folder)?, rendered)?;
    Ok(output(figures, &page))
}

/// The page of a recording.
pub(super) fn rendered(recording: &[u8]) -> Result<Vec<u8>, String> {
    let profile = calor_formats::read(recording).map_err(|error| error.to_string())?;
    let findings = judge(&profile, &Circumstances::default().of_report()).findings;
    let options = Options { format: ReportFormat::Html, findings, ..Options::default() };
    let mut page = Vec::new();
    calor_report::render(&profile, &options, &mut page).map_err(|error| error.to_string())?;
    Ok(page)
}
