//! How sure a share is that was counted in samples.

/// So many standard deviations to each side hold 95 % of a normal distribution.
const DEVIATIONS: f64 = 1.959_964;

/// The 95 % interval of a share of which `n_hits` of `n_samples` were seen, by Wilson's score: it stays within 0 and 1
/// and is right for small numbers too (E. B. Wilson, 1927). `None` without samples.
#[must_use]
pub fn share_interval(n_hits: u64, n_samples: u64) -> Option<(f64, f64)> {
    if n_samples == 0 || n_hits > n_samples {
        return None;
    }
    let (n, z2) = (n_samples as f64, DEVIATIONS * DEVIATIONS);
    let share = n_hits as f64 / n;
    let centre = share + z2 / (2.0 * n);
    let half = DEVIATIONS * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    Some((((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        for (hits, samples, low, high) in [
            (0, 10, 0.0, 0.2775),
            (5, 10, 0.2366, 0.7634),
            (10, 10, 0.7225, 1.0),
            (500, 1000, 0.4691, 0.5309),
        ] {
            let (found_low, found_high) = share_interval(hits, samples).unwrap();
            assert!(
                (found_low - low).abs() < 1e-4 && (found_high - high).abs() < 1e-4,
                "{hits} of {samples}"
            );
        }
    }

    #[test]
    fn nothing_is_said_of_no_samples() {
        assert_eq!(share_interval(0, 0), None);
        assert_eq!(share_interval(2, 1), None);
    }
}
