//! Pages about what a program will take at a size that it was not run at.

mod json;
mod section;

use std::io::Write;

use calor_analysis::{Forecasts, MemoryTier, SizedRun};
use calor_model::Warning;

use crate::text::palette::Palette;
use crate::{Error, WhatIfFormat, markdown, text};

/// What is asked, and how the answer looks.
#[derive(Clone, Debug, Default)]
pub struct ForecastPage {
    /// How it looks.
    pub format: WhatIfFormat,
    /// What the size is called, such as `n`.
    pub variable: String,
    /// The size to look at.
    pub at: f64,
    /// The memory tiers of the machine.
    pub tiers: Vec<MemoryTier>,
    /// How many scopes are listed at most. `None`: as many as fit a page; in JSON, all that could be forecast.
    pub top: Option<usize>,
    /// What has to be known of how tiers were found.
    pub remarks: Vec<Warning>,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
}

/// Writes what a program that was run at several sizes will take at another.
///
/// # Errors
/// When there are too few sizes, or `out` cannot be written to.
pub fn render_forecast(runs: &[SizedRun], page: &ForecastPage, out: &mut impl Write) -> Result<(), Error> {
    let mut forecasts = Forecasts::new(runs, page.at, &page.tiers)?;
    forecasts.warnings.splice(0..0, page.remarks.iter().cloned());
    if page.format == WhatIfFormat::Json {
        return json::write(&forecasts, page, out);
    }
    let sections = section::all(&forecasts, page);
    let written = match page.format {
        WhatIfFormat::Markdown => markdown::sections(&sections),
        _ => text::sections(&sections, page.width, Palette { is_coloured: page.color }),
    };
    Ok(out.write_all(written.as_bytes())?)
}
