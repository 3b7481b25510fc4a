//! Whole numbers as they are typed. What cannot be read is answered with what was expected: a parser's own words are
//! about digits and overflow.

/// A number, 0 included.
pub(crate) fn whole(given: &str) -> Result<usize, String> {
    given.parse().map_err(|_| "expected a whole number, such as 4".to_owned())
}

/// A number from 1 on: none at all would say nothing.
pub(crate) fn from_one(given: &str) -> Result<usize, String> {
    let number = given.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected a whole number from 1 on, such as 20".to_owned())
}

/// A part of a whole above 0 and below 1, as a percentage or a fraction; a bare 2 could be either.
pub(crate) fn part(given: &str) -> Result<f64, String> {
    let (number, scale) = match given.trim().strip_suffix('%') {
        Some(percent) => (percent.trim(), 0.01),
        None => (given.trim(), 1.0),
    };
    match number.parse::<f64>().ok().map(|number| number * scale) {
        Some(part) if part > 0.0 && part < 1.0 => Ok(part),
        Some(part) if part.is_finite() && scale < 1.0 => {
            Err("expected more than 0% and less than 100%, such as 2%".to_owned())
        }
        _ => Err("expected a percentage such as 2%, or a fraction such as 0.02".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_answered_with_what_was_expected() {
        assert_eq!((whole("0"), whole("12"), from_one("1")), (Ok(0), Ok(12), Ok(1)));
        for wrong in ["", "-1", "x", "1.5", "99999999999999999999"] {
            assert!(whole(wrong).is_err_and(|error| error.starts_with("expected")), "{wrong}");
        }
        assert_eq!((part("2%"), part("0.5 %"), part("0.05")), (Ok(0.02), Ok(0.005), Ok(0.05)));
        for wrong in ["", "%", "2", "100%", "0", "-1%", "nan", "1e400"] {
            assert!(part(wrong).is_err_and(|error| error.contains("2%")), "{wrong}");
        }
        for beyond in ["200%", "100%", "0%", "-3%"] {
            assert!(part(beyond).is_err_and(|error| error.contains("less than 100%")), "{beyond}");
        }
        assert!(from_one("0").is_err_and(|error| error.contains("from 1 on")));
    }
}
