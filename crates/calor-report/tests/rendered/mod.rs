//! A report as text, for tests that read what a reader would.

use calor_analysis::SelectedProfile;
use calor_analysis::findings::{Circumstances, judge};
use calor_model::Profile;
use calor_report::{Options, ReportFormat, render};

pub(crate) fn page(profile: &Profile, options: &Options) -> String {
    let part = SelectedProfile::new(profile, options.context.as_deref(), options.language)
        .expect("the part can be reported");
    let findings = judge(part.profile(), &Circumstances::default().of_report()).findings;
    let options = Options { findings, ..options.clone() };
    let mut page = Vec::new();
    render(profile, &options, &mut page).expect("the report can be made");
    String::from_utf8(page).expect("a report is UTF-8")
}

pub(crate) fn of(format: ReportFormat) -> Options {
    Options { format, ..Options::default() }
}
