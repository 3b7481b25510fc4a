//! A thread's stack as a sample has it. The kernel copies so many bytes, and stops early at a page that was
//! never touched; what lies beyond is read from the process itself, which has gone on meanwhile. That is right
//! for the outer frames of most stacks, since those stay as long as what they called runs, and it is checked:
//! the end of the copy must still be there unchanged. The same goes for another stack of the thread, which a signal
//! handler on a stack of its own has interrupted: there, what was read last of the copy must be unchanged.

use std::ops::Range;

use crate::process::read_memory;
use calor_symbols::unwind::Memory;

/// How much is read at once beyond the copy.
const BEYOND: usize = 64 << 10;
/// How far beyond the copy the outermost frame may lie.
const REACH: u64 = 8 << 20;
/// How many pieces of other stacks are read for one sample.
const MOST_ELSEWHERE: usize = 64;
/// How many bytes at the copy's end must agree.
const OVERLAP: usize = 128;

/// Buffers that outlive the single sample.
#[derive(Debug, Default)]
pub(crate) struct Beyond {
    start: u64,
    bytes: Vec<u8>,
    elsewhere_start: u64,
    elsewhere: Vec<u8>,
}

/// The stack of one sample.
#[derive(Debug)]
pub(crate) struct StackCopy<'a> {
    tid: i32,
    start: u64,
    copy: &'a [u8],
    beyond: &'a mut Beyond,
    state: State,
    /// The end of what was asked for.
    asked: u64,
    /// The end of the last word that was read from the copy.
    last: u64,
    /// Whether other stacks of the thread can be trusted, once that was looked at.
    is_current: Option<bool>,
    /// How often other stacks were read.
    n_elsewhere: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Only the copy was needed so far.
    Inside,
    /// More was read, and it agrees.
    Beyond,
    /// More is not to be had, or the thread has moved on.
    Ended,
}

impl<'a> StackCopy<'a> {
    pub(crate) fn new(tid: i32, start: u64, copy: &'a [u8], beyond: &'a mut Beyond) -> Self {
        Self {
            tid,
            start,
            copy,
            beyond,
            state: State::Inside,
            asked: 0,
            last: start,
            is_current: None,
            n_elsewhere: 0,
        }
    }

    /// How many bytes from the stack pointer on the walk needed.
    pub(crate) fn needed(&self) -> u64 {
        self.asked.saturating_sub(self.start)
    }

    /// Whether the copy alone was too short.
    pub(crate) fn was_short(&self) -> bool {
        self.state != State::Inside || self.is_current.is_some()
    }

    /// Appends the words of a range, as far as they have been copied or read already.
    pub(crate) fn words(&self, range: Range<u64>, out: &mut Vec<u64>) {
        let is_read = self.state == State::Beyond;
        let mut address = range.start;
        out.reserve(usize::try_from(range.end.saturating_sub(address) / 8).unwrap_or(0) + 1);
        while address < range.end {
            let copied = word_in(self.copy, self.start, address);
            let beyond = || word_in(&self.beyond.bytes, self.beyond.start, address).filter(|_| is_read);
            out.extend(copied.or_else(beyond));
            address = address.saturating_add(8);
        }
    }

    fn end(&self) -> u64 {
        self.start.saturating_add(self.copy.len() as u64)
    }

    /// Reads from the process and checks that the thread is still inside what it had called.
    fn fetch(&mut self, address: u64) -> bool {
        let end = self.end();
        let first = self.state == State::Inside;
        let overlap = if first { OVERLAP.min(self.copy.len()) } else { 0 };
        let from = if first { end - overlap as u64 } else { address };
        self.beyond.bytes.resize(overlap + BEYOND, 0);
        let read = read_memory(self.tid, from, &mut self.beyond.bytes);
        self.beyond.bytes.truncate(read);
        self.beyond.start = from;
        // Without a copy there is nothing to check against.
        let is_checked = !first || overlap > 0;
        let is_unchanged = || self.beyond.bytes[..overlap] == self.copy[self.copy.len() - overlap..];
        is_checked && read > overlap && is_unchanged()
    }

    /// A word of another stack.
    fn elsewhere(&mut self, address: u64) -> Option<u64> {
        if !self.is_current() {
            return None;
        }
        let beyond = &mut *self.beyond;
        let is_first = self.n_elsewhere == 0;
        if !is_first && let Some(word) = word_in(&beyond.elsewhere, beyond.elsewhere_start, address) {
            return Some(word);
        }
        self.n_elsewhere += 1;
        if self.n_elsewhere > MOST_ELSEWHERE {
            return None;
        }
        beyond.elsewhere.resize(BEYOND, 0);
        let read = read_memory(self.tid, address, &mut beyond.elsewhere);
        beyond.elsewhere.truncate(read);
        beyond.elsewhere_start = address;
        word_in(&beyond.elsewhere, address, address)
    }

