//! One experiment of a program that tells its progress: so many visits of a point, and how long they took in virtual time.
//! The first visits are left out: what was on its way when the experiment began was not yet faster.

use super::account::Moment;

/// When an experiment has seen enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enough {
    /// Visits that are left out at first.
    pub(super) n_settling: u64,
    /// Visits that are measured, at least.
    pub(super) n_visits: u64,
    /// How long they take on the wall, at least, in ticks.
    pub(super) ticks: u64,
}

/// An experiment under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Visits {
    n_settled: u64,
    first: Option<Moment>,
    n_measured: u64,
}

/// What an experiment measured, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Measured {
    pub(super) n_visits: u64,
    pub(super) wall: u64,
    pub(super) effective: u64,
}

impl Measured {
    /// From one moment to another.
    pub(super) fn between(first: Moment, last: Moment, n_visits: u64) -> Self {
        let effective = last.virtual_ticks().saturating_sub(first.virtual_ticks());
        Self {
            n_visits,
            wall: last.ticks.saturating_sub(first.ticks),
            effective: u64::try_from(effective).unwrap_or(0),
        }
    }
}

impl Visits {
    /// Counts a visit; what was measured, when it is enough.
    pub(super) fn visit(&mut self, now: Moment, enough: Enough) -> Option<Measured> {
        let Some(first) = self.first else {
            self.n_settled += 1;
            if self.n_settled > enough.n_settling {
                self.first = Some(now);
            }
            return None;
        };
        self.n_measured += 1;
        let measured = Measured::between(first, now, self.n_measured);
        (self.n_measured >= enough.n_visits && measured.wall >= enough.ticks).then_some(measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_visits_are_left_out_and_time_and_number_are_both_needed() {
        let enough = Enough { n_settling: 2, n_visits: 3, ticks: 500 };
        let mut visits = Visits::default();
        let mut visit = |ticks, credit| visits.visit(Moment { ticks, credit }, enough);
        assert_eq!([visit(0, 0), visit(100, 0), visit(200, 10)], [None; 3]);
        // Three visits are enough, 450 ticks are not.
        assert_eq!([visit(300, 20), visit(400, 40), visit(650, 90)], [None; 3]);
        assert_eq!(visit(750, 110), Some(Measured { n_visits: 4, wall: 550, effective: 450 }));
    }
}
