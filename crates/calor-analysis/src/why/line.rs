//! What a call takes however small its input is: the intercept of a straight line through the smallest sizes. Larger ones
//! leave the near caches, and their line is another.

use super::{WhyClock, WhyPoint};
use crate::MachineRoof;

/// A line through fewer sizes than these says nothing; where all are in the nearest cache, two will do.
const LEAST_SIZES: usize = 3;
const LEAST_NEAREST: usize = 2;
/// At most so many of the smallest sizes are taken: the constant part shows at them.
const MOST_SIZES: usize = 5;
/// Where the machine is not known, data up to this is near: the smallest second caches of today.
const NEAR_BYTES: f64 = 256.0 * 1024.0;

/// `nanos = fixed + each * size`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WhyLine {
    /// Nanoseconds of any call.
    pub fixed: f64,
    /// Nanoseconds for each element.
    pub each: f64,
}

/// Lines of both sides through the smallest sizes; `None` where there are too few.
#[must_use]
pub fn why_lines(points: &[WhyPoint], clock: WhyClock, roof: Option<&MachineRoof>) -> Option<[WhyLine; 2]> {
    let room = |at: usize| {
        roof.and_then(|roof| roof.tiers.get(at)).and_then(|tier| tier.bytes).map(|bytes| bytes as f64)
    };
    let within = |room: f64| -> Vec<&WhyPoint> {
        let is_near = |point: &&WhyPoint| point.bytes.is_none_or(|bytes| bytes <= room);
        points.iter().filter(is_near).take(MOST_SIZES).collect()
    };
    let nearest = room(0).map(within).filter(|near| near.len() >= LEAST_NEAREST);
    let near = nearest.unwrap_or_else(|| within(room(1).unwrap_or(NEAR_BYTES)));
    let is_nearest =
        room(0).is_some_and(|room| near.iter().all(|point| point.bytes.is_some_and(|bytes| bytes <= room)));
    if near.len() < if is_nearest { LEAST_NEAREST } else { LEAST_SIZES } {
        return None;
    }
    let line = |side: usize| {
        let at: Vec<[f64; 2]> = near.iter().map(|point| [point.size, point.nanos(clock)[side]]).collect();
        fit(&at)
    };
    Some([line(0)?, line(1)?])
}

/// Least squares of relative errors, so that the smallest sizes, where the constant part is, count as much as the largest.
fn fit(points: &[[f64; 2]]) -> Option<WhyLine> {
    let (mut w, mut wx, mut wy, mut wxx, mut wxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for [x, y] in points.iter().filter(|[_, y]| *y > 0.0) {
        let weight = 1.0 / (y * y);
        w += weight;
        wx += weight * x;
        wy += weight * y;
        wxx += weight * x * x;
        wxy += weight * x * y;
    }
    let spread = w * wxx - wx * wx;
    if spread <= 0.0 {
        return None;
    }
    let each = (w * wxy - wx * wy) / spread;
    let fixed = (wy - each * wx) / w;
    let least = points.iter().map(|[_, y]| *y).fold(f64::INFINITY, f64::min);
    Some(WhyLine { fixed: fixed.clamp(0.0, least), each: each.max(0.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(nanos: impl Fn(f64) -> [f64; 2]) -> Vec<WhyPoint> {
        let sizes = [256.0, 1024.0, 4096.0, 16384.0, 1e6, 4e6];
        let point =
            |size: f64| WhyPoint { size, cpu: nanos(size), bytes: Some(12.0 * size), ..WhyPoint::default() };
        sizes.map(point).to_vec()
    }

    #[test]
    fn what_any_call_takes_is_found_whatever_far_memory_does() {
        let found = why_lines(
            &points(|size| {
                let far = if size > 1e5 { 4.0 } else { 1.0 };
                [20.0 + 0.1 * size * far, 2_020.0 + 0.1 * size * far]
            }),
            WhyClock::Cpu,
            None,
        );
        let [a, b] = found.expect("there are enough sizes");
        assert!((a.fixed - 20.0).abs() < 1.0 && (b.fixed - 2_020.0).abs() < 1.0, "{a:?} {b:?}");
        assert!((a.each - 0.1).abs() < 0.01 && (b.each - 0.1).abs() < 0.01);
    }

    #[test]
    fn too_few_sizes_and_sizes_that_are_all_the_same_give_no_line() {
        assert_eq!(why_lines(&points(|size| [size; 2])[..2], WhyClock::Cpu, None), None);
        let same = vec![WhyPoint { size: 1.0, cpu: [1.0; 2], ..WhyPoint::default() }; 4];
        assert_eq!(why_lines(&same, WhyClock::Cpu, None), None);
    }
}
