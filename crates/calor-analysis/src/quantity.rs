//! Numbers as people read them: three significant digits and a unit.

/// A duration: `815 ns`, `1.23 µs`, `12.3 ms`, `1.23 s`, `2 min 05 s`, `3 h 07 min`.
#[must_use]
pub fn duration(nanos: f64) -> String {
    if !nanos.is_finite() {
        return "?".to_owned();
    }
    if nanos.abs() >= 59.95e9 {
        let seconds = (nanos / 1e9).round();
        let sign = if seconds < 0.0 { "-" } else { "" };
        let seconds = seconds.abs() as u64;
        return match seconds / 3600 {
            0 => format!("{sign}{} min {:02} s", seconds / 60, seconds % 60),
            hours => format!("{sign}{hours} h {:02} min", seconds % 3600 / 60),
        };
    }
    scaled(nanos, &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")])
}

/// A size: `815 B`, `1.23 KiB`, `12.3 MiB`.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut steps = [(1.0, ""); UNITS.len()];
    for (power, unit) in UNITS.iter().enumerate() {
        steps[power] = (1024_f64.powi(power as i32), unit);
    }
    scaled(bytes as f64, &steps)
}

/// A size that may be less than nothing, with its sign: `+1.23 KiB`, `-815 B`, `0 B`.
#[must_use]
pub fn signed_bytes(difference: i128) -> String {
    let size = bytes(u64::try_from(difference.unsigned_abs()).unwrap_or(u64::MAX));
    match difference.signum() {
        1 => format!("+{size}"),
        -1 => format!("-{size}"),
        _ => size,
    }
}

/// A size a second: `1.23 KiB/s`, `-815 B/s`.
#[must_use]
pub fn byte_rate(per_second: f64) -> String {
    if !per_second.is_finite() {
        return "?".to_owned();
    }
    let sign = if per_second <= -0.5 { "-" } else { "" };
    format!("{sign}{}/s", bytes(per_second.abs().round() as u64))
}

/// How far an estimate may be off to either side, as a share of it: `± 3.1 %`; `None` where nobody estimated.
#[must_use]
pub fn uncertainty(estimate: u64, interval: Option<[u64; 2]>) -> Option<String> {
    let [_, high] = interval?;
    let share = high.saturating_sub(estimate) as f64 / (estimate as f64).max(1.0);
    Some(match share * 100.0 {
        percent if percent >= 9.95 => format!("± {percent:.0} %"),
        percent => format!("± {percent:.1} %"),
    })
}

/// A size that may be an estimate: `1.23 KiB`, or `~1.23 KiB ± 3.1 %`.
#[must_use]
pub fn estimated_bytes(estimate: u64, interval: Option<[u64; 2]>) -> String {
    match uncertainty(estimate, interval) {
        Some(uncertainty) => format!("~{} {uncertainty}", bytes(estimate)),
        None => bytes(estimate),
    }
}

/// Thousand millions of something, without a unit, which stands in the title of the column: `41.2`, `0.032`.
#[must_use]
pub fn giga(amount: f64) -> String {
    let giga = amount / 1e9;
    match giga.abs() {
        _ if !giga.is_finite() => "?".to_owned(),
        0.0 => "0".to_owned(),
        small if small < 0.0005 => "<0.001".to_owned(),
        small if small < 0.0995 => format!("{giga:.3}"),
        small if small < 9.995 => format!("{giga:.2}"),
        small if small < 99.95 => format!("{giga:.1}"),
        _ => count(giga.round().max(0.0) as u64),
    }
}

/// A count with thousands set apart: `12,345,678`.
#[must_use]
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many of a thing: `1 call`, `12,345 calls`.
#[must_use]
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

/// A count that may be negative.
#[must_use]
pub fn signed_count(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", count(number.unsigned_abs()))
}

/// A number of anything: `0.25`, `815`, `12.3 k`, `1.23 M`.
#[must_use]
pub fn amount(amount: f64) -> String {
    if !amount.is_finite() {
        return "?".to_owned();
    }
    scaled(amount, &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")]).trim_end().to_owned()
}

/// A number of anything a second: `815 /s`, `1.23 M/s`.
#[must_use]
pub fn rate(per_second: f64) -> String {
    match amount(per_second) {
        text if text.ends_with(|letter: char| letter.is_ascii_digit()) => format!("{text} /s"),
        text => format!("{text}/s"),
    }
}

/// A share: `97.5 %`; what is there but rounds to nothing is `<0.1 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.05 {
        return "<0.1 %".to_owned();
    }
    // A sum of nothing is minus zero, and so is what rounds to it from below.
    let text = format!("{percent:.1} %");
    if text == "-0.0 %" { "0.0 %".to_owned() } else { text }
}

/// A relative change with its sign: `+8.1 %`, `-0.25 %`, `+230 %`; two places below 1 %, none from 100 % on,
/// and `>+999 %` for all above.
#[must_use]
pub fn signed_percent(share: f64) -> String {
    if !share.is_finite() {
        return "?".to_owned();
    }
    let percent = share * 100.0;
    // So much more is told by the figures themselves.
    if percent >= 999.5 {
        return ">+999 %".to_owned();
    }
    let digits = match percent.abs() {
        small if small < 0.995 => 2,
        usual if usual < 99.95 => 1,
        _ => 0,
    };
    let text = format!("{percent:+.digits$} %");
    if percent.abs() < 0.005 { "0 %".to_owned() } else { text }
}

