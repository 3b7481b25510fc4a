//! How long ago, as people type it: `30d`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An age such as `12h`, `30d` or `2w`.
pub(crate) fn age(given: &str) -> Result<Duration, String> {
    const MINUTE: u64 = 60;
    let wrong = || "expected an age, such as 30d; units are s, m, h, d and w".to_owned();
    let digits = given.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let seconds = match &given[digits.len()..] {
        "s" => 1,
        "m" => MINUTE,
        "h" => 60 * MINUTE,
        "d" => 24 * 60 * MINUTE,
        "w" => 7 * 24 * 60 * MINUTE,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

/// The time that was so long ago, in nanoseconds since 1970.
pub(crate) fn ago(age: Duration) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.saturating_sub(age).as_nanos()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_unit() {
        for (given, seconds) in [
            ("90s", Some(90)),
            ("2m", Some(120)),
            ("1h", Some(3600)),
            ("30d", Some(2_592_000)),
            ("0d", Some(0)),
        ] {
            assert_eq!(age(given).ok().map(|age| age.as_secs()), seconds, "{given}");
        }
        for given in ["", "30", "d", "-1d", "1.5h", "3 d", "99999999999999999999d", "18446744073709551615w"] {
            assert!(age(given).is_err_and(|error| error.contains("such as 30d")), "{given}");
        }
    }
}
