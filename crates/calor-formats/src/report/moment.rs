//! The time at which a run started, as reports write it.

/// Nanoseconds since 1970 of `2026-11-15T15:46:50Z`, with or without a fraction; `None` for anything else.
pub(super) fn unix_nanos(text: &str) -> Option<u64> {
    let (date, time) = text.strip_suffix('Z')?.split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut clock = clock.splitn(3, ':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let is_possible = (1970..2500).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60
        && fraction.len() <= 9;
    if !is_possible {
        return None;
    }
    let nanos = fraction.parse::<u64>().ok()? * 10_u64.pow(9 - fraction.len() as u32);
    // Days of the Gregorian calendar, counted in years that begin in March, so that a leap day is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
    const DAYS_TO_1970: u64 = 719_468;
    let seconds = ((days - DAYS_TO_1970) * 24 + hour) * 3600 + minute * 60 + second;
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_read_as_reports_write_them() {
        for (text, nanos) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T12:00:00Z", Some(951_825_600_000_000_000)),
            ("2024-03-01T00:00:00.5Z", Some(1_709_251_200_500_000_000)),
            ("1999-12-31 23:59:59.000000001Z", Some(946_684_799_000_000_001)),
            ("yesterday", None),
            ("2024-13-01T00:00:00Z", None),
            ("1970-01-01T00:00Z", None),
        ] {
            assert_eq!(unix_nanos(text), nanos, "{text}");
        }
    }
}
