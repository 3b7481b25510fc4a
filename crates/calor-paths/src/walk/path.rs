//! The call path of a thread, kept from one allocation to the next.
//!
//! A walk begins at the innermost frame. As soon as it comes to a frame that the last path had too, the rest can only
//! be the same if the words of the stack that the last walk read are still the same: return addresses, and frame
//! pointers where a rule needs them. Reading those is much quicker than walking, since no read waits for another. So
//! a path costs what has changed of it.
//!
//! Paths that come again and again are known as wholes: see [`known`](super::known).
//!
//! Frames are kept outermost first, each with the hash of all up to it: the hash of the innermost names the path. An
//! address stands for another function once another file lies there: which file it was is a part of it.
//!
//! # Safety
//! Words are read again only on the stack that they were read on before, above the present stack pointer: that part of a stack
//! is mapped as long as its thread runs on it.

use super::Registers;
use super::known::{Index, KnownPath, KnownPaths, OWN_WORDS, Word};
use super::objects::Object;
use super::rules::Rules;
use super::stack_range::StackRange;
use crate::layout::FILE_SHIFT;
use crate::nodes::Nodes;
use crate::region::Region;

/// Frames of a path. Of longer ones the innermost are kept.
pub const MAX_FRAMES: usize = 512;

/// A frame that was walked.
#[derive(Clone, Copy)]
#[repr(C)]
struct Level {
    at: Registers,
    hash: u64,
    /// The number of the path that ends here, 0 when it has none yet.
    site: u32,
    /// The same in the tree of all paths.
    node: u32,
    /// Which of the files it was that lay here one after the other.
    file: u8,
    /// How many words say that this level and those above are as they are.
    n_words: u16,
    /// Whether what is above depends on the value of the frame pointer here.
    needs_base: bool,
    /// Whether a signal came here, or further out.
    has_signal: bool,
    /// Where its frame pointer and its stack pointer were read; 0 when they were not.
    base_from: usize,
    frame_from: usize,
    /// Whether its address was read right before its frame.
    is_plain: bool,
    /// No other level of this thread ever had this number.
    serial: u64,
}

/// A word that is never what it should be: for levels of which not all words are known.
static NEVER: usize = 0;

/// The path of one thread. Zeroed memory is an empty one.
#[repr(C)]
pub(crate) struct Path {
    range: StackRange,
    length: usize,
    /// Whether there may be more frames outside of those that are kept.
    is_cut: bool,
    /// How often code had been unloaded when this was walked.
    age: u32,
    /// The words that say that the levels are as they are, in their order: apart from the rest, since all of them are
    /// read again for every block.
    words: [Word; 3 * MAX_FRAMES],
    levels: [Level; MAX_FRAMES],
    /// Those of a walk, and the one that it came to of those that were there.
    new: [NewLevel; MAX_FRAMES + 1],
    /// Levels that there were so far.
    serial: u64,
    known: KnownPaths,
    /// The known path that this one is.
    index: Option<Index>,
}

/// A frame that is being walked, innermost first.
#[derive(Clone, Copy)]
#[repr(C)]
struct NewLevel {
    at: Registers,
    /// Where its stack pointer, frame pointer and return address were read; see [`super::rule::Caller`].
    base_from: usize,
    frame_from: usize,
    uses_base: bool,
    keeps_base: bool,
    is_plain: bool,
    is_signal: bool,
    file: u8,
}

impl NewLevel {
    /// A level of which no more is known yet.
    fn at(at: Registers) -> Self {
        Self {
            at,
            base_from: 0,
            frame_from: 0,
            uses_base: false,
            keeps_base: false,
            is_plain: true,
            is_signal: false,
            file: 0,
        }
    }

    /// The words that say that it is as it is; `None` for what no word says.
    #[inline(always)]
    fn words(&self, needs_base: bool) -> impl Iterator<Item = Option<Word>> {
        let address = Some(Some(Word { from: self.at.sp.wrapping_sub(8), value: self.at.pc }));
        let base = (needs_base && self.base_from != 0)
            .then_some(Some(Word { from: self.base_from, value: self.at.bp }));
        let frame = if self.is_plain {
            (self.frame_from != 0).then_some(Some(Word { from: self.frame_from, value: self.at.sp }))
        } else {
            Some(None)
        };
        [address, base, frame].into_iter().flatten()
    }
}

/// What a walk came to.
pub(crate) struct Walked {
    pub(crate) hash: u64,
    /// The number that the path is known to have, 0 when it is not known.
    pub(crate) site: u32,
    /// Whether a handler of a signal is at work, which may have come at any time.
    pub(crate) has_signal: bool,
    /// Whether it was known as a whole: then its levels are not there.
    pub(crate) is_known: bool,
}

impl Path {
    /// The number of the path that leads here, if it is known as a whole and has one.
    #[inline(always)]
    pub(crate) fn known_site(&mut self, registers: Registers, age: u32) -> Option<u32> {
        if self.age != age || !self.range.contains(registers.sp) {
            return None;
        }
        let walked = self.recall(registers)?;
        (walked.site != 0).then_some(walked.site)
    }

