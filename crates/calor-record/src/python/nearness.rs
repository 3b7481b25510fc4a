//! Which of what was read at instants belongs to a sample.

use std::collections::VecDeque;

use super::instant::Instant;

/// So long before or after a sample's time its frames were read, at most.
const INSTANT_NANOS: u64 = 100_000;

/// Takes what was read for a sample of a thread out of all that was read of it. The kernel runs the program after it has
/// taken the sample's time since 6.3, and before in older versions; a thread that is sampled by several events may be so
/// twice within microseconds. So the instruction tells too.
pub(super) fn of_sample(instants: &mut VecDeque<Instant>, time: u64, address: u64) -> Option<Instant> {
    while instants.front().is_some_and(|instant| instant.time.saturating_add(INSTANT_NANOS) < time) {
        instants.pop_front();
    }
    let last = time.saturating_add(INSTANT_NANOS);
    let near = instants.iter().take_while(|instant| instant.time <= last);
    let at = near.map(|instant| instant.address).position(|it| it == address)?;
    instants.drain(..at);
    instants.pop_front()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instants of so many microseconds, at an instruction each.
    fn instants(list: &[(u64, u64)]) -> VecDeque<Instant> {
        list.iter().map(|(micros, address)| Instant::at(micros * 1_000, *address)).collect()
    }

    #[track_caller]
    fn check(list: &[(u64, u64)], samples: &[(u64, u64, Option<u64>)]) {
        let mut instants = instants(list);
        for (micros, address, expected) in samples {
            let found = of_sample(&mut instants, micros * 1_000, *address);
            assert_eq!(found.map(|instant| instant.time / 1_000), *expected, "at {micros}");
        }
    }

    #[test]
    fn samples_find_what_was_read_right_after_their_time_or_right_before_it() {
        check(&[(1_002, 7), (2_003, 8)], &[(1_000, 7, Some(1_002)), (2_000, 8, Some(2_003))]);
        check(&[(998, 7), (1_997, 8)], &[(1_000, 7, Some(998)), (2_000, 8, Some(1_997))]);
    }

    #[test]
    fn two_samples_at_once_find_each_its_own() {
        check(&[(1_002, 7), (1_008, 8)], &[(1_000, 7, Some(1_002)), (1_006, 8, Some(1_008))]);
        check(&[(998, 7), (1_004, 8)], &[(1_000, 7, Some(998)), (1_006, 8, Some(1_004))]);
    }

    #[test]
    fn a_sample_for_which_nothing_was_read_takes_nothing_of_its_neighbours() {
        check(&[(1_060, 8)], &[(1_000, 7, None), (1_058, 8, Some(1_060))]);
        check(&[(950, 6), (1_002, 7)], &[(1_000, 7, Some(1_002))]);
        check(&[(1_200, 7)], &[(1_000, 7, None), (1_400, 7, None)]);
    }
}
