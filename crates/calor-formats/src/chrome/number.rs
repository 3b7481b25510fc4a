//! Numbers of a trace, from their text. Times are decimal microseconds, often since 1970: a float of 64 bits keeps
//! a quarter of a microsecond of those, which is too coarse for spans of a few nanoseconds, so the digits are read
//! one by one.

/// The largest distance from zero that a time may have, so that sums and differences of two stay inside 64 bits.
const MAX_NANOS: i128 = (i64::MAX / 4) as i128;

/// Decimal microseconds, as a number or in quotes, in picoseconds; `None` for anything else and for times that no
/// clock tells.
pub(super) fn picos(raw: &str) -> Option<i128> {
    let text = unquoted(raw).trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return picos_of_float(text.parse().ok()?);
    }
    let mut scale = 100_000;
    let mut picos = i128::from(whole.parse::<u64>().ok()?) * 1_000_000;
    for digit in fraction.bytes().take(6) {
        picos += i128::from(digit - b'0') * scale;
        scale /= 10;
    }
    (picos / 1000 <= MAX_NANOS).then_some(sign * picos)
}

/// The way of numbers with an exponent.
fn picos_of_float(micros: f64) -> Option<i128> {
    let is_time = micros.abs() * 1000.0 < MAX_NANOS as f64;
    is_time.then(|| micros.trunc() as i128 * 1_000_000 + (micros.fract() * 1e6) as i128)
}

/// The nearest nanosecond.
pub(super) fn nanos(picos: i128) -> i64 {
    // Times are inside `MAX_NANOS`, and a sum of two is inside twice that.
    i64::try_from((picos + 500).div_euclid(1000)).unwrap_or(i64::MAX / 2)
}

/// A number of any kind, as a number or in quotes, if it is finite.
pub(super) fn float(raw: &str) -> Option<f64> {
    unquoted(raw).trim().parse().ok().filter(|value: &f64| value.is_finite())
}

/// A whole number from zero, as a number or in quotes.
pub(super) fn whole(raw: &str) -> Option<u64> {
    unquoted(raw).trim().parse().ok()
}

fn unquoted(raw: &str) -> &str {
    raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_keep_every_digit_however_large_they_are() {
        for (raw, expected) in [
            ("0", Some(0)),
            ("1700000000123456.789", Some(1_700_000_000_123_456_789)),
            ("\"12.5\"", Some(12_500)),
            ("-3.001", Some(-3_001)),
            ("1.5e3", Some(1_500_000)),
            ("4387244971.8109999", Some(4_387_244_971_811)),
            ("0.0004999", Some(0)),
            ("0.0005", Some(1)),
        ] {
            assert_eq!(picos(raw).map(nanos), expected, "{raw}");
        }
    }

    #[test]
    fn what_is_no_time_is_none_instead_of_a_wrong_one() {
        for raw in [
            "",
            "\"\"",
            "null",
            "true",
            "\"NaN\"",
            "\"inf\"",
            "1e300",
            "-1e300",
            "-",
            "1.2.3",
            "\"",
            "[1]",
            "99999999999999999",
            "18446744073709551616",
            "\"+-1\"",
            "1_000",
        ] {
            assert_eq!(picos(raw), None, "{raw}");
        }
    }
}