    /// Brings the path up to `registers`. `found` is told of the file of each address that is new; `age` is how often
    /// code was unloaded, after which nothing that was known holds.
    #[inline(always)]
    pub(crate) fn walk(
        &mut self,
        rules: Rules,
        registers: Registers,
        age: u32,
        found: &impl Fn(&Object) -> u8,
    ) -> Walked {
        if self.age != age {
            self.age = age;
            self.length = 0;
        }
        if !self.range.contains(registers.sp) {
            self.change_stack(registers.sp);
        }
        match self.recall(registers) {
            Some(walked) => walked,
            None => self.walk_anew(rules, registers, found),
        }
    }

    /// The same without what is known of whole paths: so the levels are there.
    #[inline(never)]
    pub(crate) fn walk_anew(
        &mut self,
        rules: Rules,
        registers: Registers,
        found: &impl Fn(&Object) -> u8,
    ) -> Walked {
        let (mut kept, mut n_new) = self.gather(rules, registers, found);
        if kept + n_new > MAX_FRAMES || (self.is_cut && kept > 0 && kept + n_new < MAX_FRAMES) {
            // The same stack is always the same path, its innermost frames, whatever was kept.
            self.length = 0;
            (kept, n_new) = self.gather(rules, registers, found);
        }
        self.is_cut = kept + n_new == MAX_FRAMES;
        let walked = self.take_over(kept, n_new);
        self.index = if self.is_cut { None } else { self.remember(registers, kept, n_new, &walked) };
        walked
    }

    /// The path that leads here, if it is known as a whole and nothing of it has changed.
    #[inline(always)]
    fn recall(&mut self, registers: Registers) -> Option<Walked> {
        let index = self.known.index(registers)?;
        let path = self.known.get(index);
        let kept = usize::from(path.kept);
        let is_here = path.at.sp == registers.sp
            && path.at.pc == registers.pc
            && (path.at.bp == registers.bp || !path.needs_base)
            && kept.wrapping_sub(1) < self.length
            && self.levels[kept - 1].serial == path.serial;
        if !is_here {
            return None;
        }
        let mut differs = 0;
        for word in &path.own[..usize::from(path.n_own)] {
            differs |= unsafe { word.difference() };
        }
        for word in &self.words[..usize::from(path.n_words)] {
            differs |= unsafe { word.difference() };
        }
        if differs != 0 {
            return None;
        }
        let walked = Walked { hash: path.hash, site: path.site, has_signal: path.has_signal, is_known: true };
        self.index = Some(index);
        Some(walked)
    }

    /// Makes the path that was walked a known one, if few words are its own.
    fn remember(
        &mut self,
        registers: Registers,
        kept: usize,
        n_new: usize,
        walked: &Walked,
    ) -> Option<Index> {
        if kept == 0 {
            return None;
        }
        let mut own = [Word { from: 0, value: 0 }; OWN_WORDS];
        let mut n_own = 0;
        // The innermost is where the registers say. Of the one that was there before only what is above is known by its
        // words: its own may have been read elsewhere this time.
        for (new, level) in self.new[..=n_new].iter().zip((0..kept + n_new).rev()).skip(1) {
            for word in new.words(self.levels[level].needs_base) {
                *own.get_mut(n_own)? = word?;
                n_own += 1;
            }
        }
        let telling = (n_new > 1).then(|| self.new[n_new - 1].at.sp.wrapping_sub(8));
        let index = self.known.learn(registers, telling);
        let innermost = &self.levels[kept + n_new - 1];
        *self.known.get_mut(index) = KnownPath {
            at: registers,
            needs_base: innermost.needs_base,
            has_signal: walked.has_signal,
            kept: kept as u16,
            serial: self.levels[kept - 1].serial,
            n_words: if kept < 2 { 0 } else { self.levels[kept - 2].n_words },
            n_own: n_own as u16,
            site: walked.site,
            hash: walked.hash,
            own,
        };
        Some(index)
    }

