//! A list of choices, taken one after the other: what a generated profile is made of.

/// Choices that are still to be made; past the end every one is 0.
pub(crate) struct Choices<'a>(pub(crate) &'a [u64]);

impl Choices<'_> {
    pub(crate) fn next(&mut self) -> u64 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}
