//! Async scopes. Each poll is a scope on the thread that polls, so scopes inside nest where they belong and
//! time between polls is nobody's; the life of the future, from first poll to completion, is kept beside it.

#![expect(unsafe_code, reason = "a future is pinned along with its wrapper")]

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::{Scope, Site, clock};

use super::node::{Node, bump};
use super::{registry, state};

/// The life of something that runs in steps, with other work in between: each step is a scope on the thread that runs it,
/// and wall time from the first step to completion is kept beside. Dropping it before completion counts it as cancelled.
/// It may move between threads. Futures have [`Scoped`]; this is for coroutines and generators of other languages.
#[derive(Debug)]
pub struct Life {
    site: &'static Site,
    /// When its first step began; 0 before that, and after completion.
    since: u64,
    /// What its steps allocated so far and have not freed.
    #[cfg(feature = "told-heap")]
    held: i64,
}

impl Life {
    /// A life that has not begun.
    #[must_use]
    pub const fn new(site: &'static Site) -> Self {
        Self {
            site,
            since: 0,
            #[cfg(feature = "told-heap")]
            held: 0,
        }
    }

    /// Begins a step. It ends with [`Life::pause`] or [`Life::complete`], and with its scope.
    #[inline]
    pub fn step(&mut self) -> Scope {
        let scope = Scope::enter(self.site);
        if self.since == 0 && scope.is_recorded() {
            self.since = clock::ticks();
        }
        // One that freed more than it allocated, blocks of others, holds nothing.
        #[cfg(feature = "told-heap")]
        if let Some(node) = scope.node() {
            super::memory::resume(node, self.held.max(0));
        }
        scope
    }

    /// The step is over, and there will be more.
    #[inline]
    pub fn pause(&mut self, scope: &Scope) {
        // What a step did that was not recorded is not known, nor what is left of what was held before.
        #[cfg(feature = "told-heap")]
        {
            self.held = scope.node().map_or(0, super::memory::held);
        }
        let _ = scope;
    }

    /// The life is over, within a step or, without a scope, outside of one.
    #[inline]
    pub fn complete(&mut self, scope: Option<&Scope>) {
        if self.since == 0 {
            return;
        }
        let since = std::mem::take(&mut self.since);
        let wall = clock::ticks().wrapping_sub(since);
        match scope.and_then(Scope::node).filter(|_| is_counted(since)) {
            Some(node) if registry::current().owns(node) => {
                registry::current().change(|| node.record_future(wall));
            }
            // The recorder was turned off since the first step: what is open is still recorded.
            _ => end_life(self.site, since, |node| node.record_future(wall)),
        }
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if self.since == 0 {
            return;
        }
        // Dropped before it completed.
        end_life(self.site, self.since, |node| bump(&node.future_or_new().cancelled, 1));
    }
}

/// A future whose life is recorded as an async scope: wall time, busy time and number of polls. It may move
/// between threads. `#[calor::profile]` on an `async fn` makes one.
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Scoped<F> {
    life: Life,
    future: F,
}

impl<F: Future> Scoped<F> {
    /// Wraps a future. See [`site!`](crate::site).
    pub fn new(site: &'static Site, future: F) -> Self {
        Self { life: Life::new(site), future }
    }
}

impl<F: Future> Future for Scoped<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `future` is never moved out of the wrapper, which has no `Unpin` or `Drop` of its own that could.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: as above, the future is pinned because the wrapper is.
        let future = unsafe { Pin::new_unchecked(&mut this.future) };
        let scope = this.life.step();
        let outcome = future.poll(context);
        this.life.pause(&scope);
        if outcome.is_ready() {
            this.life.complete(Some(&scope));
        }
        outcome
    }
}

/// Whether a life that began then is to be counted: not if everything was reset meanwhile.
fn is_counted(since: u64) -> bool {
    since >= state::settings().reset_at
}

/// Records the end of a life outside of a poll, wherever that is: counted where a poll would be.
#[cold]
fn end_life(site: &'static Site, since: u64, record: impl FnOnce(&Node)) {
    if is_counted(since)
        && let Some(block) = registry::current_up_to_date()
        && let Some(parent) = block.current_node()
        && let Some(node) = block.find_child(parent, site)
    {
        block.change(|| record(node));
    }
}

/// Lets any future be recorded: `fetch(url).in_scope(calor::site!("fetch")).await`.
pub trait InScope: Future + Sized {
    /// Records the future's life as an async scope at `site`.
    fn in_scope(self, site: &'static Site) -> Scoped<Self> {
        Scoped::new(site, self)
    }
}

impl<F: Future> InScope for F {}
