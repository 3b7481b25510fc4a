//! The Pareto front: the points that no other beats in one way without losing in another.

/// Which points nobody beats. More is better in both ways.
pub(super) fn front(points: &[(f64, f64)]) -> Vec<bool> {
    let beats = |a: &(f64, f64), b: &(f64, f64)| a.0 >= b.0 && a.1 >= b.1 && a != b;
    points.iter().map(|point| !points.iter().any(|other| beats(other, point))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_on_the_front_unless_another_is_better_in_one_way_and_as_good_in_the_other() {
        let check = |points: &[(f64, f64)], expect: &[bool]| assert_eq!(front(points), expect, "{points:?}");
        check(&[], &[]);
        check(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)], &[true, true, true]);
        check(&[(1.0, 3.0), (2.0, 2.0), (1.0, 2.0), (1.5, 1.9)], &[true, true, false, false]);
        check(&[(1.0, 1.0), (1.0, 1.0)], &[true, true]);
        check(&[(1.0, 1.0), (1.0, 2.0)], &[false, true]);
    }

    #[test]
    fn a_sweep_from_the_right_finds_the_same_front() {
        let mut random = crate::Random::new(11);
        for round in 0..200 {
            // Few values, so that many points are equal in one way or in both.
            let mut value = || f64::from(random.below(2 + round / 10));
            let points: Vec<(f64, f64)> = (0..30).map(|_| (value(), value())).collect();
            let mut sorted = points.clone();
            sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
            let mut best: Vec<(f64, f64)> = Vec::new();
            for point in sorted {
                let is_higher = best.last().is_none_or(|last| point.1 > last.1);
                if is_higher {
                    best.push(point);
                }
            }
            let expect: Vec<bool> = points.iter().map(|point| best.contains(point)).collect();
            assert_eq!(front(&points), expect, "{points:?}");
        }
    }
}
