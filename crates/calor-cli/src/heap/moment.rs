//! A moment of a run as people write it: `500ms`, `10s`, `2.5min`, `1h`.

/// Nanoseconds from the start of the run. A number alone is seconds.
pub(super) fn nanos(given: &str) -> Result<u64, String> {
    let text = given.trim();
    let unit_at = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let scale = match unit {
        "ms" => Some(1e6),
        "" | "s" => Some(1e9),
        "min" | "m" => Some(60e9),
        "h" => Some(3600e9),
        _ => None,
    };
    let number = number.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    match (number, scale) {
        (Some(number), Some(scale)) => Ok((number * scale).round() as u64),
        _ => Err("expected a time from the start of the run, such as 500ms, 10s or 2min".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_seconds_need_none() {
        for (given, expected) in [
            ("0", 0),
            ("500ms", 500_000_000),
            ("10s", 10_000_000_000),
            ("2.5 s", 2_500_000_000),
            ("3", 3_000_000_000),
            ("2min", 120_000_000_000),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(nanos(given), Ok(expected), "{given}");
        }
        for given in ["", "s", "-1s", "10 days", "NaN", "1e999s"] {
            assert!(nanos(given).unwrap_err().contains("such as 500ms"), "{given}");
        }
    }
}
