//! The goals, each with what was measured and whether it is met.

use std::fmt::Write;

use crate::case::Case::{self, *};
use crate::participants::{self, Kind};
use crate::results::Results;
use crate::tables::number;

/// A goal is an upper bound of one figure.
struct Goal {
    case: Case,
    what: String,
    unit: &'static str,
    bound: f64,
    /// `None` when this run did not measure it.
    measured: Option<f64>,
}

/// The table of the goals that these cases measure.
pub(crate) fn markdown(cases: &[Case], results: &Results) -> String {
    let mut out = "\n## goals\n\n| goal | measured | at most | |\n|---|---:|---:|---|\n".to_owned();
    for goal in all(results).into_iter().filter(|goal| cases.contains(&goal.case)) {
        let (measured, verdict) = match goal.measured {
            Some(measured) => {
                let verdict = if measured <= goal.bound { "met" } else { "**not met**" };
                (format!("{} {}", number(measured, 2), goal.unit), verdict)
            }
            None => ("–".to_owned(), "not measured"),
        };
        writeln!(out, "| {} | {measured} | {} {} | {verdict} |", goal.what, goal.bound, goal.unit)
            .expect("writing to a string does not fail");
    }
    out
}

fn all(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    let mut goal =
        |case, what: String, unit, bound, measured| goals.push(Goal { case, what, unit, bound, measured });

    for (who, bound) in [("calor", 1.2), ("calor-timeline", 1.25)] {
        for case in Case::RECORDING {
            let ratio = results.ratio(case, (who, "tsc2"), "quickest").map(|spread| spread.median);
            goal(
                case,
                format!("{who}, {}: quickest block over two TSC reads", case.name()),
                "x",
                bound,
                ratio,
            );
        }
    }
    for (who, kind, what) in
        [("calor", Kind::Statistics, "statistics"), ("calor-timeline", Kind::Timeline, "timeline")]
    {
        for case in Case::RECORDING {
            let best = best_peer(results, case, kind);
            let ratio = best.and_then(|peer| results.ratio(case, (who, peer), "median"));
            let name = best.unwrap_or("none measured");
            let what = format!("{who}, {}: median block over the best {what} peer ({name})", case.name());
            goal(case, what, "x", 0.5, ratio.map(|spread| spread.median));
        }
    }
    for case in Case::RECORDING {
        // Over the rounds this varies two- or threefold even for two reads of the TSC: only the least are
        // compared.
        let least = |who| results.spread(case, who, "all_threads").map(|spread| spread.min);
        let ratio = least("calor").zip(least("hotpath")).map(|(own, peer)| own / peer);
        goal(
            case,
            format!("calor, {}: CPU of all threads until the report over hotpath", case.name()),
            "x",
            0.2,
            ratio,
        );
    }
    for case in [Memory, Memory100] {
        for who in ["calor", "calor-timeline"] {
            let scopes = results.spread(case, who, "scopes");
            let scopes = scopes.map_or("many".to_owned(), |spread| format!("{} M", spread.median / 1e6));
            let most = results.spread(case, who, "growth_kib").map(|spread| spread.max);
            goal(case, format!("{who}: growth over {scopes} scopes, most of all rounds"), "KiB", 64.0, most);
        }
    }
    for (case, size, bound) in
        [(Report, "at most 100 nodes", 1.0), (Report4096, "4,096 nodes x 8 threads", 20.0)]
    {
        for (figure, what) in [("profile_ms", "profile"), ("text_ms", "profile and text")] {
            let millis = results.spread(case, "calor", figure).map(|spread| spread.median);
            goal(case, format!("calor: {what} ready, {size}"), "ms", bound, millis);
        }
    }
    let off = results.difference(Off, ("calor", "empty"), "quickest").map(|spread| spread.median);
    goal(Off, "calor, off: quickest block over the empty loop".to_owned(), "ns", 0.5, off);
    let different = results.spread(Out, "calor", "same_code").map(|spread| 1.0 - spread.min);
    let what = "calor, compiled out: loops that differ from the empty one in any instruction";
    goal(Out, what.to_owned(), "of 1", 0.0, different);
    for (who, bound) in [("calor", 0.5), ("calor-timeline", 0.7)] {
        let percent = results.spread(Matmul, who, "percent").map(|spread| spread.median);
        goal(Matmul, format!("{who}: added to the matmul"), "%", bound, percent);
    }
    for who in ["calor-1in16", "calor-site-1in16"] {
        let sampled = results.spread(OneIn16, who, "quickest").map(|spread| spread.median);
        goal(OneIn16, format!("{who}: quickest block"), "ns", 4.0, sampled);
    }
    goals
}

/// The peer of that kind whose median block is the shortest.
fn best_peer(results: &Results, case: Case, kind: Kind) -> Option<&'static str> {
    participants::ALL
        .iter()
        .filter(|who| who.kind == kind)
        .filter_map(|who| Some((who.name, results.spread(case, who.name, "median")?.median)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Figures;

    fn results(rows: &[(Case, &'static str, &str, f64)]) -> Results {
        let mut results = Results::new(1);
        for &(case, who, name, value) in rows {
            results.insert(case, who, 0, Figures::default().with(name, value));
        }
        results
    }

    fn line(results: &Results, start: &str) -> String {
        let text = markdown(&Case::ALL, results);
        text.lines().find(|line| line.starts_with(start)).unwrap().to_owned()
    }

    #[test]
    fn a_goal_is_met_up_to_its_bound_and_not_beyond() {
        let goal = "| calor, flat: quickest block over two TSC reads";
        for (nanos, verdict) in [(24.0, "| met |"), (24.1, "| **not met** |")] {
            let results = results(&[(Flat, "calor", "quickest", nanos), (Flat, "tsc2", "quickest", 20.0)]);
            assert!(line(&results, goal).ends_with(verdict), "{nanos}");
        }
    }

    #[test]
    fn what_was_not_measured_is_not_called_met() {
        assert!(
            markdown(&Case::ALL, &Results::new(1))
                .lines()
                .skip(5)
                .all(|line| line.ends_with("not measured |"))
        );
    }

    #[test]
    fn goals_of_cases_that_nobody_asked_for_are_left_out() {
        let text = markdown(&[Off], &Results::new(1));
        assert_eq!(text.lines().skip(5).count(), 1, "{text}");
    }

    #[test]
    fn the_quickest_of_the_peers_is_the_one_to_beat() {
        let results = results(&[
            (Flat, "calor-timeline", "median", 20.0),
            (Flat, "puffin", "median", 80.0),
            (Flat, "tracy", "median", 50.0),
        ]);
        let line = line(&results, "| calor-timeline, flat: median block");
        assert!(line.contains("(tracy) | 0.40 x"), "{line}");
    }
}
