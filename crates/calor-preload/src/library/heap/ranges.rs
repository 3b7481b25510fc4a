//! What the program has mapped itself, in order of address, so that parts of it can be given back: a skip list, whose
//! searches take steps that are long at first. A mapping may come to consist of several ranges, which have one owner:
//! the tracker knows the mapping by the place of its owner, which is no address of the program's.
//!
//! Nothing is counted while the list is held: whoever is interrupted by a signal inside the core must be able to wait
//! for the list in the signal's handler. So what is taken out is put aside, and told of afterwards.
//!
//! # Safety
//! The list lies in memory that is mapped whole, never given back, zeroed by a fork, and reached by the one who holds
//! the lock; what was put aside is reached by the one who did. Numbers of ranges come from the list itself: their slab
//! was mapped before they were handed out.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32};

use calor_paths::sys::{SignalMask, own_memory, yield_now};

/// Every level has a quarter of the ranges of the one below.
const LEVELS: usize = 10;
const RANGES_PER_SLAB: u32 = 1024;
const SLABS: usize = 4096;

/// The list. Zeros are an empty one.
#[repr(C)]
pub(crate) struct Ranges {
    is_held: AtomicU32,
    /// Ranges that were handed out so far; number 0 is none.
    used: u32,
    /// The first of those that are not in the list any more.
    unused: u32,
    random: u32,
    first: [u32; LEVELS],
    slabs: [*mut Range; SLABS],
}

/// A range that is in the list, or the owner of one.
#[derive(Clone, Copy)]
#[repr(C)]
struct Range {
    start: usize,
    end: usize,
    owner: u32,
    /// How many ranges it owns.
    owned: u32,
    /// The next one of each level.
    next: [u32; LEVELS],
}

/// The list of this process.
static RANGES: AtomicPtr<Ranges> = AtomicPtr::new(core::ptr::null_mut());

/// The list while it is held. No signal comes meanwhile: its handler may map memory too, and would wait for ever.
pub(crate) struct Held {
    ranges: *mut Ranges,
    /// Given back after the list is.
    _mask: SignalMask,
}

impl Held {
    /// Waits for the list; `None` when there is no memory for one.
    pub(crate) fn wait() -> Option<Self> {
        let ranges = all()?;
        let mask = SignalMask::all();
        let is_held = unsafe { &(*ranges).is_held };
        while is_held.compare_exchange_weak(0, 1, Acquire, Relaxed).is_err() {
            yield_now();
        }
        Some(Self { ranges, _mask: mask })
    }

    /// Adds a range. Under what the tracker may know it; `None` when there is no room.
    pub(crate) fn add(&mut self, start: usize, end: usize) -> Option<usize> {
        self.list().insert(start, end, 0)
    }

    /// Takes all out of the list that lies between two addresses and puts it aside.
    pub(crate) fn cut(&mut self, start: usize, end: usize) -> Aside {
        let mut aside = Aside { ranges: self.ranges, first: 0 };
        while let Some(number) = self.list().cut_first(start, end) {
            self.list().at(number).next[0] = aside.first;
            aside.first = number;
        }
        aside
    }

    fn list(&mut self) -> &mut Ranges {
        unsafe { &mut *self.ranges }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        unsafe { (*self.ranges).is_held.store(0, Release) };
    }
}

/// Ranges that are out of the list and not told of yet.
#[must_use]
pub(crate) struct Aside {
    ranges: *mut Ranges,
    first: u32,
}

impl Aside {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.first == 0
    }

    /// Tells of each by its owner's key and how many bytes it had. The list is not to be held. A signal's handler that
    /// forks meanwhile leaves its child nothing to tell of.
    pub(crate) fn tell(self, mut tell: impl FnMut(usize, usize)) {
        let mut number = self.first;
        while number != 0 {
            let Some(range) = (unsafe { place(self.ranges, number).as_ref() }) else { return };
            let (owner, bytes) = (range.owner, range.end - range.start);
            number = range.next[0];
            tell(unsafe { place(self.ranges, owner) } as usize, bytes);
        }
        if self.first != 0
            && let Some(mut held) = Held::wait()
        {
            let mut number = self.first;
            while number != 0 && !unsafe { place(self.ranges, number) }.is_null() {
                let next = held.list().at(number).next[0];
                held.list().disown(number);
                number = next;
            }
        }
    }
}

/// Where a range is; null when it is not here, but in the process that this one was forked from.
unsafe fn place(ranges: *const Ranges, number: u32) -> *mut Range {
    unsafe {
        let slabs = (&raw const (*ranges).slabs).cast::<*mut Range>();
        let slab = *slabs.add((number / RANGES_PER_SLAB) as usize % SLABS);
        if slab.is_null() { slab } else { slab.add((number % RANGES_PER_SLAB) as usize) }
    }
}

