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
}
