//! What the profile could not see.

use crate::document::{Body, Section};
use crate::facts::Report;
use crate::quantity::count;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let lines: Vec<String> = report
        .warnings
        .iter()
        .map(|warning| match warning.count {
            Some(times) => format!("{} ({}: {})", warning.message, warning.code, count(times)),
            None => format!("{} ({})", warning.message, warning.code),
        })
        .collect();
    (!lines.is_empty()).then(|| Section::new("not-seen", "What was not seen", Body::Lines(lines)))
}
