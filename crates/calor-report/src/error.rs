//! Why a report could not be made.

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A question about a heap that has no table of call paths.
    #[error(
        "a csv file has a row for each call path, and the question is not about those: leave --growth, --sizes, --tree and \
         --diff out, or write html, md or json"
    )]
    HeapNotInCsv,
    /// There is no such format.
    #[error("unknown report format `{given}`: expected text, json, md, html or csv")]
    UnknownFormat {
        /// What was asked for.
        given: String,
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
