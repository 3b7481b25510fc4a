//! Histories: series of noise that are flagged, and steps that are found.

use calor_analysis::{ChangePointOptions, change_points};
use harness::{Bound, Goal, Table};

use crate::noise::{Chance, Noise};
use crate::rules::{asv, otava};
use crate::{percent, trials};

/// A rule: where it says a history, given as logarithms, changed.
type Rule = (&'static str, fn(&[f64]) -> Vec<usize>);

const RULES: [Rule; 3] = [
    ("Calor", calor),
    ("Otava", otava::change_points),
    ("asv", |logs| asv::change_point(logs).into_iter().collect()),
];

fn calor(logs: &[f64]) -> Vec<usize> {
    let values: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
    let points = change_points(&values, &ChangePointOptions::default()).unwrap_or_default();
    points.iter().map(|point| point.at).collect()
}

pub(crate) fn run(part: f64) -> Vec<Goal> {
    let noises = &Noise::OF_RUNS[..4];
    let n = trials(1_000, part);
    let mut goals = Vec::new();
    for length in [30, 100, 300] {
        // Otava's distances are quadratic in the window alone, but there are many windows.
        let mut table = Table::new(noises.iter().map(|(name, _)| *name));
        for (who, rule) in RULES {
            let flagged = noises.iter().map(|(_, noise)| {
                let mut chance = Chance(length as u64);
                (0..n).filter(|_| !rule(&noise.series(length, 0.03, &mut chance)).is_empty()).count()
            });
            let flagged: Vec<usize> = flagged.collect();
            if who == "Calor" && length == 100 {
                for ((name, _), flagged) in noises.iter().zip(&flagged) {
                    goals.push(Goal {
                        case: "series",
                        what: format!("series of noise flagged, {name}"),
                        unit: "%",
                        bound: Bound::AtMost(2.0),
                        measured: Ok(100.0 * *flagged as f64 / n as f64),
                    });
                }
            }
            table.row(who, flagged.into_iter().map(|flagged| percent(flagged, n)));
        }
        println!("\n## series: {length} points of noise that are flagged\n\n{table}");
    }
    let steps = [(0.05, 15), (0.05, 5), (0.03, 15), (0.1, 5)];
    let titles = noises[..3].iter().flat_map(|(name, _)| {
        steps.iter().map(move |(step, after)| format!("{name}: +{:.0} %, {after} after", step * 100.0))
    });
    let mut table = Table::new(titles);
    for (who, rule) in RULES {
        let mut cells = Vec::new();
        for (name, noise) in &noises[..3] {
            for (step, after) in steps {
                let mut chance = Chance(7);
                let n_found = (0..n)
                    .filter(|_| {
                        let mut logs = noise.series(60 + after, 0.03, &mut chance);
                        logs[60..].iter_mut().for_each(|log| *log += f64::ln_1p(step));
                        rule(&logs).iter().any(|at| at.abs_diff(60) <= 3)
                    })
                    .count();
                if who == "Calor" && step == 0.05 && after == 15 && *name != "correlated .5" {
                    goals.push(Goal {
                        case: "series",
                        what: format!("+5 % found within 3 points, 15 points after, {name}"),
                        unit: "%",
                        bound: Bound::AtLeast(80.0),
                        measured: Ok(100.0 * n_found as f64 / n as f64),
                    });
                }
                cells.push(percent(n_found, n));
            }
        }
        table.row(who, cells);
    }
    println!("\n## series: steps after point 60, deviation 3 %, found within 3 points\n\n{table}");
    goals
}
