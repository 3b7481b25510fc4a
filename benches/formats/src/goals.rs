//! The goals, each with what was measured and whether it is met.

use harness::{Bound, Goal, Results};

use crate::case::Case;

/// An upper bound of the median of one of Calor's figures.
struct UpperBound {
    case: &'static str,
    what: &'static str,
    figure: &'static str,
    /// What the figure is multiplied with to be in `unit`.
    factor: f64,
    unit: &'static str,
    bound: f64,
}

const fn goal(
    case: &'static str,
    what: &'static str,
    (figure, factor, unit): (&'static str, f64, &'static str),
    bound: f64,
) -> UpperBound {
    UpperBound { case, what, figure, factor, unit, bound }
}

const SECONDS: (&str, f64, &str) = ("cpu_s", 1.0, "s");
const MILLIS: (&str, f64, &str) = ("cpu_s", 1e3, "ms");
const PROFILES: (&str, f64, &str) = ("x_profile", 1.0, "x");

const ALL: [UpperBound; 14] = [
    goal("pprof-read", "100 MB of pprof read", SECONDS, 2.0),
    goal("pprof-calor", "100 MB of pprof to `.calor`", SECONDS, 2.0),
    goal("pprof-gz-calor", "the same, compressed", SECONDS, 2.0),
    goal("pprof-folded", "100 MB of pprof to folded stacks", SECONDS, 2.0),
    goal("chrome-calor", "100 MB of Chrome trace to `.calor`", SECONDS, 2.0),
    goal("flame", "a flame graph of 100,000 stacks", SECONDS, 0.5),
    goal("memory-pprof", "peak of reading and reporting over the profile, pprof", PROFILES, 3.0),
    goal("memory-chrome", "peak of reading and reporting over the profile, Chrome trace", PROFILES, 3.0),
    goal("memory-calor", "peak of reading and reporting over the profile, `.calor`", PROFILES, 3.0),
    goal("report-samples", "text report of 10 MB of samples", MILLIS, 200.0),
    goal("report-scopes", "text report of 10 MB of scopes and spans", MILLIS, 200.0),
    goal("page", "HTML report of 5,000 functions", ("output_mb", 1.0, "MB"), 2.0),
    goal("paint", "first paint of that page", ("paint_ms", 1.0, "ms"), 300.0),
    goal("pan", "longest frame of panning over 100,000 frames", ("longest_ms", 1.0, "ms"), 32.0),
];

/// The table of the goals that these cases measure.
pub(crate) fn markdown(cases: &[&'static Case], results: &Results) -> String {
    let goals: Vec<Goal> = ALL.iter().map(|goal| goal.measured(results)).collect();
    Goal::markdown(&goals, |name| cases.iter().any(|case| case.name == name))
}

impl UpperBound {
    fn measured(&self, results: &Results) -> Goal {
        let spread = results.spread(self.case, "calor", self.figure);
        let measured = spread.map(|spread| spread.median * self.factor).ok_or_else(|| {
            results.failure(self.case, "calor").unwrap_or("no round came to its end").to_owned()
        });
        let (what, bound) = (self.what.to_owned(), Bound::AtMost(self.bound));
        Goal { case: self.case, what, unit: self.unit, bound, measured }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::Figures;

    #[test]
    fn every_goal_is_of_a_case() {
        for goal in &ALL {
            assert!(Case::find(goal.case).is_ok(), "{}", goal.case);
        }
    }

    #[test]
    fn a_goal_is_met_up_to_its_bound_and_a_missing_figure_says_why() {
        let flame = Case::find("flame").unwrap();
        for (seconds, verdict) in [(0.5, "| met |"), (0.51, "**not met**")] {
            let mut results = Results::new(1);
            results.insert("flame", "calor", 0, Figures::default().with("cpu_s", seconds));
            assert!(markdown(&[flame], &results).contains(verdict), "{seconds}");
        }
        let mut results = Results::new(1);
        results.fail("flame", "calor", "no input\nmore".to_owned());
        assert!(markdown(&[flame], &results).contains("not measured: no input |"));
    }
}
