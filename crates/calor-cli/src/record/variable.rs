//! Options that may come from a variable of the environment. What is wrong there is told with the variable's name: the
//! option that it stands for was never typed.

use std::str::FromStr;

/// An option that is on or off.
pub(super) fn truth(variable: &'static str) -> impl Fn(&str) -> Result<bool, String> + Clone {
    let parse = |given: &str| match given.to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Ok(true),
        "false" | "f" | "no" | "n" | "off" | "0" => Ok(false),
        _ => Err("expected true, yes, on or 1, or false, no, off or 0".to_owned()),
    };
    told(variable, parse)
}

/// An option that is a whole number.
pub(super) fn whole(variable: &'static str) -> impl Fn(&str) -> Result<usize, String> + Clone {
    told(variable, |given: &str| usize::from_str(given).map_err(|_| "expected a whole number".to_owned()))
}

/// An option that is read by `parse`, and is wrong because of the variable if that says the same.
pub(super) fn told<T>(
    variable: &'static str,
    parse: impl Fn(&str) -> Result<T, String> + Clone,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |given| {
        let is_said = || std::env::var(variable).is_ok_and(|said| said == given);
        parse(given).map_err(|expected| match is_said() {
            true => format!("{expected}; this is what the variable {variable} says"),
            false => expected,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_and_what_is_off_can_be_said_in_many_ways() {
        let parse = truth("CALOR_NOT_SET");
        assert!(["true", "YES", "on", "1"].iter().all(|given| parse(given) == Ok(true)));
        assert!(["false", "no", "OFF", "0"].iter().all(|given| parse(given) == Ok(false)));
        assert!(parse("maybe").is_err_and(|error| error.contains("yes") && !error.contains("CALOR")));
    }
}
