//! Otava (Hunter): candidates where the energy distance of the two sides of a split is largest, in windows of 50 points that
//! overlap by half; each tested by Student's test at ten times the wanted p-value, then the weakest dropped until all are at
//! most 0.001 between their neighbours.

use super::welch_p;

const WINDOW: usize = 50;
const P_VALUE: f64 = 0.001;

pub(crate) fn change_points(values: &[f64]) -> Vec<usize> {
    let mut points: Vec<usize> = Vec::new();
    let mut from = 0;
    loop {
        let to = (from + WINDOW).min(values.len());
        split(values, from, to, &mut points);
        if to == values.len() {
            break;
        }
        from += WINDOW / 2;
    }
    points.sort_unstable();
    points.dedup();
    loop {
        let p_values: Vec<f64> = (0..points.len())
            .map(|place| {
                let from = if place == 0 { 0 } else { points[place - 1] };
                let to = points.get(place + 1).copied().unwrap_or(values.len());
                test(&values[from..points[place]], &values[points[place]..to])
            })
            .collect();
        let worst = (0..points.len()).max_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
        match worst.filter(|worst| p_values[*worst] > P_VALUE) {
            Some(worst) => drop(points.remove(worst)),
            None => return points,
        }
    }
}

fn split(values: &[f64], from: usize, to: usize, points: &mut Vec<usize>) {
    let part = &values[from..to];
    if part.len() < 6 {
        return;
    }
    let best = (2..part.len() - 1)
        .map(|at| (energy(&part[..at], &part[at..]), at))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, at)) = best else { return };
    if test(&part[..at], &part[at..]) < 10.0 * P_VALUE {
        points.push(from + at);
        split(values, from, from + at, points);
        split(values, from + at, to, points);
    }
}

fn test(a: &[f64], b: &[f64]) -> f64 {
    if a.len() < 2 || b.len() < 2 { 1.0 } else { welch_p(a, b) }
}

fn energy(a: &[f64], b: &[f64]) -> f64 {
    let distance =
        |x: &[f64], y: &[f64]| x.iter().map(|x| y.iter().map(|y| (x - y).abs()).sum::<f64>()).sum::<f64>();
    let (n, m) = (a.len() as f64, b.len() as f64);
    let within = |side: &[f64], n: f64| distance(side, side) / (n * (n - 1.0));
    n * m / (n + m) * (2.0 * distance(a, b) / (n * m) - within(a, n) - within(b, m))
}
