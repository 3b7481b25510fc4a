//! The goals, each with what was measured and whether it is met.

use std::fmt;

use crate::number;

/// A bound of one figure.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The case whose figure it is.
    pub case: &'static str,
    /// What the figure is.
    pub what: String,
    /// What it is counted in.
    pub unit: &'static str,
    /// Where it has to be.
    pub bound: Bound,
    /// Where it was, or why that was not measured; the reason may be empty.
    pub measured: Result<f64, String>,
}

/// Where a figure has to be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bound {
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
    /// Between these two, both included.
    Within(f64, f64),
}

impl Goal {
    /// The table of the goals of these cases.
    #[must_use]
    pub fn markdown(goals: &[Self], is_asked_for: impl Fn(&str) -> bool) -> String {
        let goals: Vec<_> = goals.iter().filter(|goal| is_asked_for(goal.case)).collect();
        // Where all bounds are of one kind, the title says which.
        let is_at_most = goals.iter().all(|goal| matches!(goal.bound, Bound::AtMost(_)));
        let title = if is_at_most { "at most" } else { "goal is" };
        let mut out = format!("\n## goals\n\n| goal | measured | {title} | |\n|---|---:|---:|---|\n");
        for goal in goals {
            let bound = match goal.bound {
                Bound::AtMost(most) if is_at_most => most.to_string(),
                bound => bound.to_string(),
            };
            let (measured, verdict) = match &goal.measured {
                Ok(value) if goal.bound.holds(*value) => (goal.amount(*value), "met".to_owned()),
                Ok(value) => (goal.amount(*value), "**not met**".to_owned()),
                Err(reason) if reason.is_empty() => ("–".to_owned(), "not measured".to_owned()),
                Err(reason) => ("–".to_owned(), format!("not measured: {reason}")),
            };
            out += &format!("| {} | {measured} | {bound} {} | {verdict} |\n", goal.what, goal.unit);
        }
        out
    }

    fn amount(&self, value: f64) -> String {
        format!("{} {}", number(value, self.bound.digits()), self.unit)
    }
}

impl Bound {
    fn holds(self, value: f64) -> bool {
        match self {
            Bound::AtMost(most) => value <= most,
            Bound::AtLeast(least) => value >= least,
            Bound::Within(least, most) => (least..=most).contains(&value),
        }
    }

    /// A narrow range needs one digit more than its ends have, to show on which side of them a figure is.
    fn digits(self) -> usize {
        if matches!(self, Bound::Within(..)) { 3 } else { 2 }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::AtMost(most) => write!(f, "at most {most}"),
            Bound::AtLeast(least) => write!(f, "at least {least}"),
            Bound::Within(least, most) => write!(f, "{least} to {most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(bound: Bound, measured: Result<f64, &str>) -> String {
        let goal = Goal {
            case: "flame",
            what: "a flame graph".to_owned(),
            unit: "s",
            bound,
            measured: measured.map_err(str::to_owned),
        };
        Goal::markdown(&[goal], |case| case == "flame")
    }

    #[test]
    fn a_goal_is_met_up_to_its_bound_and_not_beyond() {
        for (bound, inside, outside) in [
            (Bound::AtMost(0.5), 0.5, 0.51),
            (Bound::AtLeast(99.5), 99.5, 99.4),
            (Bound::Within(0.99, 1.01), 0.99, 1.011),
        ] {
            assert!(table(bound, Ok(inside)).ends_with("| met |\n"), "{bound}");
            assert!(table(bound, Ok(outside)).ends_with("| **not met** |\n"), "{bound}");
        }
    }

    #[test]
    fn what_was_not_measured_is_not_called_met_and_says_why() {
        assert!(table(Bound::AtMost(1.0), Err("")).ends_with("| – | 1 s | not measured |\n"));
        assert!(table(Bound::AtMost(1.0), Err("no input")).ends_with("| not measured: no input |\n"));
    }

    #[test]
    fn the_title_says_what_the_bounds_are_where_all_are_alike() {
        assert!(table(Bound::AtMost(1.0), Ok(0.5)).contains("| measured | at most |"));
        let other = table(Bound::AtLeast(1.0), Ok(2.0));
        assert!(other.contains("| measured | goal is |") && other.contains("| at least 1 s |"), "{other}");
    }

    #[test]
    fn goals_of_cases_that_nobody_asked_for_are_left_out() {
        let goal = Goal {
            case: "flame",
            what: String::new(),
            unit: "",
            bound: Bound::AtMost(1.0),
            measured: Ok(0.5),
        };
        assert_eq!(Goal::markdown(&[goal], |case| case == "page").lines().count(), 5);
    }
}
