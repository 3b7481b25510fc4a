//! `--metric`: which of the numbers of a profile is shown.

use calor_formats::Metric;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The words for metrics, with what they mean.
pub(crate) fn words() -> impl TypedValueParser<Value = Metric> {
    let words = Metric::ALL.map(|metric| {
        let word = PossibleValue::new(metric.word()).help(meaning(metric));
        if metric == Metric::OffCpu { word.alias("off-cpu") } else { word }
    });
    PossibleValuesParser::new(words).try_map(|word| word.parse::<Metric>())
}

fn meaning(metric: Metric) -> &'static str {
    match metric {
        Metric::Scopes => "Time in scopes",
        Metric::Cpu => "Time on a CPU, by samples",
        Metric::Wall => "Time on a CPU and waited",
        Metric::OffCpu => "Time waited",
        Metric::Gpu => "Time of kernels and copies on GPUs",
        Metric::Allocated => "Bytes allocated",
        Metric::Peak => "Bytes held when the heap was largest",
        Metric::Live => "Bytes allocated and never freed",
        Metric::Temporary => "Bytes that the next event of their thread on the heap freed",
        _ => "Another number of the profile",
    }
}
