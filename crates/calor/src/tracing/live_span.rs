//! What is known of a span that is alive: which callsite made it, since when it has been entered, and work that
//! it was told of. Any thread may enter, exit or close a span, so everything is atomic; none of it needs a
//! read-modify-write on the usual path.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU64};

use crate::recorder::Place;
use crate::{Scope, clock};

use super::callsite::{self, Callsite};
use super::fields::ToldWork;

/// The span may be told work.
const WORK: u8 = 1;
/// The span was entered again, so it has a life beyond its scopes.
const LIFE: u8 = 2;

/// Which span. The numbers of spans are unique among those alive of one subscriber only, so the number of the
/// layer is mixed in: one word is quicker to compare and to keep than two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key(pub(crate) u64);

impl Key {
    #[inline(always)]
    pub(crate) fn new(layer: u32, id: u64) -> Self {
        Self(id ^ u64::from(layer).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// A span that is alive, or a place for one.
#[derive(Debug)]
pub(crate) struct LiveSpan {
    /// 0 in a place that is free.
    key: AtomicU64,
    /// The number of the layer, and below it that of the callsite.
    made_by: AtomicU64,
    /// When it was first entered; 0 before that.
    since: AtomicU64,
    place: Place,
    /// What there will be to say at the end: [`WORK`], [`LIFE`].
    more: AtomicU8,
    /// Work that is not yet with a node.
    elements: AtomicU64,
    bytes: AtomicU64,
    flops: AtomicU64,
}

impl LiveSpan {
    pub(crate) const fn vacant() -> Self {
        Self {
            key: AtomicU64::new(0),
            made_by: AtomicU64::new(0),
            since: AtomicU64::new(0),
            place: Place::nowhere(),
            more: AtomicU8::new(0),
            elements: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            flops: AtomicU64::new(0),
        }
    }

    #[inline(always)]
    pub(crate) fn is_vacant(&self) -> bool {
        self.key.load(Acquire) == 0
    }

    #[inline(always)]
    pub(crate) fn is(&self, key: Key) -> bool {
        self.key.load(Acquire) == key.0
    }

    pub(crate) fn is_of_layer(&self, layer: u32) -> bool {
        !self.is_vacant() && self.made_by.load(Relaxed) >> 32 == u64::from(layer)
    }

    /// Puts a new span into a vacant place, by the only thread that may.
    #[inline(always)]
    pub(crate) fn settle(&self, key: Key, layer: u32, (number, callsite): (u32, &'static Callsite)) {
        self.made_by.store(u64::from(layer) << 32 | u64::from(number), Relaxed);
        self.since.store(0, Relaxed);
        self.more.store(if callsite.tells_work { WORK } else { 0 }, Relaxed);
        if callsite.tells_work {
            // Nothing is left from an earlier span that was never closed.
            self.take_work();
        }
        self.key.store(key.0, Release);
    }

    /// Makes the place free.
    #[inline(always)]
    pub(crate) fn vacate(&self) {
        self.key.store(0, Release);
    }

    #[inline(always)]
    pub(crate) fn callsite(&self) -> &'static Callsite {
        callsite::numbered(self.made_by.load(Relaxed) as u32)
    }

    /// Opens a scope for the span on this thread.
    #[inline(always)]
    pub(crate) fn enter(&self, callsite: &'static Callsite) -> Scope {
        let scope = Scope::enter(&callsite.site);
        if scope.is_recorded() {
            if self.since.load(Relaxed) == 0 {
                self.since.store(scope.began().unwrap_or_else(clock::ticks), Relaxed);
            } else {
                self.more.store(self.more.load(Relaxed) | LIFE, Relaxed);
            }
            self.place.set(&scope);
        }
        scope
    }

    /// Keeps work until it is known where it belongs.
    pub(crate) fn tell(&self, work: ToldWork) {
        self.elements.fetch_add(work.elements, Relaxed);
        self.bytes.fetch_add(work.bytes, Relaxed);
        self.flops.fetch_add(work.flops, Relaxed);
    }

    /// Work that was told since the last time.
    pub(crate) fn take_work(&self) -> ToldWork {
        ToldWork {
            elements: self.elements.swap(0, Relaxed),
            bytes: self.bytes.swap(0, Relaxed),
            flops: self.flops.swap(0, Relaxed),
        }
    }

    /// Records what can only be said at the end. A span that was entered once was a plain scope, and one that
    /// was never entered was none.
    #[inline(always)]
    pub(crate) fn close(&self) {
        if self.more.load(Relaxed) != 0 {
            self.say_more();
        }
    }

    #[inline(never)]
    fn say_more(&self) {
        let (site, since) = (&self.callsite().site, self.since.load(Relaxed));
        if self.more.load(Relaxed) & LIFE != 0 {
            self.place.record_life(site, since, clock::ticks().wrapping_sub(since));
        }
        let work = self.take_work();
        if work != ToldWork::default() && since != 0 {
            self.place.add_work(site, work.elements, work.bytes, work.flops);
        }
    }
}
