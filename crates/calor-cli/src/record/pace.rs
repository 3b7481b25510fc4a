//! Rates, times and processes as people write them.

use std::time::Duration;

/// A number of samples a second.
pub(crate) fn rate(given: &str) -> Result<u32, String> {
    match given.trim_end_matches("Hz").trim_end_matches("hz").trim().parse() {
        Ok(0) | Err(_) => Err("expected a whole number of samples a second, such as 99 or 999".to_owned()),
        Ok(rate) => Ok(rate),
    }
}

/// A time: a number and a unit, or a bare number of seconds.
pub(crate) fn duration(given: &str) -> Result<Duration, String> {
    let expected = || "expected a time such as 30s, 500ms, 2m or 1h".to_owned();
    let split = given.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(given.len());
    let (number, unit) = given.split_at(split);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    };
    let number: f64 = number.trim().parse().map_err(|_| expected())?;
    let time = Duration::try_from_secs_f64(number * seconds).map_err(|_| expected())?;
    if time < Duration::from_millis(1) { Err(expected()) } else { Ok(time) }
}

/// The number of a process.
pub(crate) fn pid(given: &str) -> Result<i32, String> {
    given.trim().parse().map_err(|_| {
        "expected the number of a running process, such as 1234; `pgrep -l NAME` or `ps -e` shows it"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let millis = |given| duration(given).map(|time| time.as_millis());
        assert_eq!(millis("30s"), Ok(30_000));
        assert_eq!(millis("500ms"), Ok(500));
        assert_eq!(millis("1.5m"), Ok(90_000));
        assert_eq!(millis("2h"), Ok(7_200_000));
        assert_eq!(millis("7"), Ok(7_000));
        for wrong in ["", "s", "-3s", "3 weeks", "nan", "inf", "0", "1e40h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_process_is_named_by_its_number() {
        assert_eq!(pid("1234"), Ok(1234));
        for wrong in ["abc", "", "12x", "99999999999"] {
            assert!(pid(wrong).is_err_and(|error| error.contains("pgrep")), "{wrong}");
        }
    }

    #[test]
    fn a_rate_is_a_positive_whole_number() {
        assert_eq!((rate("99"), rate("5000Hz")), (Ok(99), Ok(5000)));
        for wrong in ["0", "-1", "1.5", "x", "99999999999"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
