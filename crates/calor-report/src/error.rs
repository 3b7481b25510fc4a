//! Why a report could not be made.

use calor_model::Profile;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The heap was asked for and is not there.
    #[error(
        "the profile has no heap: record one with `calor record --heap -- CMD`, or with `calor::Alloc` as the allocator of \
         the program"
    )]
    HeapNotRecorded,
    /// A question about a heap that has no table of call paths.
    #[error(
        "a csv file has a row for each call path, and the question is not about those: leave --growth, --sizes, --tree and \
         --diff out, or write html, md or json"
    )]
    HeapNotInCsv,
    /// The heap was to be watched, and could not be.
    #[error("the profile has no heap: {why}")]
    HeapNotWatched {
        /// What the recorder said.
        why: String,
    },
    /// Threads were asked for that the counts do not tell apart.
    #[error(
        "counts of this heap are kept by call path and not by thread, so --thread cannot choose among them: leave it out; \
         what a thread allocated stands below the function that it runs, see `calor heap FILE --tree`"
    )]
    HeapNotByThread,
    /// There is no such format.
    #[error("unknown report format `{given}`: expected text, json, md, html or csv")]
    UnknownFormat {
        /// What was asked for.
        given: String,
    },
    /// What cannot be asked of a run.
    #[error(transparent)]
    WhatIf(calor_analysis::Error),
    /// What cannot be forecast.
    #[error(transparent)]
    Forecast(calor_analysis::Error),
    /// A profile without times.
    #[error(
        "the profile has no times of scopes or functions to ask about: record scopes with the SDK, or any program with \
         `calor record`"
    )]
    NothingTimed,
    /// A function that is not there.
    #[error("expected the name of a function with time in it, found `{found}`; such as {known}")]
    UnknownFunction {
        /// What was asked for.
        found: String,
        /// The first of those that are there.
        known: String,
    },
    /// The metric has no list of hot paths.
    #[error(
        "a report lists hot paths by scopes, cpu, wall or off_cpu, and shows {metric} beside them: leave --metric out, or \
         see it alone with `calor flame --metric {metric} -o flame.html` or `calor convert --metric {metric} --to folded \
         -o -`"
    )]
    MetricNotListed {
        /// What was asked for.
        metric: crate::Metric,
    },
    /// The profile does not have the metric.
    #[error("the profile has no {metric}: it holds {available}")]
    MetricMissing {
        /// What was asked for.
        metric: crate::Metric,
        /// What there is, in words.
        available: String,
    },
    /// Runs that cannot be compared.
    #[error(transparent)]
    Analysis(#[from] calor_analysis::Error),
    /// The allocator of the program counted for scopes alone.
    #[error(
        "the profile has no heap: its allocator (`calor::Alloc::sums`) counts what scopes allocate and does not follow \
         blocks; `calor report` shows those sums, and `calor::Alloc::system` or `exact` in its place follows blocks"
    )]
    HeapOfSums,
    /// A table of call paths cannot show what was asked for.
    #[error(
        "csv lists call paths as they were recorded and cannot {what}; leave out the option or ask for json"
    )]
    NotInCsv {
        /// What was asked for.
        what: &'static str,
    },
    /// The page could not be written.
    #[error("could not write the report")]
    Write(#[from] std::io::Error),
}

impl Error {
    /// Why a profile has no heap.
    pub(crate) fn heap_missing(profile: &Profile) -> Self {
        let said = |code: &str| profile.warnings.iter().find(|warning| warning.code == code);
        match said("heap_not_watched").or_else(|| said("heap_not_begun")) {
            Some(warning) => Self::HeapNotWatched { why: warning.message.clone() },
            None if profile.scopes.iter().any(|(_, stats)| stats.memory.is_some()) => Self::HeapOfSums,
            None => Self::HeapNotRecorded,
        }
    }
}
