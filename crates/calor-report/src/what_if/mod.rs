//! Pages about the critical path of a run, and what the run would gain if scopes were faster.

mod json;
mod section;

use std::io::Write;

use calor_analysis::{Speedup, WhatIf};
use calor_model::Profile;

use crate::text::palette::Palette;
use crate::{Error, markdown, text};

/// How a page about what-ifs looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WhatIfFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For a forge.
    Markdown,
    /// For programs.
    Json,
}

/// What is asked, and how the answer looks.
#[derive(Clone, Debug)]
pub struct WhatIfOptions {
    /// How it looks.
    pub format: WhatIfFormat,
    /// The scopes that shall be faster, all at once; none to be told what each scope alone would give.
    pub speedups: Vec<Speedup>,
    /// How many times as fast each scope is in the list of all.
    pub factor: f64,
    /// How many rows a list has at most. `None`: as many as fit a page; in JSON, all.
    pub top: Option<usize>,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
}

impl Default for WhatIfOptions {
    fn default() -> Self {
        let (format, speedups) = (WhatIfFormat::Text, Vec::new());
        Self { format, speedups, factor: 2.0, top: None, width: 100, color: false }
    }
}

/// Writes what the run of a profile would gain.
///
/// # Errors
/// When the profile has neither a timeline nor times, a scope is not in it, or `out` cannot be written to.
pub fn render_what_if(profile: &Profile, options: &WhatIfOptions, out: &mut impl Write) -> Result<(), Error> {
    let what_if = WhatIf::new(profile, &options.speedups, options.factor)?;
    if options.format == WhatIfFormat::Json {
        return json::write(&what_if, options, out);
    }
    let sections = section::all(&what_if, options);
    let page = match options.format {
        WhatIfFormat::Markdown => markdown::sections(&sections),
        _ => text::sections(&sections, options.width, Palette { is_coloured: options.color }),
    };
    Ok(out.write_all(page.as_bytes())?)
}
