//! Instants as text, in UTC and in the form of RFC 3339.

/// `2026-11-15T14:42:45Z` for nanoseconds since 1970; `None` for 0, which stands for unknown.
#[must_use]
pub fn utc(unix_nanos: u64) -> Option<String> {
    if unix_nanos == 0 {
        return None;
    }
    let seconds = unix_nanos / 1_000_000_000;
    let (year, month, day) = date(seconds / 86_400);
    let of_day = seconds % 86_400;
    let (hour, minute, second) = (of_day / 3600, of_day % 3600 / 60, of_day % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// Year, month and day of a number of days since 1970. Years begin in March here, so that the leap day is
/// the last of its year and every month's start follows from one formula.
fn date(days: u64) -> (u64, u64, u64) {
    // From the first of March of year 0 to the first of January 1970.
    let days = days + 719_468;
    // 400 years always have as many days; inside, leap years are taken out step by step.
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_fall_on_the_right_day() {
        for (seconds, expected) in [
            (1, "1970-01-01T00:00:01Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_763_217_765, "2025-11-15T14:42:45Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds * 1_000_000_000).as_deref(), Some(expected));
        }
        assert_eq!(utc(0), None);
    }
}
