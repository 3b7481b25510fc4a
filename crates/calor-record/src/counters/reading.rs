//! What the kernel answers when a group of events is read, and what follows from it when the events had to share the
//! processor's counters with others.

use super::absence::Absence;
use crate::perf::SharedCount;

/// Bytes of an answer before its members: how many there are, and two times.
pub(super) const HEAD_BYTES: usize = 24;
/// Bytes of a member: its value and its number.
pub(super) const MEMBER_BYTES: usize = 16;

/// A group that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GroupReading {
    /// How long it was to count, and how long it did: less when the processor had not enough counters for all.
    pub(super) enabled_nanos: u64,
    pub(super) running_nanos: u64,
    members: Vec<(u64, u64)>,
}

impl GroupReading {
    /// Takes an answer apart; `None` if it is cut off.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut words =
            bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()));
        let n_members = usize::try_from(words.next()?).ok()?;
        let (enabled_nanos, running_nanos) = (words.next()?, words.next()?);
        let mut members = Vec::new();
        for _ in 0..n_members {
            let (value, id) = (words.next()?, words.next()?);
            members.push((id, value));
        }
        Some(Self { enabled_nanos, running_nanos, members })
    }

    /// The part of a member.
    pub(super) fn part(&self, id: u64) -> Option<SharedCount> {
        let (_, value) = self.members.iter().find(|(known, _)| *known == id)?;
        Some(SharedCount {
            value: *value,
            enabled_nanos: self.enabled_nanos,
            running_nanos: self.running_nanos,
        })
    }
}

/// A value with how much of it was seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Amount {
    /// The value; an estimate where less than all was seen.
    pub value: u64,
    /// The share of the time in which it was counted; the rest was taken to be like it.
    pub counted_share: f64,
}

impl Amount {
    /// A value that was counted all the time.
    pub(super) fn whole(value: u64) -> Self {
        Self { value, counted_share: 1.0 }
    }

    /// What the parts of all kinds of cores, or of all processors, add up to. A program that moves between them is counted
    /// by one of them at a time, so that it is the sum of their times which falls short when counters were shared.
    pub(crate) fn of(parts: &[SharedCount]) -> Result<Self, Absence> {
        let value: u128 = parts.iter().map(|part| u128::from(part.value)).sum();
        let enabled = parts.iter().map(|part| part.enabled_nanos).max().unwrap_or(0);
        let running: u128 = parts.iter().map(|part| u128::from(part.running_nanos)).sum();
        if running == 0 {
            return Err(Absence::NeverCounted);
        }
        let enabled = u128::from(enabled).max(running);
        let scaled = (value * enabled + running / 2) / running;
        let value = u64::try_from(scaled).unwrap_or(u64::MAX);
        Ok(Self { value, counted_share: running as f64 / enabled as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    fn part(value: u64, enabled_nanos: u64, running_nanos: u64) -> SharedCount {
        SharedCount { value, enabled_nanos, running_nanos }
    }

    #[test]
    fn a_group_is_read_by_the_numbers_of_its_members() {
        let answer = bytes(&[2, 1_000, 500, 70, 11, 80, 12]);
        let reading = GroupReading::parse(&answer).expect("it is whole");
        assert_eq!(reading.part(12), Some(part(80, 1_000, 500)));
        assert_eq!(reading.part(11), Some(part(70, 1_000, 500)));
        assert_eq!(reading.part(13), None);
        for length in 0..answer.len() {
            assert_eq!(GroupReading::parse(&answer[..length]), None, "{length} bytes");
        }
        assert_eq!(GroupReading::parse(&bytes(&[u64::MAX, 1, 1, 1, 1])), None);
    }

    #[test]
    fn what_was_counted_half_of_the_time_is_doubled_and_says_so() {
        assert_eq!(Amount::of(&[part(70, 1_000, 1_000)]), Ok(Amount { value: 70, counted_share: 1.0 }));
        assert_eq!(Amount::of(&[part(70, 1_000, 500)]), Ok(Amount { value: 140, counted_share: 0.5 }));
        assert_eq!(Amount::of(&[part(0, 1_000, 10)]), Ok(Amount { value: 0, counted_share: 0.01 }));
        let huge = Amount::of(&[part(u64::MAX, u64::MAX, 1)]).expect("it ran");
        assert_eq!(huge.value, u64::MAX);
    }

    #[test]
    fn what_never_ran_is_not_zero() {
        assert_eq!(Amount::of(&[part(0, 1_000, 0)]), Err(Absence::NeverCounted));
        assert_eq!(Amount::of(&[part(0, 0, 0)]), Err(Absence::NeverCounted));
        assert_eq!(Amount::of(&[]), Err(Absence::NeverCounted));
    }

    #[test]
    fn cores_of_two_kinds_add_up_and_are_not_scaled_for_each_other() {
        let both = Amount::of(&[part(60, 1_000, 400), part(40, 1_000, 600)]);
        assert_eq!(both, Ok(Amount { value: 100, counted_share: 1.0 }));
        let shared = Amount::of(&[part(60, 1_000, 200), part(40, 1_000, 300)]);
        assert_eq!(shared, Ok(Amount { value: 200, counted_share: 0.5 }));
    }
}
