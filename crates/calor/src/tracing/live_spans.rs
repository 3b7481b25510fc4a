//! Where spans that are alive are found. Each thread has a table for the spans that it creates and fills it
//! without a lock; other threads that enter or close such a span find the table through a directory of hints.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize};

use super::live_span::{Key, LiveSpan};

/// Spans that a thread's table holds: 72 KiB. A registry numbers the spans alive of a thread from a dense range,
/// so that fewer than this many do not want the same place.
const PLACES: usize = 1024;
/// Threads that can have a table at the same time.
const MAX_TABLES: usize = u8::MAX as usize;
/// Places of the directory.
const HINTS: usize = 1 << 15;

static TABLES: [OnceLock<Table>; MAX_TABLES] = [const { OnceLock::new() }; MAX_TABLES];
static N_TABLES: AtomicUsize = AtomicUsize::new(0);
/// By the hash of a span, the number of the table, from 1, that took in such a span last.
static DIRECTORY: [AtomicU8; HINTS] = [const { AtomicU8::new(0) }; HINTS];

/// The spans alive that one thread created. When the thread ends the table is handed on, with those still alive.
#[derive(Debug)]
pub(crate) struct Table {
    places: Box<[LiveSpan; PLACES]>,
    is_owned: AtomicBool,
    number: u8,
}

impl Table {
    /// A table for the calling thread; `None` when all are taken.
    pub(crate) fn take() -> Option<&'static Self> {
        (1..=u8::MAX).zip(&TABLES).find_map(|(number, slot)| {
            let table = slot.get_or_init(|| {
                N_TABLES.fetch_max(usize::from(number), Release);
                Self::new(number)
            });
            table.is_owned.compare_exchange(false, true, AcqRel, Relaxed).is_ok().then_some(table)
        })
    }

    fn new(number: u8) -> Self {
        let places: Box<[LiveSpan]> = (0..PLACES).map(|_| LiveSpan::vacant()).collect();
        let places = places.try_into().expect("as many places as were made");
        Self { places, is_owned: AtomicBool::new(false), number }
    }

    /// Leaves the table to another thread.
    pub(crate) fn give_back(&self) {
        self.is_owned.store(false, Release);
    }

    #[inline(always)]
    fn place(&self, key: Key) -> &LiveSpan {
        &self.places[key.0 as usize % PLACES]
    }

    /// The span, if it is here.
    #[inline(always)]
    pub(crate) fn find(&self, key: Key) -> Option<&LiveSpan> {
        let place = self.place(key);
        place.is(key).then_some(place)
    }

    /// The place for a new span, if it is free. By the owner, who then settles the span there.
    #[inline(always)]
    pub(crate) fn vacant(&self, key: Key) -> Option<&LiveSpan> {
        let place = self.place(key);
        place.is_vacant().then(|| {
            // Usually it says so already, and a store would be one more that the next atomic operation of the
            // registry has to wait for.
            let hint = hint(key);
            if hint.load(Relaxed) != self.number {
                hint.store(self.number, Relaxed);
            }
            place
        })
    }
}

/// A span that another thread's table holds.
pub(crate) fn find_elsewhere(key: Key) -> Option<&'static LiveSpan> {
    let n_tables = N_TABLES.load(Acquire);
    if n_tables == 0 {
        return None;
    }
    let hinted = usize::from(hint(key).load(Relaxed)).checked_sub(1).and_then(|at| TABLES.get(at)?.get());
    if let Some(span) = hinted.and_then(|table| table.find(key)) {
        return Some(span);
    }
    // The hint may have been overwritten by that of another span.
    let tables = TABLES.iter().take(n_tables).filter_map(OnceLock::get);
    let (table, span) = tables.filter_map(|table| Some((table, table.find(key)?))).next()?;
    hint(key).store(table.number, Relaxed);
    Some(span)
}

/// Forgets the spans of a layer that is gone: nobody will close them.
pub(crate) fn forget_layer(layer: u32) {
    for table in TABLES.iter().take(N_TABLES.load(Acquire)).filter_map(OnceLock::get) {
        table.places.iter().filter(|place| place.is_of_layer(layer)).for_each(LiveSpan::vacate);
    }
}

#[inline(always)]
fn hint(key: Key) -> &'static AtomicU8 {
    // The top 13 bits of a span's number in a `tracing_subscriber::Registry` count how often its slot was used.
    // Without them a slot, which one thread fills time and again, keeps its hint.
    let mixed = (key.0 << 13).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    &DIRECTORY[(mixed >> (64 - HINTS.ilog2())) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracing::callsite;

    fn settle(table: &Table, layer: u32, id: u64) -> Key {
        let key = Key::new(layer, id);
        let place = table.vacant(key).expect("the place is free");
        place.settle(key, layer, (0, callsite::numbered(0)));
        key
    }

    #[test]
    fn a_span_is_found_even_when_its_hint_was_overwritten() {
        let table = Table::take().expect("there are tables");
        let key = settle(table, 1_000_001, 77);
        hint(key).store(200, Relaxed);
        let found = find_elsewhere(key).expect("it is in a table");
        assert!(std::ptr::eq(found, table.place(key)));
        assert_eq!(hint(key).load(Relaxed), table.number, "the hint is right again");
        found.vacate();
        assert!(find_elsewhere(key).is_none());
        table.give_back();
    }

    #[test]
    fn spans_of_a_layer_that_is_gone_make_room() {
        let table = Table::take().expect("there are tables");
        let (gone, here) = (settle(table, 1_000_002, 5), settle(table, 1_000_003, 5));
        assert!(table.vacant(gone).is_none());
        forget_layer(1_000_002);
        assert!(table.vacant(gone).is_some());
        assert!(table.find(here).is_some());
        forget_layer(1_000_003);
        table.give_back();
    }

    #[test]
    fn a_table_has_one_owner_and_is_handed_on() {
        let (first, second) = (Table::take().expect("one"), Table::take().expect("two"));
        assert_ne!(first.number, second.number);
        first.give_back();
        second.give_back();
    }
}
