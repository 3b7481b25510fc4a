//! Pages about what a Python program recorded: operations on arrays by line and shape, its own sections by name, what to
//! change first. The page is short, since it is printed in the middle of somebody's work; all of the profile is in
//! [`render`](crate::render), which has the table of operations, too.

mod calls;
mod csv;
mod facts;
mod json;
mod labelled;
mod sampled;
pub(crate) mod section;
mod wire;
mod work;

use std::io::Write;

use calor_analysis::findings::Findings;
use calor_analysis::{MachineRoof, selection};
use calor_model::{Profile, Warning};

use crate::text::palette::Palette;
use crate::{Error, Options, ReportFormat, markdown, text};

pub(crate) use self::wire::Operation;
use facts::Facts;

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
            findings: Findings::default(),
        }
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
    let mut chosen = selection::context(profile, options.context.as_deref())?;
    if options.context.is_some() && !profile.samples.is_empty() && chosen.samples.is_empty() {
        let message = "functions that samples found are not told by context: `calor.profile_report()` of the whole has them, and \
                       functions=\"trace\" records calls inside of contexts";
        chosen.to_mut().warn(Warning::new("samples_without_context", message));
    }
    let facts = Facts::new(&chosen, options);
    match options.format {
        ReportFormat::Json => json::write(&facts, out)?,
        ReportFormat::Csv => csv::write(&facts, out)?,
        ReportFormat::Markdown => {
            let page = format!("# Calor report\n\n{}", markdown::sections(&section::page(&facts)));
            out.write_all(page.as_bytes())?;
        }
        ReportFormat::Text | ReportFormat::Html => {
            let palette = Palette { is_coloured: options.color };
            out.write_all(text::sections(&section::page(&facts), options.width, palette).as_bytes())?;
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
