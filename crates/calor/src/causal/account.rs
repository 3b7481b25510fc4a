//! The arithmetic of a virtual speed-up: what a thread has in credit, and what a wait leaves of it. Nothing here reads a
//! clock or waits, so tests run whole programs through it on a clock of their own.
//!
//! A thread's *credit* is the time by which the experiment is ahead of the wall on that thread: while it works in the
//! scope that is to be faster, credit grows by a part of the time that goes by; while it pauses, by all of it. So its
//! *virtual time*, the wall less its credit, is when it would have got where it is if the scope really were faster. Threads
//! of equal credit meet each other in the same order as they would then; the others owe the difference, and pause.

/// Which part of a scope's time is taken away, from 0 for nothing to 1 for all.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Rate(f64);

impl Rate {
    /// Nothing.
    pub(super) const NONE: Self = Self(0.0);

    /// The rate at which a scope is so many times as fast. What is no speed-up takes nothing away.
    pub(super) fn of_factor(factor: f64) -> Self {
        Self(if factor > 1.0 { 1.0 - factor.recip() } else { 0.0 })
    }

    /// What so many ticks of work give.
    pub(super) fn of(self, ticks: u64) -> u64 {
        (self.0 * ticks as f64) as u64
    }
}

/// What one thread has, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Account {
    pub(super) credit: u64,
    /// Since when it works in the scope without having been credited for it; 0 while it does not.
    pub(super) since: u64,
}

impl Account {
    /// The credit at a moment, the work that is under way included.
    pub(super) fn credit_at(self, now: u64, rate: Rate) -> u64 {
        match self.since {
            0 => self.credit,
            // Counters of two cores may differ by a little.
            since => self.credit + rate.of(now.saturating_sub(since)),
        }
    }

    /// The same account at that moment, not at work.
    pub(super) fn settled(self, now: u64, rate: Rate) -> Self {
        Self { credit: self.credit_at(now, rate), since: 0 }
    }
}

/// A moment on a thread: when it was, and what the thread had in credit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Moment {
    pub(crate) ticks: u64,
    pub(crate) credit: u64,
}

impl Moment {
    /// When it would have been; it may lie before the counter began.
    pub(crate) fn virtual_ticks(self) -> i64 {
        self.ticks.wrapping_sub(self.credit).cast_signed()
    }

    /// The credit of a thread that goes on at `now`, asked for something at this moment and has it since `available`, which
    /// is when and where another thread made it available.
    ///
    /// In virtual time it goes on when both have happened. If the other is the earlier one there, the thread would not have
    /// waited, and what it did wait is not counted. If it is the later one, the thread goes on with the other's credit; and
    /// where the thread did not have to wait though it would have, it gives back what it was ahead.
    pub(super) fn after_wait(self, available: Self, now: u64) -> u64 {
        let has_waited = available.ticks > self.ticks;
        let would_wait = available.virtual_ticks() > self.virtual_ticks();
        match (would_wait, has_waited) {
            (false, false) => self.credit,
            (false, true) => self.credit + now.saturating_sub(self.ticks),
            (true, true) => available.credit,
            (true, false) => available.credit + (self.ticks - available.ticks),
        }
    }

    /// The same where nobody told who made it available: whoever did is taken to have had `even`, as all should.
    pub(super) fn after_untold_wait(self, even: u64, now: u64) -> u64 {
        even.clamp(self.credit, self.credit + now.saturating_sub(self.ticks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ticks: u64, credit: u64) -> Moment {
        Moment { ticks, credit }
    }

    #[test]
    fn a_factor_takes_a_part_of_the_time_away() {
        let taken = [0.5, 1.0, 2.0, 4.0, f64::INFINITY].map(|factor| Rate::of_factor(factor).of(1_000));
        assert_eq!(taken, [0, 0, 500, 750, 1_000]);
    }

    #[test]
    fn work_that_is_under_way_counts_and_is_credited_once() {
        let rate = Rate::of_factor(2.0);
        let account = Account { credit: 100, since: 1_000 };
        assert_eq!(account.credit_at(1_400, rate), 300);
        let settled = account.settled(1_400, rate);
        assert_eq!(settled, Account { credit: 300, since: 0 });
        assert_eq!(settled.settled(9_999, rate), settled);
        assert_eq!(account.credit_at(999, rate), 100);
    }

    #[test]
    fn whoever_waited_goes_on_with_the_credit_of_the_one_it_waited_for() {
        // Asked at 100, had it at 300 from one with 50 ahead: in virtual time 250, later than 100.
        assert_eq!(at(100, 0).after_wait(at(300, 50), 310), 50);
    }

    #[test]
    fn a_wait_that_would_not_have_been_is_not_counted() {
        // The other would have been done at 300 - 250 = 50, before it was asked for at 100.
        let credit = at(100, 0).after_wait(at(300, 250), 310);
        assert_eq!(at(310, credit).virtual_ticks(), 100);
    }

    #[test]
    fn whoever_would_have_waited_gives_back_what_it_was_ahead() {
        // Asked at 300, in virtual time 100; what it asked for was there at 200 on a thread without credit.
        let credit = at(300, 200).after_wait(at(200, 0), 300);
        assert_eq!(at(300, credit).virtual_ticks(), 200);
        assert_eq!(at(300, 40).after_wait(at(200, 40), 300), 40);
    }

    #[test]
    fn an_untold_wait_is_credited_for_what_it_lasted_at_most() {
        assert_eq!(at(100, 10).after_untold_wait(60, 120), 30);
        assert_eq!(at(100, 10).after_untold_wait(60, 500), 60);
        assert_eq!(at(100, 10).after_untold_wait(5, 500), 10);
    }
}