    /// Walks up to the frames of the last path that are still there: how many those are, and how many are new.
    #[inline(always)]
    fn gather(
        &mut self,
        rules: Rules,
        registers: Registers,
        found: &impl Fn(&Object) -> u8,
    ) -> (usize, usize) {
        let range = self.range;
        let bottom = registers.sp;
        let mut n_new = 0;
        let mut candidate = self.length;
        let mut at = registers;
        let (mut base_from, mut frame_from, mut is_plain) = (0, 0, true);
        let kept = loop {
            // Levels of the last path below this frame are no longer there.
            while candidate > 0 && self.levels[candidate - 1].at.sp < at.sp {
                candidate -= 1;
            }
            if candidate > 0 {
                let level = &self.levels[candidate - 1];
                // One that was found by other words is walked again: those that are kept of it are not the same.
                let is_same_base = level.at.bp == at.bp && (level.base_from == base_from || n_new == 0);
                let is_same =
                    level.at.sp == at.sp && level.at.pc == at.pc && (is_same_base || !level.needs_base);
                if is_same && self.is_unchanged(candidate - 1) {
                    self.new[n_new] = NewLevel { base_from, frame_from, is_plain, ..NewLevel::at(at) };
                    break candidate;
                }
            }
            let (rule, file) = rules.get(at.pc, found);
            self.new[n_new] = NewLevel {
                at,
                base_from,
                frame_from,
                uses_base: rule.uses_base(),
                keeps_base: matches!(rule.base, super::rule::Saved::Unchanged),
                is_plain,
                is_signal: rule.frame == super::rule::Frame::Signal,
                file,
            };
            n_new += 1;
            if n_new == MAX_FRAMES {
                break 0;
            }
            match rule.caller(at, |address| range.read(bottom, address)) {
                Some(caller) => {
                    at = caller.registers;
                    (base_from, frame_from, is_plain) =
                        (caller.base_from, caller.frame_from, caller.is_plain);
                }
                None => break 0,
            }
        };
        (kept, n_new)
    }

    /// Whether the words that the outermost levels up to `innermost` came from still say the same.
    #[inline(always)]
    fn is_unchanged(&self, innermost: usize) -> bool {
        let n_words = if innermost == 0 { 0 } else { self.levels[innermost - 1].n_words };
        let mut differs = 0;
        for word in &self.words[..usize::from(n_words)] {
            // The stack is at least as deep as it was: these addresses lie in it.
            differs |= unsafe { word.difference() };
        }
        differs == 0
    }

    /// Puts the new frames onto those that are kept.
    #[inline(always)]
    fn take_over(&mut self, kept: usize, n_new: usize) -> Walked {
        let mut hash = if kept == 0 { 0x5bd1_e995_9e37_79b9 } else { self.levels[kept - 1].hash };
        let mut above_needs_base = kept > 0 && self.levels[kept - 1].needs_base;
        let mut has_signal = kept > 0 && self.levels[kept - 1].has_signal;
        let mut n_words = if kept == 0 { 0 } else { usize::from(self.levels[kept - 1].n_words) };
        for (level, new) in self.levels[kept..].iter_mut().zip(self.new[..n_new].iter().rev()) {
            hash = mixed(hash, filed(new.at.pc, new.file));
            above_needs_base = new.uses_base || (new.keeps_base && above_needs_base);
            has_signal |= new.is_signal;
            for word in new.words(above_needs_base) {
                self.words[n_words] =
                    word.unwrap_or(Word { from: core::ptr::from_ref(&NEVER).addr(), value: !NEVER });
                n_words += 1;
            }
            self.serial += 1;
            *level = Level {
                at: new.at,
                hash,
                site: 0,
                node: 0,
                n_words: n_words as u16,
                needs_base: above_needs_base,
                has_signal,
                file: new.file,
                base_from: new.base_from,
                frame_from: new.frame_from,
                is_plain: new.is_plain,
                serial: self.serial,
            };
        }
        self.length = kept + n_new;
        let site = if n_new == 0 && kept > 0 { self.levels[kept - 1].site } else { 0 };
        Walked { hash, site, has_signal, is_known: false }
    }

    /// Whether an address is on the stack that was walked last.
    #[inline(always)]
    pub(crate) fn is_on_stack(&self, address: usize) -> bool {
        self.range.contains(address)
    }

    /// Remembers the number of the path that was walked last.
    #[inline(always)]
    pub(crate) fn name(&mut self, site: u32, walked: &Walked) {
        if let Some(index) = self.index {
            self.known.get_mut(index).site = site;
        }
        if self.length > 0 && !walked.is_known {
            self.levels[self.length - 1].site = site;
        }
    }

    /// The node of the path in the tree of all paths.
    #[cold]
    #[inline(never)]
    pub(crate) fn node(&mut self, nodes: &Nodes, region: Region) -> Option<u32> {
        let known = self.levels[..self.length].iter().rposition(|level| level.node != 0);
        let mut node = known.map_or(0, |known| self.levels[known].node);
        for level in &mut self.levels[known.map_or(0, |known| known + 1)..self.length] {
            node = nodes.number(region, level.hash, node, filed(level.at.pc, level.file) as u64)?;
            level.node = node;
        }
        Some(node)
    }

    /// The thread is another one now.
    pub(crate) fn forget(&mut self) {
        self.known.change_stack();
        self.range = StackRange::default();
        self.length = 0;
    }

    #[cold]
    #[inline(never)]
    fn change_stack(&mut self, sp: usize) {
        self.known.change_stack();
        self.range = StackRange::of(sp);
        self.length = 0;
    }
}

#[inline(always)]
fn filed(pc: usize, file: u8) -> usize {
    pc | (file as usize) << FILE_SHIFT
}

#[inline(always)]
pub(crate) fn mixed(hash: u64, pc: usize) -> u64 {
    let product = (hash ^ pc as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests;
