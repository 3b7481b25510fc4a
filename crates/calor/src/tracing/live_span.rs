//! What is known of a span that is alive: which callsite made it, since when it has been entered, and work that
//! it was told of. Any thread may enter, exit or close a span, so everything is atomic; none of it needs a
//! read-modify-write on the usual path.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use crate::recorder::Place;
use crate::{Scope, clock};

use super::callsite::{self, Callsite};
use super::fields::ToldWork;

/// Which span: its number is unique among the spans alive of one subscriber.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    pub(crate) layer: u32,
    /// Never 0.
    pub(crate) id: u64,
}

/// A span that is alive, or a place for one.
#[derive(Debug)]
pub(crate) struct LiveSpan {
    /// 0 in a place that is free.
    id: AtomicU64,
    layer: AtomicU32,
    callsite: AtomicU32,
    /// When it was first entered; 0 before that.
    since: AtomicU64,
    place: Place,
    /// Whether there will be more to say at the end than where the span was entered once.
    has_more: AtomicBool,
    is_entered_again: AtomicBool,
    /// Work that is not yet with a node.
    elements: AtomicU64,
    bytes: AtomicU64,
    flops: AtomicU64,
}

impl LiveSpan {
    pub(crate) const fn vacant() -> Self {
        Self {
            id: AtomicU64::new(0),
            layer: AtomicU32::new(0),
            callsite: AtomicU32::new(0),
            since: AtomicU64::new(0),
            place: Place::nowhere(),
            has_more: AtomicBool::new(false),
            is_entered_again: AtomicBool::new(false),
            elements: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            flops: AtomicU64::new(0),
        }
    }

    #[inline(always)]
    pub(crate) fn is_vacant(&self) -> bool {
        self.id.load(Acquire) == 0
    }

    #[inline(always)]
    pub(crate) fn is(&self, key: Key) -> bool {
        self.id.load(Acquire) == key.id && self.layer.load(Relaxed) == key.layer
    }

    pub(crate) fn is_of_layer(&self, layer: u32) -> bool {
        !self.is_vacant() && self.layer.load(Relaxed) == layer
    }

    /// Puts a new span into a vacant place, by the only thread that may.
    #[inline(always)]
    pub(crate) fn settle(&self, key: Key, (number, callsite): (u32, &'static Callsite)) {
        self.layer.store(key.layer, Relaxed);
        self.callsite.store(number, Relaxed);
        self.since.store(0, Relaxed);
        self.has_more.store(callsite.tells_work, Relaxed);
        self.is_entered_again.store(false, Relaxed);
        if callsite.tells_work {
            // Nothing is left from an earlier span that was never closed.
            self.take_work();
        }
        self.id.store(key.id, Release);
    }

    /// Makes the place free.
    #[inline(always)]
    pub(crate) fn vacate(&self) {
        self.id.store(0, Release);
    }

    #[inline(always)]
    pub(crate) fn callsite(&self) -> &'static Callsite {
        callsite::numbered(self.callsite.load(Relaxed))
    }

    /// Opens a scope for the span on this thread.
    #[inline(always)]
    pub(crate) fn enter(&self, callsite: &'static Callsite) -> Scope {
        let scope = Scope::enter(&callsite.site);
        if scope.is_recorded() {
            if self.since.load(Relaxed) == 0 {
                self.since.store(scope.began().unwrap_or_else(clock::ticks), Relaxed);
            } else {
                self.has_more.store(true, Relaxed);
                self.is_entered_again.store(true, Relaxed);
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
        if self.has_more.load(Relaxed) {
            self.say_more();
        }
    }

    #[inline(never)]
    fn say_more(&self) {
        let (site, since) = (&self.callsite().site, self.since.load(Relaxed));
        if self.is_entered_again.load(Relaxed) {
            self.place.record_life(site, since, clock::ticks().wrapping_sub(since));
        }
        let work = self.take_work();
        if work != ToldWork::default() && since != 0 {
            self.place.add_work(site, work.elements, work.bytes, work.flops);
        }
    }
}