fn all() -> Option<*mut Ranges> {
    let known = RANGES.load(Acquire);
    if !known.is_null() {
        return Some(known);
    }
    let new = own_memory(size_of::<Ranges>())?.cast::<Ranges>().as_ptr();
    // Another thread may have been quicker; what we took is then never used.
    match RANGES.compare_exchange(core::ptr::null_mut(), new, Release, Acquire) {
        Ok(_) => Some(new),
        Err(known) => Some(known),
    }
}

impl Ranges {
    /// Takes the part of the first range that lies between two addresses out of the list: a range of its own.
    fn cut_first(&mut self, start: usize, end: usize) -> Option<u32> {
        let before = self.before(start);
        // The one before may reach into it.
        let earlier = before[0];
        let number =
            if earlier != 0 && self.at(earlier).end > start { earlier } else { self.next(earlier, 0) };
        if number == 0 || self.at(number).start >= end {
            return None;
        }
        let whole = *self.at(number);
        let (from, to) = (whole.start.max(start), whole.end.min(end));
        if from == whole.start && to == whole.end {
            self.unlink(number, &before);
            return Some(number);
        }
        let part = self.obtain()?;
        *self.at(part) = Range { start: from, end: to, owned: 0, ..whole };
        self.at(whole.owner).owned += 1;
        match (from > whole.start, to < whole.end) {
            (false, _) => self.at(number).start = to,
            (true, false) => self.at(number).end = from,
            (true, true) => {
                self.at(number).end = from;
                // Without room for it, what lies behind is known no more, as if it had been given back too.
                if self.insert(to, whole.end, whole.owner).is_none() {
                    self.at(part).end = whole.end;
                }
            }
        }
        Some(part)
    }

    /// Adds a range that overlaps no other, of an owner or of its own when that is 0. The key of its owner.
    fn insert(&mut self, start: usize, end: usize, owner: u32) -> Option<usize> {
        let number = self.obtain()?;
        let owner = if owner == 0 { number } else { owner };
        *self.at(number) = Range { start, end, owner, owned: 0, next: [0; LEVELS] };
        self.at(owner).owned += 1;
        let (before, height) = (self.before(start), self.height());
        for (level, before) in before.into_iter().enumerate().take(height) {
            self.at(number).next[level] = self.next(before, level);
            self.set_next(before, level, number);
        }
        Some(core::ptr::from_mut(self.at(owner)) as usize)
    }

    /// The last range of each level that begins before an address; 0 where there is none.
    fn before(&mut self, start: usize) -> [u32; LEVELS] {
        let mut before = [0; LEVELS];
        let mut number = 0;
        for level in (0..LEVELS).rev() {
            loop {
                let next = self.next(number, level);
                if next == 0 || self.at(next).start >= start {
                    break;
                }
                number = next;
            }
            before[level] = number;
        }
        before
    }

    /// `before` are those before it; it is the next of one of them on each of its levels.
    fn unlink(&mut self, number: u32, before: &[u32; LEVELS]) {
        for (level, before) in before.iter().enumerate() {
            if self.next(*before, level) == number {
                let next = self.at(number).next[level];
                self.set_next(*before, level, next);
            }
        }
    }

    /// Lets go of a range that is out of the list, and of its owner with the last one.
    fn disown(&mut self, number: u32) {
        let owner = self.at(number).owner;
        self.at(owner).owned -= 1;
        if number != owner {
            self.give_back(number);
        }
        if self.at(owner).owned == 0 {
            self.give_back(owner);
        }
    }

    fn obtain(&mut self) -> Option<u32> {
        if self.unused != 0 {
            let number = self.unused;
            self.unused = self.at(number).next[0];
            return Some(number);
        }
        let number = self.used + 1;
        let slab = self.slabs.get_mut((number / RANGES_PER_SLAB) as usize)?;
        if slab.is_null() {
            *slab = own_memory(RANGES_PER_SLAB as usize * size_of::<Range>())?.cast().as_ptr();
        }
        self.used = number;
        Some(number)
    }

    fn give_back(&mut self, number: u32) {
        self.at(number).next[0] = self.unused;
        self.unused = number;
    }

    /// On how many levels the next range is to be.
    fn height(&mut self) -> usize {
        self.random = self.random.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
        let quarters = (self.random ^ (self.random >> 15)) & ((1 << (2 * (LEVELS - 1))) - 1);
        1 + (quarters.trailing_ones() as usize / 2).min(LEVELS - 1)
    }

    fn next(&mut self, number: u32, level: usize) -> u32 {
        if number == 0 { self.first[level] } else { self.at(number).next[level] }
    }

    fn set_next(&mut self, number: u32, level: usize, next: u32) {
        if number == 0 {
            self.first[level] = next;
        } else {
            self.at(number).next[level] = next;
        }
    }

    fn at(&mut self, number: u32) -> &mut Range {
        unsafe { &mut *place(self, number) }
    }
}