    /// Whether the thread still is in the frame that was read last.
    fn is_current(&mut self) -> bool {
        if let Some(is_current) = self.is_current {
            return is_current;
        }
        let read = usize::try_from(self.last - self.start).unwrap_or(0);
        let overlap = OVERLAP.min(read);
        let mut now = [0; OVERLAP];
        let now = &mut now[..overlap];
        let n_read = read_memory(self.tid, self.last - overlap as u64, now);
        let is_current =
            overlap > 0 && n_read == overlap && self.copy.get(read - overlap..read) == Some(&*now);
        self.is_current = Some(is_current);
        is_current
    }
}

fn word_in(bytes: &[u8], start: u64, address: u64) -> Option<u64> {
    let at = usize::try_from(address.checked_sub(start)?).ok()?;
    Some(u64::from_ne_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

impl Memory for StackCopy<'_> {
    fn word(&mut self, address: u64) -> Option<u64> {
        if let Some(word) = word_in(self.copy, self.start, address) {
            self.last = address + 8;
            self.asked = self.asked.max(self.last);
            return Some(word);
        }
        let end = self.end();
        if address < self.start || address - end.min(address) > REACH {
            return self.elsewhere(address);
        }
        if self.state == State::Ended {
            return self.elsewhere(address);
        }
        self.asked = self.asked.max(address.saturating_add(8));
        if self.state == State::Beyond
            && let Some(word) = word_in(&self.beyond.bytes, self.beyond.start, address)
        {
            return Some(word);
        }
        self.state = if self.fetch(address) { State::Beyond } else { State::Ended };
        match self.state {
            State::Ended => self.elsewhere(address),
            _ => word_in(&self.beyond.bytes, self.beyond.start, address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_pid() -> i32 {
        i32::try_from(std::process::id()).expect("a pid fits")
    }

    #[test]
    fn what_lies_beyond_the_copy_is_read_when_its_end_is_unchanged() {
        let stack: Vec<u64> = (0..4_000).collect();
        let bytes: Vec<u8> = stack.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let start = stack.as_ptr() as u64;
        let mut beyond = Beyond::default();
        let mut copy = StackCopy::new(own_pid(), start, &bytes[..8_000], &mut beyond);
        assert_eq!((copy.word(start + 16), copy.was_short()), (Some(2), false));
        assert_eq!((copy.word(start + 8 * 2_000), copy.was_short()), (Some(2_000), true));
        assert_eq!(copy.word(start + 8 * 3_999), Some(3_999));
    }

    #[test]
    fn a_thread_that_moved_on_yields_nothing_beyond() {
        let stack: Vec<u64> = (0..4_000).collect();
        let mut bytes: Vec<u8> = stack.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes[7_999] ^= 1;
        let start = stack.as_ptr() as u64;
        let mut beyond = Beyond::default();
        let mut copy = StackCopy::new(own_pid(), start, &bytes[..8_000], &mut beyond);
        assert_eq!(copy.word(start + 8 * 2_000), None);
        assert_eq!(copy.word(start + 8), Some(1), "the copy itself stays good");
    }

    #[test]
    fn another_stack_is_read_while_the_frame_that_leads_to_it_is_there() {
        let (stack, other): (Vec<u64>, Vec<u64>) = ((0..1_000).collect(), (5_000..6_000).collect());
        let bytes: Vec<u8> = stack.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let (start, elsewhere) = (stack.as_ptr() as u64, other.as_ptr() as u64);
        let mut beyond = Beyond::default();
        // Of a copy that ends before the other stack begins, or begins behind it.
        let mut copy = StackCopy::new(own_pid(), start, &bytes[..800], &mut beyond);
        assert_eq!(copy.word(start + 8 * 50), Some(50));
        assert_eq!((copy.elsewhere(elsewhere), copy.was_short()), (Some(5_000), true));
        assert_eq!(copy.elsewhere(elsewhere + 8 * 999), Some(5_999));
        let mut changed = bytes.clone();
        changed[8 * 50] ^= 1;
        let mut copy = StackCopy::new(own_pid(), start, &changed, &mut beyond);
        copy.word(start + 8 * 50);
        assert_eq!(copy.elsewhere(elsewhere), None, "the thread has moved on");
    }

    #[test]
    fn what_is_mapped_nowhere_yields_nothing() {
        let bytes = [7_u8; 64];
        let mut beyond = Beyond::default();
        let mut copy = StackCopy::new(own_pid(), 0x1000, &bytes, &mut beyond);
        assert_eq!((copy.word(0x1000), copy.word(0x0ff8)), (Some(0x0707_0707_0707_0707), None));
        assert_eq!(copy.word(u64::MAX - 3), None);
    }
}
