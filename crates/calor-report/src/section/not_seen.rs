//! What the profile could not see.

use calor_model::Warning;

use crate::document::{Body, Section};
use crate::facts::Report;
use crate::quantity::count;

/// Said already where the reader would look for it: among the allocators.
const SAID: [&str; 4] = ["blocks_not_followed", "heap_empty", "heap_not_recorded", "heap_not_sampled"];

pub(crate) fn section(report: &Report<'_>) -> Section {
    of_warnings(&report.warnings)
}

/// The same of any warnings.
pub(crate) fn of_warnings(warnings: &[Warning]) -> Section {
    let warnings = warnings.iter().filter(|warning| !SAID.contains(&warning.code.as_str()));
    let mut lines: Vec<String> = warnings
        .map(|warning| match warning.count {
            Some(times) => format!("{} ({}: {})", warning.message, warning.code, count(times)),
            None => format!("{} ({})", warning.message, warning.code),
        })
        .collect();
    if lines.is_empty() {
        lines.push("nothing that the recorders know of".to_owned());
    }
    Section::new("not-seen", "What was not seen", Body::Lines(lines))
}
