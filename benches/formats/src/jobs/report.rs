//! A recording to the text that people read first.

use std::path::Path;

use calor_analysis::findings::{Circumstances, judge};
use calor_report::Options;
use harness::Figures;
use harness::clock::process_cpu_nanos;

use super::{output, timed};
use crate::inputs::Input;

/// Reads the recording and makes the text; how much of it is reading is measured as well.
pub(crate) fn measure(input: Input, folder: &Path) -> Result<Figures, String> {
    let (figures, (text, reading)) = timed(&input.read(folder)?, |bytes| {
        let began = process_cpu_nanos();
        let profile = calor_formats::read(bytes).map_err(|error| error.to_string())?;
        let reading = (process_cpu_nanos() - began) as f64 / 1e9;
        let findings = judge(&profile, &Circumstances::default().of_report()).findings;
        let options = Options { findings, ..Options::default() };
        let mut text = Vec::new();
        calor_report::render(&profile, &options, &mut text).map_err(|error| error.to_string())?;
        Ok((text, reading))
    })?;
    match text.is_empty() {
        true => Err("the report is empty".to_owned()),
        false => Ok(output(figures, &text).with("reading_s", reading)),
    }
}
