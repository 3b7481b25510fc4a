//! Pages about scopes under the roofs of a machine: a table for reading, and the picture that the model is known by.

mod html;
mod json;
mod label;
mod picture;
mod roofs;
mod scale;
mod svg;

use std::io::Write;

use calor_analysis::{MachineRoof, RoofNumber, RooflineAnswer, ThreadChoice};
use calor_model::{Profile, Warning};

use crate::section::roofline::sections;
use crate::text::palette::Palette;
use crate::{Error, markdown, text};

/// How a page about a roofline looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RooflineFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For a comment or a wiki.
    Markdown,
    /// For programs.
    Json,
    /// For a browser: picture and table in one file that needs nothing else.
    Html,
    /// The picture alone.
    Svg,
}

/// Options of a page about a roofline.
#[derive(Clone, Debug, Default)]
pub struct RooflineOptions {
    /// How it looks.
    pub format: RooflineFormat,
    /// The size of numbers that the roofs are of.
    pub number: RoofNumber,
    /// Whose scopes are taken.
    pub threads: ThreadChoice,
    /// How many scopes are listed at most. `None`: as many as fit a page; in JSON, all.
    pub top: Option<usize>,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
}

/// Writes a page about the scopes of a profile under the roofs of a machine. `warnings` are what has to be known of the roofs;
/// those of the profile come with it.
///
/// # Errors
/// When there is no thread of a chosen name, or `out` cannot be written to.
pub fn render_roofline(
    profile: &Profile,
    roof: &MachineRoof,
    warnings: &[Warning],
    options: &RooflineOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    let answer = RooflineAnswer::new(profile, roof, warnings, options.number, &options.threads)?;
    let page = match options.format {
        RooflineFormat::Text => text::sections(
            &sections(&answer, options.top),
            options.width,
            Palette { is_coloured: options.color },
        ),
        RooflineFormat::Markdown => markdown::sections(&sections(&answer, options.top)),
        RooflineFormat::Json => json::page(&answer, options.top)?,
        RooflineFormat::Html => html::page(&answer, options.top),
        RooflineFormat::Svg => svg::page(&answer),
    };
    Ok(out.write_all(page.as_bytes())?)
}
