//! Pages about what a Python program recorded: operations on arrays by line and shape, its own sections by name, what to
//! change first. The page is short, since it is printed in the middle of somebody's work; all of the profile is in
//! [`render`](crate::render), which has the table of operations, too.

mod calls;
mod csv;
mod json;
mod labelled;
pub(crate) mod section;
mod wire;
mod work;

use std::io::Write;

use calor_analysis::findings::Findings;
use calor_analysis::{MachineRoof, OperationsAnswer};
use calor_formats::{embedded, native};
use calor_model::Profile;

use crate::text::palette::Palette;
use crate::{Error, Options, ReportFormat, markdown, text};

pub(crate) use self::wire::Operation;

/// How a page about operations is written.
#[derive(Clone, Debug)]
pub struct OperationsOptions {
    /// The format.
    pub format: ReportFormat,
    /// The context to report alone; `None` for all.
    pub context: Option<String>,
    /// How many rows a list has at most. `None`: as many as fit a page; in JSON and CSV, all.
    pub top: Option<usize>,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether text is coloured.
    pub color: bool,
    /// What the machine can do; `None` where nobody measured it.
    pub roof: Option<MachineRoof>,
    /// Whether a page carries its profile, so that it can be read like one; Markdown and JSON can carry all of it.
    pub carries: bool,
    /// What [`judge`](calor_analysis::findings::judge) finds in the part that is reported.
    pub findings: Findings,
}

impl Default for OperationsOptions {
    fn default() -> Self {
        Self {
            format: ReportFormat::default(),
            context: None,
            top: None,
            width: 100,
            color: false,
            roof: None,
            carries: false,
            findings: Findings::default(),
        }
    }
}

/// What a page about operations is made of.
pub(crate) struct OperationsReport<'p> {
    answer: OperationsAnswer<'p>,
    /// The profile, before a part of it was chosen.
    profile: &'p Profile,
    options: &'p OperationsOptions,
}

impl OperationsReport<'_> {
    /// The lines in which the page carries its profile, where it does.
    fn carried(&self) -> Result<Option<String>, Error> {
        if !self.options.carries {
            return Ok(None);
        }
        let mut file = Vec::new();
        native::write(self.profile, &mut file).map_err(std::io::Error::other)?;
        Ok(Some(embedded::lines(&file)))
    }
}

/// Writes a page about the operations of a profile.
///
/// # Errors
/// When the program entered no context of the name asked for, or `out` cannot be written to.
pub fn render_operations(
    profile: &Profile,
    options: &OperationsOptions,
    out: &mut impl Write,
) -> Result<(), Error> {
    if options.format == ReportFormat::Html {
        return crate::render(profile, &options.of_report(), out);
    }
    let part = OperationsAnswer::part_of(profile, options.context.as_deref())?;
    let report =
        OperationsReport { answer: OperationsAnswer::new(&part, options.roof.as_ref()), profile, options };
    match options.format {
        ReportFormat::Json => json::write(&report, report.carried()?, out)?,
        ReportFormat::Csv => csv::write(&report, out)?,
        ReportFormat::Markdown => {
            let page = format!("# Calor report\n\n{}", markdown::sections(&section::page(&report)));
            match report.carried()? {
                Some(lines) => {
                    let page = format!("{}\n{page}\n<!--\n{lines}-->\n", embedded::ANNOUNCEMENT);
                    out.write_all(page.as_bytes())?;
                }
                None => out.write_all(page.as_bytes())?,
            }
        }
        ReportFormat::Text | ReportFormat::Html => {
            let palette = Palette { is_coloured: options.color };
            out.write_all(text::sections(&section::page(&report), options.width, palette).as_bytes())?;
        }
    }
    Ok(())
}

impl OperationsOptions {
    /// A whole report with the same choices.
    fn of_report(&self) -> Options {
        Options {
            format: self.format,
            context: self.context.clone(),
            top: self.top,
            width: self.width,
            color: self.color,
            roof: self.roof.clone(),
            findings: self.findings.clone(),
            is_of_itself: true,
            ..Options::default()
        }
    }
}
