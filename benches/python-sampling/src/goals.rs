//! The goals, each with what was measured and whether it is met. A ratio is the median of the rounds' ratios.

use harness::Bound::{self, AtLeast, AtMost};
use harness::{Goal, Results, Spread};

use crate::case::{Case, Kind};

/// Those of one case.
pub(crate) fn of_case(case: &Case, results: &Results) -> Vec<Goal> {
    let name = case.name;
    let mut goals = Vec::new();
    let mut goal = |what: &str, unit, bound: Bound, measured: Option<Spread>| {
        let reason = || results.failure(name, "calor").unwrap_or_default().to_owned();
        let measured = measured.map(|spread| spread.median).ok_or_else(reason);
        goals.push(Goal { case: name, what: format!("{name}: {what}"), unit, bound, measured });
    };
    let own = |figure| results.spread(name, "calor", figure);
    if case.kind == Kind::Top {
        goal("CPU of one core", "%", AtMost(5.0), own("cpu_pct"));
        goal("slowest answer to a key", "ms", AtMost(100.0), own("longest_key_ms"));
        return goals;
    }
    if case.kind == Kind::Stops {
        let beyond = |figure| results.difference(name, ("calor", "bare"), figure);
        goal("longest stop beyond that of the bare program", "µs", AtMost(100.0), beyond("longest_us"));
        goal("99.9 % of stops, beyond the same", "µs", AtMost(100.0), beyond("p999_us"));
        return goals;
    }
    goal("gemm under its Python function", "%", AtLeast(99.0), own("gemm_pct"));
    goal("sort under its Python function", "%", AtLeast(99.0), own("sort_pct"));
    goal("function that is furthest off", "points", AtMost(3.0), own("off_points"));
    goal("rooted stacks", "%", AtLeast(99.0), own("rooted_pct"));
    goal("samples with Python that is not verified", "%", AtMost(1.0), own("unverified_pct"));
    goal("own CPU of the program's", "%", AtMost(10.0), own("own_cpu_pct"));
    let wall = results.ratio(name, ("calor", "bare"), "wall_s");
    goal("wall time over that of the bare program", "x", AtMost(1.05), wall);
    goals
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use harness::Figures;

    use super::*;
    use crate::case;
    use crate::interpreter::Interpreter;

    #[test]
    fn a_stop_is_compared_with_the_bare_program_of_its_round_and_what_is_missing_says_why() {
        let interpreter = Interpreter {
            name: "3.11.7".to_owned(),
            version: (3, 11),
            is_free_threaded: false,
            path: PathBuf::new(),
        };
        let cases = case::all(&[interpreter]);
        let mut results = Results::new(1);
        for (who, longest) in [("calor", 340.0), ("bare", 300.0)] {
            results.insert(case::STOPS, who, 0, Figures::default().with("longest_us", longest));
        }
        results.fail("3.11.7", "calor", "not available: no `record`".to_owned());
        let goals: Vec<Goal> = cases.iter().flat_map(|case| of_case(case, &results)).collect();
        let text = Goal::markdown(&goals, |_| true);
        assert!(
            text.contains("longest stop beyond that of the bare program | 40.00 µs | at most 100 µs | met |")
        );
        assert!(text.contains("| not measured: not available: no `record` |"), "{text}");
    }
}
