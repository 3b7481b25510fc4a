//! How much of each stack is copied. Copying costs the program time, and a copy that is too short makes a stack
//! that may not be whole. So a recording begins with large copies, sees how much of them the stacks need, and
//! goes on with that; when stacks grow deeper, so do the copies.

/// The least and the most that is copied. A record's length has sixteen bits.
const LEAST: u32 = 4 << 10;
const MOST: u32 = 63 << 10;
/// What is counted together.
const STEP: u32 = 1 << 10;
/// After so many stacks the first decision is made.
const FIRST_LOOK: u64 = 64;
/// So many that were too short are enough to decide at once.
const TOO_SHORT: u64 = 8;

/// The size of copies, and what stacks have needed since it was chosen.
#[derive(Debug)]
pub(crate) struct Copies {
    now: u32,
    /// How many stacks needed so many steps of bytes.
    needed: [u64; (MOST / STEP) as usize + 2],
    seen: u64,
    too_short: u64,
    /// How many stacks the next decision waits for: more each time, so that it does not go to and fro.
    patience: u64,
}

impl Default for Copies {
    fn default() -> Self {
        Self::new(MOST)
    }
}

impl Copies {
    pub(crate) fn new(bytes: u32) -> Self {
        let needed = [0; (MOST / STEP) as usize + 2];
        Self { now: bytes, needed, seen: 0, too_short: 0, patience: FIRST_LOOK }
    }

    /// Notes how much a stack needed.
    pub(crate) fn note(&mut self, bytes: u64) {
        let last = self.needed.len() - 1;
        let steps = usize::try_from(bytes.div_ceil(u64::from(STEP))).unwrap_or(last).min(last);
        self.needed[steps] += 1;
        self.seen += 1;
        self.too_short += u64::from(bytes > u64::from(self.now));
    }

    /// Whether it is still being found out what stacks need.
    pub(crate) fn is_learning(&self) -> bool {
        self.patience == FIRST_LOOK
    }

    /// Another size, if that should be changed to now.
    pub(crate) fn change(&mut self) -> Option<u32> {
        let is_hurried = self.too_short >= TOO_SHORT && self.too_short * 100 > self.seen;
        if self.seen < self.patience && !is_hurried {
            return None;
        }
        let wanted = self.wanted();
        let change = if wanted > self.now && self.now < MOST {
            Some(wanted.max(self.now * 2).min(MOST))
        } else if wanted <= self.now / 2 {
            Some(wanted)
        } else {
            None
        };
        self.patience = self.patience.saturating_mul(4);
        self.needed.fill(0);
        (self.seen, self.too_short) = (0, 0);
        self.now = change.unwrap_or(self.now);
        change
    }

    /// What all stacks but one in two hundred need, and a quarter more.
    fn wanted(&self) -> u32 {
        let beyond = self.seen / 200;
        let mut left = self.seen;
        for (steps, count) in (0_u32..).zip(&self.needed) {
            left -= count;
            if left <= beyond {
                let bytes = steps * STEP;
                return (bytes + bytes / 4).next_multiple_of(STEP).clamp(LEAST, MOST);
            }
        }
        MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(copies: &mut Copies, bytes: impl IntoIterator<Item = u64>) -> Option<u32> {
        bytes.into_iter().for_each(|bytes| copies.note(bytes));
        copies.change()
    }

    #[test]
    fn shallow_stacks_make_copies_small_and_deep_ones_large_again() {
        let mut copies = Copies::new(32 << 10);
        assert_eq!(after(&mut copies, [1_000; 10]), None, "too few to tell");
        assert_eq!(after(&mut copies, [2_500; 60]), Some(4 << 10));
        assert_eq!(after(&mut copies, [2_500; 1_000]), None, "as it should be");
        assert_eq!(after(&mut copies, [20_000; 12]), Some(25 << 10), "too short is decided at once");
        assert_eq!(after(&mut copies, [200_000; 100]), Some(MOST));
        assert_eq!(after(&mut copies, [200_000; 100]), None, "there is no more");
    }

    #[test]
    fn a_rare_deep_stack_changes_nothing() {
        let mut copies = Copies::new(8 << 10);
        let rarely = (0..1_000).map(|n| if n % 300 == 0 { 60_000 } else { 5_000 });
        assert_eq!(after(&mut copies, rarely), None);
    }
}
