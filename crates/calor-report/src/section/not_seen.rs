//! What the profile could not see.

use calor_analysis::quantity::count;
use calor_model::Warning;

use crate::document::{Body, Section};
use crate::report::Report;

/// Said already where the reader would look for it: among the allocators.
const SAID: [&str; 4] = ["blocks_not_followed", "heap_empty", "heap_not_recorded", "heap_not_sampled"];
/// Said of one file each, whose name stands before the first colon.
const OF_FILES: &str = "symbols_missing";

pub(crate) fn section(report: &Report<'_>) -> Section {
    of_warnings(&report.answer.warnings)
}

/// The same of any warnings.
pub(crate) fn of_warnings(warnings: &[Warning]) -> Section {
    let warnings = warnings.iter().filter(|warning| !SAID.contains(&warning.code.as_str()));
    let mut lines: Vec<String> = together(warnings)
        .into_iter()
        .map(|(message, warning)| match warning.count {
            Some(times) => format!("{message} ({}: {})", warning.code, count(times)),
            None => format!("{message} ({})", warning.code),
        })
        .collect();
    if lines.is_empty() {
        lines.push("nothing that the recorders know of".to_owned());
    }
    Section::new("not-seen", "What was not seen", Body::Lines(lines))
}

/// Each warning with its message. What is the same of several files is said once, of all of them.
fn together<'w>(warnings: impl Iterator<Item = &'w Warning>) -> Vec<(String, &'w Warning)> {
    let mut said: Vec<(&str, Vec<&str>, &Warning)> = Vec::new();
    for warning in warnings {
        let (file, what) = match warning.message.split_once(": ") {
            Some((file, what)) if warning.code == OF_FILES => (Some(file), what),
            _ => (None, warning.message.as_str()),
        };
        let same = said.iter_mut().find(|(known, _, first)| *known == what && first.code == warning.code);
        match (same, file) {
            (Some((_, files, _)), Some(file)) => files.push(file),
            _ => said.push((what, file.into_iter().collect(), warning)),
        }
    }
    let message = |what: &str, files: &[&str]| match files {
        [] => what.to_owned(),
        files => format!("{}: {what}", files.join(", ")),
    };
    said.into_iter().map(|(what, files, warning)| (message(what, &files), warning)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_of_several_files_is_said_once() {
        let missing = |text: &str| Warning::new("symbols_missing", text);
        let warnings = [
            missing("liba.so: no lines: build it with -g"),
            Warning::counted("lost", "samples: lost", 3),
            missing("libb.so: no lines: build it with -g"),
            missing("libc.so: no names: install them"),
        ];
        let Body::Lines(lines) = of_warnings(&warnings).body else { panic!("lines") };
        assert_eq!(
            lines,
            [
                "liba.so, libb.so: no lines: build it with -g (symbols_missing)",
                "samples: lost (lost: 3)",
                "libc.so: no names: install them (symbols_missing)",
            ]
        );
    }
}
