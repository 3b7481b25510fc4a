//! A calendar date in UTC, for the name of a saved run.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) struct Date {
    year: u64,
    month: u64,
    day: u64,
}

impl Date {
    pub(crate) fn today() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::from_days(since_epoch.as_secs() / 86_400)
    }

    fn from_days(days_since_epoch: u64) -> Self {
        let mut days = days_since_epoch;
        let mut year = 1970;
        while days >= days_in_year(year) {
            days -= days_in_year(year);
            year += 1;
        }
        let february = days_in_year(year) - 337;
        let mut month = 1;
        for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            if days < length {
                break;
            }
            days -= length;
            month += 1;
        }
        Self { year, month, day: days + 1 }
    }
}

fn days_in_year(year: u64) -> u64 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if is_leap { 366 } else { 365 }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(days_since_epoch: u64, expect: &str) {
        assert_eq!(Date::from_days(days_since_epoch).to_string(), expect);
    }

    #[test]
    fn days_become_dates() {
        check(0, "1970-01-01");
        check(58, "1970-02-28");
        check(59, "1970-03-01");
        check(789, "1972-02-29");
        check(11_016, "2000-02-29");
        check(19_722, "2023-12-31");
        check(19_723, "2024-01-01");
        check(47_540, "2100-02-28");
        check(47_541, "2100-03-01");
    }
}
