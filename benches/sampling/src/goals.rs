//! The goals, each with what was measured and whether it is met. A ratio is the median of the rounds' ratios.

use harness::Bound::{self, AtLeast, AtMost, Within};
use harness::{Goal, Results, Spread};

const PEER: &str = "perf-dwarf";

/// All of them.
pub(crate) fn all(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    let mut goal = |case, what: &str, unit, bound: Bound, measured: Option<f64>| {
        let measured = measured.ok_or_else(|| reason(results, case));
        goals.push(Goal { case, what: format!("{case}: {what}"), unit, bound, measured });
    };
    let median = |spread: Option<Spread>| spread.map(|spread| spread.median);
    let own = |case, figure| median(results.spread(case, "calor", figure));
    let to_peer = |case, figure| median(results.ratio(case, ("calor", PEER), figure));

    for case in ["native-99", "native-999", "native-5000"] {
        let ratio = to_peer(case, "target_cpu_s");
        goal(case, "the program's CPU over that under perf with dwarf", "x", AtMost(1.0), ratio);
    }
    let ratio = to_peer("native-999", "own_cpu_ms");
    goal("native-999", "own CPU over that of perf record with dwarf", "x", AtMost(0.25), ratio);
    goal("native-999", "own CPU of the program's", "%", AtMost(3.0), own("native-999", "own_cpu_pct"));
    for case in ["native-999", "native-5000"] {
        let obtained = own(case, "obtained");
        goal(case, "samples obtained of those asked for", "x", Within(0.99, 1.01), obtained);
    }
    let inside = median(results.spread("native-999", "calor-inside", "obtained"));
    goal("native-999", "samples obtained inside the program", "x", AtLeast(0.99), inside);
    let lost = results.spread("native-5000", "calor", "lost").map(|spread| spread.max);
    goal("native-5000", "samples lost, most of all rounds", "", AtMost(0.0), lost);
    for (case, least) in
        [("native-999", 99.5), ("native-5000", 99.5), ("numpy-999", 99.0), ("numpy-5000", 99.0)]
    {
        goal(case, "rooted stacks", "%", AtLeast(least), own(case, "rooted_pct"));
        goal(case, "stage that is furthest off", "points", AtMost(2.0), own(case, "off_points"));
    }
    goal(
        "native-5000",
        "from the program's end to the file",
        "ms",
        AtMost(100.0),
        own("native-5000", "end_ms"),
    );
    goal("long-999", "file for a minute", "KB", AtMost(100.0), own("long-999", "kb_a_minute"));
    goals
}

/// Why there is no figure: the failure of either side, or nothing that is known.
fn reason(results: &Results, case: &str) -> String {
    let failure = results.failure(case, "calor").or_else(|| results.failure(case, PEER));
    failure.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use harness::Figures;

    use super::*;
    use crate::case;

    #[test]
    fn every_goal_is_of_a_case_that_calor_takes_part_in() {
        for goal in all(&Results::new(1)) {
            assert!(
                case::ALL.iter().any(|case| case.name == goal.case && case.who.contains(&"calor")),
                "{}",
                goal.case
            );
        }
    }

    #[test]
    fn the_peer_is_compared_within_a_round_and_a_tool_that_is_not_there_says_so() {
        let mut results = Results::new(1);
        for (who, own_cpu) in [("calor", 20.0), (PEER, 100.0)] {
            let figures = Figures::default().with("own_cpu_ms", own_cpu);
            results.insert("native-999", who, 0, figures);
        }
        results.fail("numpy-999", "calor", "not available: no `record`".to_owned());
        let text = Goal::markdown(&all(&results), |_| true);
        assert!(
            text.contains("own CPU over that of perf record with dwarf | 0.20 x | at most 0.25 x | met |")
        );
        assert!(text.contains("| not measured: not available: no `record` |"), "{text}");
    }
}
