//! asv fits steps to a history by least absolute deviations, with a penalty of 4 ln n / n for each on the logarithm of what is
//! left. One step at most here.

pub(crate) fn change_point(values: &[f64]) -> Option<usize> {
    let n = values.len();
    let whole = deviations(values);
    let (rest, at) = (2..n.saturating_sub(1))
        .map(|at| (deviations(&values[..at]) + deviations(&values[at..]), at))
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let penalty = 4.0 * (n as f64).ln() / n as f64;
    (rest.ln() + penalty < whole.ln()).then_some(at)
}

fn deviations(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
    values.iter().map(|value| (value - median).abs()).sum()
}
