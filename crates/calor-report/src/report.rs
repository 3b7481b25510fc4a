//! A report as its pages see it: what the analysis found out, and how it should look.

use calor_analysis::ReportAnswer;

use crate::Options;

pub(crate) struct Report<'p> {
    pub(crate) answer: ReportAnswer<'p>,
    pub(crate) options: &'p Options,
}