/// Two shares between which a third lies: `46.1-53.9 %`.
#[must_use]
pub fn percent_range((low, high): (f64, f64)) -> String {
    format!("{:.1}-{:.1} %", low * 100.0, high * 100.0)
}

/// `value` in the largest unit that leaves at least 1, with three significant digits; never 1000 of a unit
/// that has a larger one.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let fits = |(size, _): &(f64, &str)| value.abs() / size >= 0.9995;
    let at = units.iter().rposition(fits).unwrap_or(0);
    let (size, unit) = units[at];
    let scaled = value / size;
    let digits = match scaled.abs() {
        // A whole number of the smallest unit has no digits behind the point.
        _ if at == 0 && scaled.fract() == 0.0 => 0,
        small if small < 9.995 => 2,
        small if small < 99.95 => 1,
        _ => 0,
    };
    format!("{scaled:.digits$} {unit}")
}

/// How many times as much: `10.4x`.
#[must_use]
pub fn times(ratio: f64) -> String {
    let digits = if ratio >= 99.5 {
        0
    } else if ratio >= 9.995 {
        1
    } else {
        2
    };
    format!("{ratio:.digits$}x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_and_the_unit_that_fits() {
        for (nanos, expected) in [
            (0.0, "0 ns"),
            (0.25, "0.25 ns"),
            (22.5, "22.5 ns"),
            (815.0, "815 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 µs"),
            (1_234.0, "1.23 µs"),
            (12_345.0, "12.3 µs"),
            (999_600.0, "1.00 ms"),
            (1_230_000.0, "1.23 ms"),
            (99_960_000.0, "100 ms"),
            (1.5e9, "1.50 s"),
            (59.9e9, "59.9 s"),
            (59.96e9, "1 min 00 s"),
            (125e9, "2 min 05 s"),
            (11_250e9, "3 h 07 min"),
            (-1_500.0, "-1.50 µs"),
            (f64::NAN, "?"),
        ] {
            assert_eq!(duration(nanos), expected, "{nanos}");
        }
    }

    #[test]
    fn sizes_are_binary_and_rates_have_three_digits() {
        for (size, expected) in
            [(0, "0 B"), (1023, "1023 B"), (512, "512 B"), (1 << 20, "1.00 MiB"), (u64::MAX, "16.0 EiB")]
        {
            assert_eq!(bytes(size), expected, "{size}");
        }
        for (amount, expected) in [
            (0.0, "0"),
            (4.0e3, "<0.001"),
            (32.0e6, "0.032"),
            (41.25e9, "41.2"),
            (1234.4e9, "1,234"),
            (f64::INFINITY, "?"),
        ] {
            assert_eq!(giga(amount), expected, "{amount}");
        }
    }

    #[test]
    fn differences_have_a_sign_and_estimates_tell_how_far_they_may_be_off() {
        for (difference, expected) in [(0, "0 B"), (2048, "+2.00 KiB"), (-7, "-7 B")] {
            assert_eq!(signed_bytes(difference), expected);
        }
        for (rate, expected) in [(0.2, "0 B/s"), (-0.2, "0 B/s"), (-2048.0, "-2.00 KiB/s"), (f64::NAN, "?")] {
            assert_eq!(byte_rate(rate), expected);
        }
        let changes = [
            (0.0814, "+8.1 %"),
            (-0.0025, "-0.25 %"),
            (0.0, "0 %"),
            (2.3, "+230 %"),
            (71.0, ">+999 %"),
            (f64::NAN, "?"),
        ];
        for (share, expected) in changes {
            assert_eq!(signed_percent(share), expected);
        }
        assert_eq!(estimated_bytes(1 << 20, None), "1.00 MiB");
        assert_eq!(estimated_bytes(1000, Some([969, 1031])), "~1000 B ± 3.1 %");
        assert_eq!(uncertainty(100, Some([0, 296])).as_deref(), Some("± 196 %"));
    }

    #[test]
    fn amounts_and_rates_have_three_digits_and_a_letter_for_their_size() {
        for (number, expected) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (815.0, "815"),
            (12_345.0, "12.3 k"),
            (-2e6, "-2.00 M"),
            (f64::NAN, "?"),
        ] {
            assert_eq!(amount(number), expected);
        }
        assert_eq!((rate(815.0), rate(1_234_000.0)), ("815 /s".to_owned(), "1.23 M/s".to_owned()));
        assert_eq!(signed_count(-12_345), "-12,345");
    }

    #[test]
    fn counts_are_set_apart_and_shares_never_round_to_nothing() {
        for (number, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(count(number), expected);
        }
        for (number, expected) in [(0, "0 calls"), (1, "1 call"), (2, "2 calls"), (1_000, "1,000 calls")] {
            assert_eq!(counted(number, "call"), expected);
        }
        for (share, expected) in
            [(0.0, "0.0 %"), (-0.0, "0.0 %"), (0.0001, "<0.1 %"), (0.975, "97.5 %"), (1.0, "100.0 %")]
        {
            assert_eq!(percent(share), expected);
        }
    }
}
