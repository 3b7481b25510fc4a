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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_answered_with_what_was_expected() {
        assert_eq!((whole("0"), whole("12"), from_one("1")), (Ok(0), Ok(12), Ok(1)));
        for wrong in ["", "-1", "x", "1.5", "99999999999999999999"] {
            assert!(whole(wrong).is_err_and(|error| error.starts_with("expected")), "{wrong}");
        }
        assert!(from_one("0").is_err_and(|error| error.contains("from 1 on")));
    }
}
