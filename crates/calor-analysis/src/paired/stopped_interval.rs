//! The interval of an effect when the experiment was stopped at one of several looks.
//!
//! An experiment that stops because the effect looks large tends to have overestimated it. The usual interval does not know
//! that and misses the truth too often; this one holds what agrees with the outcome if outcomes are ordered by when and where
//! the experiment stopped (Tsiatis, Rosner and Mehta, 1984). It leaves out 0 where a boundary was crossed, and at the last look
//! only there.

use super::looks::Look;
use crate::distribution::normal;

/// How many standard deviations of the estimate the interval reaches below and above it, when the last of `looks` found it
/// `deviations` from 0. `missed` is the allowed probability that the truth lies below, and that it lies above.
pub(super) fn reaches(looks: &[Look], deviations: f64, missed: f64) -> [f64; 2] {
    // What is seen from below is what is seen from above in a mirror.
    [reach_below(looks, deviations, missed), reach_below(looks, -deviations, missed)]
}

fn reach_below(looks: &[Look], deviations: f64, missed: f64) -> f64 {
    let usual = normal::upper_quantile(missed);
    let Some(last) = looks.last() else { return usual };
    let at_least_as_far = |reach: f64| {
        let drift = (deviations - reach) / last.n.sqrt();
        let mut before: Option<&Look> = None;
        let mut probability = 0.0;
        for look in looks {
            let is_last = std::ptr::eq(look, last);
            let place = if is_last { deviations } else { look.boundary } * look.n.sqrt();
            probability += match before {
                None => normal::upper_tail((place - drift * look.n) / look.n.sqrt()),
                Some(before) => before.crossing(look.n, place, drift),
            };
            before = Some(look);
        }
        probability
    };
    // Nearer than the usual bound by a third or further than thrice it never is.
    let (mut low, mut high) = (usual * 0.5, usual * 4.0);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if at_least_as_far(middle) > missed {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::super::looks::Looks;
    use super::*;

    #[test]
    fn one_look_gives_the_usual_interval() {
        let mut looks = Looks::new(0.025);
        looks.look(40, 1.0);
        for reach in reaches(looks.taken(), 1.3, 0.025) {
            assert!((reach - 1.959_964).abs() < 1e-3, "{reach}");
        }
    }

    #[test]
    fn nothing_is_left_out_where_a_boundary_is_crossed_and_at_the_end_only_there() {
        let mut looks = Looks::new(0.025);
        for look in 1..=10 {
            let boundary = looks.look(10 * look, look as f64 / 10.0);
            let leaves_out_none = |deviations: f64| reaches(looks.taken(), deviations, 0.025)[0] < deviations;
            assert!(boundary > 6.0 || leaves_out_none(boundary * 1.01), "look {look}");
            assert!(look < 10 || !leaves_out_none(boundary * 0.99));
        }
    }
}
