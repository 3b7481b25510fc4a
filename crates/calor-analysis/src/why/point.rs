//! One size: what a call of each side takes there, and where the gap is to be explained.

use super::WhyClock;

/// A gap smaller than this, as a logarithm, is none.
const LEAST_GAP: f64 = 0.05;
/// By how much, as a logarithm, wall time has to tell a larger gap than CPU time before it is the one that is explained:
/// under load wall times scatter by that much.
const WALL_EXCESS: f64 = 0.25;
/// By so much more it speaks for itself, however large the gap of CPU time is: a call that sleeps also costs some of that.
const WALL_ALONE: f64 = 1.0;

/// What a call takes at one size. Sides are in the order A, B.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WhyPoint {
    /// The size, in elements or whatever the user counts.
    pub size: f64,
    /// The bytes that a call works on; `None` where that is not known.
    pub bytes: Option<f64>,
    /// Nanoseconds on processors.
    pub cpu: [f64; 2],
    /// Nanoseconds on the wall.
    pub wall: [f64; 2],
    /// The 95 % interval of the logarithm of B's time by A's, by the clock that decided; `None` of fewer than two pairs.
    pub interval: Option<[f64; 2]>,
}

impl WhyPoint {
    /// What a call takes by one clock.
    #[must_use]
    pub fn nanos(&self, clock: WhyClock) -> [f64; 2] {
        match clock {
            WhyClock::Cpu => self.cpu,
            WhyClock::Wall => self.wall,
        }
    }

    /// The logarithm of B's time by A's.
    #[must_use]
    pub fn gap(&self, clock: WhyClock) -> f64 {
        let [a, b] = self.nanos(clock);
        if a > 0.0 && b > 0.0 { (b / a).ln() } else { 0.0 }
    }

    /// How much of the gap is sure: nothing where its interval holds none.
    fn sure_gap(&self, clock: WhyClock) -> f64 {
        let gap = self.gap(clock);
        match self.interval {
            Some([low, high]) if low <= 0.0 && high >= 0.0 => 0.0,
            Some([low, high]) => low.abs().min(high.abs()).min(gap.abs()),
            None => gap.abs(),
        }
    }
}

/// The clock that shows the gap: that of processors, which other programs disturb less, unless the wall shows much more.
#[must_use]
pub fn why_clock(points: &[WhyPoint]) -> WhyClock {
    let most = |clock: WhyClock| {
        points
            .iter()
            .map(|point| point.gap(clock))
            .fold(0.0, |most: f64, gap| if gap.abs() > most.abs() { gap } else { most })
    };
    let (cpu, wall) = (most(WhyClock::Cpu), most(WhyClock::Wall));
    let excess = wall.abs() - cpu.abs();
    let says_more = excess > WALL_ALONE || excess > WALL_EXCESS && wall.abs() > 2.0 * cpu.abs();
    // Most sizes have to agree: a single slow moment of the machine shows at one of them.
    let n_agreeing = points
        .iter()
        .filter(|point| {
            point.gap(WhyClock::Wall) * wall.signum() > point.gap(WhyClock::Cpu) * wall.signum() + 0.1
        })
        .count();
    if says_more && 2 * n_agreeing > points.len() { WhyClock::Wall } else { WhyClock::Cpu }
}

/// The place of the size at which the gap is widest; `None` where there is none at any.
#[must_use]
pub fn why_focus(points: &[WhyPoint], clock: WhyClock) -> Option<usize> {
    let sure = |at: usize| points[at].sure_gap(clock);
    let at = (0..points.len()).max_by(|a, b| sure(*a).total_cmp(&sure(*b)))?;
    (sure(at) >= LEAST_GAP).then_some(at)
}

/// The place of the size at which the slower side of the focus is hardly slower; `None` where it is everywhere.
#[must_use]
pub fn why_elsewhere(points: &[WhyPoint], focus: usize, clock: WhyClock) -> Option<usize> {
    const HARDLY: f64 = 0.35;
    let gap = points.get(focus)?.gap(clock);
    let slower = |at: usize| points[at].gap(clock) * gap.signum();
    let at = (0..points.len()).min_by(|a, b| slower(*a).total_cmp(&slower(*b)))?;
    (slower(at) < HARDLY * gap.abs()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(size: f64, cpu: [f64; 2], wall: [f64; 2]) -> WhyPoint {
        WhyPoint { size, cpu, wall, ..WhyPoint::default() }
    }

    #[test]
    fn the_gap_is_explained_where_it_is_surely_widest() {
        let mut points = vec![
            point(1.0, [10.0, 11.0], [10.0, 11.0]),
            point(2.0, [20.0, 60.0], [20.0, 60.0]),
            point(3.0, [30.0, 240.0], [30.0, 240.0]),
        ];
        assert_eq!(why_focus(&points, WhyClock::Cpu), Some(2));
        points[2].interval = Some([-0.5, 4.0]);
        assert_eq!(why_focus(&points, WhyClock::Cpu), Some(1));
        assert_eq!(why_elsewhere(&points, 1, WhyClock::Cpu), Some(0));
        assert_eq!(why_focus(&points[..0], WhyClock::Cpu), None);
        assert_eq!(why_focus(&[point(1.0, [10.0, 10.1], [0.0; 2])], WhyClock::Cpu), None);
    }

    #[test]
    fn the_wall_counts_only_where_it_tells_much_more_at_most_sizes() {
        let waiting = [point(1.0, [10.0, 10.5], [10.0, 25.0]), point(2.0, [20.0, 21.0], [20.0, 50.0])];
        assert_eq!(why_clock(&waiting), WhyClock::Wall);
        let computing = [point(1.0, [10.0, 40.0], [12.0, 60.0])];
        assert_eq!(why_clock(&computing), WhyClock::Cpu);
        let once = [
            point(1.0, [10.0, 10.5], [10.0, 25.0]),
            point(2.0, [20.0, 21.0], [20.0, 21.0]),
            point(3.0, [30.0, 31.0], [30.0, 31.0]),
        ];
        assert_eq!(why_clock(&once), WhyClock::Cpu);
        assert_eq!(why_clock(&[]), WhyClock::Cpu);
    }
}
