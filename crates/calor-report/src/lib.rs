//! From facts to pages for people, and to JSON for programs.
//!
//! **You bring** a [`Profile`] and [`Options`]. **You get** one page in one of five
//! formats from [`render`]. All formats are fed by the same value: what `calor-analysis` found out.
//! This crate chooses words, columns and colours; it does not compute.
//!
//! Sections are written once, as tables and trees without a look, and drawn by each page
//! format in its own way. JSON has wire types of its own, because its fields are a promise and its numbers
//! must not be rounded for reading. Markdown and HTML carry the profile they were made of out of sight, so that a report
//! can be read wherever a profile can.

#![forbid(unsafe_code)]

mod annotation;
mod axis;
pub mod bench;
mod carried;
mod compare;
mod csv;
mod document;
mod error;
mod findings;
pub mod flame;
mod forecast;
mod format;
mod heap_page;
mod history;
mod html;
mod json;
#[cfg(feature = "machine")]
mod machine_roof;
mod markdown;
mod markup;
mod namesakes;
mod operations;
mod options;
mod remarks;
mod report;
mod roofline;
mod section;
mod selection;
mod text;
mod what_if;
mod why;
mod wrap;

use std::io::Write;

use calor_analysis::{ReportAnswer, SelectedProfile};
use calor_model::Profile;
use report::Report;

pub use annotation::{AnnotationOptions, Source, annotation_json, annotation_text};
pub use calor_analysis::{Grouping, MachineRoof, Order, ThreadChoice};
pub use calor_formats::Metric;
pub use calor_model::Language;
pub use compare::{CompareFormat, CompareOptions, compared_json, render_compared};
pub use error::Error;
pub use findings::{FindingsFormat, FindingsOptions, FoundIn, recommendations_json, render_findings};
pub use forecast::{ForecastPage, render_forecast};
pub use format::ReportFormat;
pub use heap_page::{HeapFormat, HeapOptions, HeapQuestion, render_heap, render_heap_difference};
pub use history::{HistoryOptions, render_history};
#[cfg(feature = "machine")]
pub use machine_roof::machine_roof;
pub use markup::Escaped;
pub use operations::{OperationsOptions, render_operations};
pub use options::{Carry, Options};
pub use remarks::{Remark, Remarks};
pub use roofline::{RooflineFormat, RooflineOptions, render_roofline};
pub use what_if::{WhatIfFormat, WhatIfOptions, render_what_if};
pub use why::{WhyPage, why_page};
pub use wrap::wrapped;

/// Writes a report of `profile`.
///
/// # Errors
/// When the options ask for what the profile does not have (a context, a thread, Python, the recorder's cost), or when `out`
/// cannot be written to.
pub fn render(profile: &Profile, options: &Options, out: &mut impl Write) -> Result<(), Error> {
    let part = SelectedProfile::new(profile, options.context.as_deref(), options.language)?;
    let answer = ReportAnswer::new(&part, options.question(part.profile())?)?;
    let report = Report { answer, options };
    match options.format {
        ReportFormat::Text => out.write_all(text::page(&report).as_bytes())?,
        ReportFormat::Markdown => out.write_all(markdown::page(&report, profile).as_bytes())?,
        ReportFormat::Html => out.write_all(html::page(&report, profile).as_bytes())?,
        ReportFormat::Json => json::write(&report, out)?,
        ReportFormat::Csv => csv::write(&report, out)?,
    }
    Ok(())
}
