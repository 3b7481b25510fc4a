//! Counters by call path.

use calor_analysis::EventCounter;
use serde::Serialize;

use crate::report::Report;

#[derive(Serialize)]
pub(super) struct Counter<'r> {
    name: &'r str,
    value: u64,
    samples: u64,
    paths: Vec<Place<'r>>,
}

/// Where events happened.
#[derive(Serialize)]
struct Place<'r> {
    name: &'r str,
    path: Vec<&'r str>,
    value: u64,
    samples: u64,
    share: f64,
}

impl<'r> Counter<'r> {
    pub(super) fn new(report: &'r Report<'_>, counter: &EventCounter) -> Self {
        let profile = report.answer.profile;
        let places = counter.paths.iter().map(|path| Place {
            name: profile.stack_name(path.stack),
            path: profile.path_names(path.stack),
            value: path.own.events,
            samples: path.own.samples,
            share: path.share,
        });
        Self {
            name: profile.strings.get(counter.name),
            value: counter.whole.events,
            samples: counter.whole.samples,
            paths: places.take(report.options.top.unwrap_or(usize::MAX)).collect(),
        }
    }
}
