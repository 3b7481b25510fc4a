//! The goals, each with what was measured and whether it is met. A figure is the median over the rounds.

use harness::Bound::{self, AtMost};
use harness::{Goal, Results};

use crate::case::{Case, Kind};

/// The allocator in the mode that is meant to be left on.
const ALWAYS: &str = "calor-always";
/// The allocator with every block's stack.
const EXACT: &str = "calor-exact";
/// From outside, by samples.
const RECORD_SAMPLED: &str = "calor-record-sampled";
/// From outside, with every block's stack.
const RECORD_EXACT: &str = "calor-record-exact";

/// Those of one case.
pub(crate) fn of_case(case: &Case, results: &Results) -> Vec<Goal> {
    let name = case.name;
    let mut goals = Vec::new();
    let mut goal = |who: &str, what: &str, unit, bound: Bound, figure: &str| {
        let reason = || results.failure(name, who).unwrap_or_default().to_owned();
        let measured = results.spread(name, who, figure).map(|spread| spread.median).ok_or_else(reason);
        goals.push(Goal { case: name, what: format!("{name}: {who}: {what}"), unit, bound, measured });
    };
    // An allocator does its work in the measured part; what comes after is a profile that was asked for. Where little is
    // allocated, starting and ending would tell more about the length of the run.
    const PART: &str = "CPU of the measured part over plain";
    // A recorder works beside the program.
    const TREE: &str = "CPU of the whole tree over plain";
    match case.kind {
        Kind::Churn if case.workload == "churn" => {
            goal(ALWAYS, PART, "x", AtMost(1.12), "part_x");
            goal(ALWAYS, "extra peak memory", "KB", AtMost(8_000.0), "extra_kb");
            goal(EXACT, PART, "x", AtMost(2.0), "part_x");
            goal(RECORD_EXACT, TREE, "x", AtMost(2.5), "cpu_x");
            for who in [EXACT, RECORD_EXACT] {
                goal(who, "profile of 20 million events", "KB", AtMost(200.0), "file_kb");
                goal(who, "from the program's end to the report", "s", AtMost(0.5), "report_s");
            }
        }
        Kind::Churn => goal(ALWAYS, "a pair over plain", "ns", AtMost(8.0), "over_ns"),
        Kind::Numeric => {
            goal(ALWAYS, PART, "x", AtMost(1.01), "part_x");
            goal(EXACT, PART, "x", AtMost(1.02), "part_x");
            goal(RECORD_EXACT, PART, "x", AtMost(1.02), "part_x");
        }
        Kind::Live => {
            for (who, most) in [(ALWAYS, 1.0), (RECORD_SAMPLED, 1.0), (EXACT, 16.0), (RECORD_EXACT, 32.0)] {
                goal(who, "memory for a live block", "B", AtMost(most), "block_bytes");
            }
        }
        Kind::Python => {
            goal(RECORD_SAMPLED, PART, "x", AtMost(1.01), "part_x");
            goal(RECORD_EXACT, PART, "x", AtMost(1.3), "part_x");
        }
        Kind::Scaling => {
            for who in [ALWAYS, EXACT, RECORD_EXACT] {
                let ratio = results.ratio(name, (who, "plain"), "scaling_x").map(|spread| spread.median);
                let reason = || results.failure(name, who).unwrap_or_default().to_owned();
                goals.push(Goal {
                    case: name,
                    what: format!("{name}: {who}: a pair on two threads over one, of what it is in plain"),
                    unit: "x",
                    bound: AtMost(1.1),
                    measured: ratio.ok_or_else(reason),
                });
            }
        }
    }
    goals
}

#[cfg(test)]
mod tests {
    use harness::Figures;
    use harness::area::Case as _;

    use super::*;
    use crate::case;

    #[test]
    fn every_goal_is_of_someone_who_takes_part() {
        for case in case::ALL {
            let goals = of_case(case, &Results::new(1));
            assert!(!goals.is_empty(), "{}", case.name);
            for goal in goals {
                let who = goal.what.split(": ").nth(1).unwrap();
                assert!(case.who().contains(&who), "{}", goal.what);
            }
        }
    }

    #[test]
    fn scaling_is_compared_with_the_plain_program_of_its_round() {
        let mut results = Results::new(1);
        results.insert("scaling", "plain", 0, Figures::default().with("scaling_x", 1.2));
        results.insert("scaling", EXACT, 0, Figures::default().with("scaling_x", 1.26));
        let case = case::ALL.iter().find(|case| case.kind == Kind::Scaling).unwrap();
        let goals = of_case(case, &results);
        assert!(
            goals.iter().any(|goal| goal.measured.as_ref().is_ok_and(|ratio| (ratio - 1.05).abs() < 1e-9))
        );
    }
}
