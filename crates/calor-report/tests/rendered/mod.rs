//! A report as text, for tests that read what a reader would.

use calor_model::Profile;
use calor_report::{Options, ReportFormat, render};

pub(crate) fn page(profile: &Profile, options: &Options) -> String {
    let mut page = Vec::new();
    render(profile, options, &mut page).expect("the report can be made");
    String::from_utf8(page).expect("a report is UTF-8")
}

pub(crate) fn of(format: ReportFormat) -> Options {
    Options { format, ..Options::default() }
}
