//! The layer itself: what happens to a span becomes what happens to a scope.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::recorder::state;

use super::callsite::{self, Callsite};
use super::fields::ToldWork;
use super::live_span::{Key, LiveSpan};
use super::live_spans::{find_elsewhere, forget_layer};
use super::thread::{OpenSpan, Thread};

/// Spans alive that carry their state in their extensions: while there are none, nobody looks there.
static CARRIED: AtomicU64 = AtomicU64::new(0);

/// Records spans as scopes. Made by [`layer`](super::layer).
#[derive(Debug)]
pub struct SpanLayer {
    /// Tells layers apart: the subscribers of several threads may number their spans alike.
    number: u32,
}

/// The state of a span that found no place in a table.
#[derive(Debug)]
struct Carried(LiveSpan);

impl Carried {
    fn new(key: Key, layer: u32, callsite: (u32, &'static Callsite)) -> Self {
        CARRIED.fetch_add(1, Relaxed);
        let span = LiveSpan::vacant();
        span.settle(key, layer, callsite);
        Self(span)
    }
}

impl Drop for Carried {
    fn drop(&mut self) {
        CARRIED.fetch_sub(1, Relaxed);
    }
}

impl SpanLayer {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Self { number: NEXT.fetch_add(1, Relaxed) }
    }

    #[inline(always)]
    fn key(&self, id: &Id) -> Key {
        Key::new(self.number, id.into_u64())
    }

    /// Takes in a span and tells it about itself.
    #[inline(always)]
    fn take_in<S>(
        &self,
        thread: &Thread,
        id: &Id,
        metadata: &'static Metadata<'static>,
        context: &Context<'_, S>,
        told: impl FnOnce(&LiveSpan, &'static Callsite),
    ) where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let (key, callsite) = (self.key(id), callsite::of(metadata));
        match thread.table_or_new().and_then(|table| table.vacant(key)) {
            Some(span) => {
                span.settle(key, self.number, callsite);
                told(span, callsite.1);
            }
            None => self.carry(id, callsite, context, told),
        }
    }

    /// Lets a span carry its own state.
    #[cold]
    #[inline(never)]
    fn carry<S>(
        &self,
        id: &Id,
        callsite: (u32, &'static Callsite),
        context: &Context<'_, S>,
        told: impl FnOnce(&LiveSpan, &'static Callsite),
    ) where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        if let Some(span) = context.span(id) {
            let carried = Carried::new(self.key(id), self.number, callsite);
            told(&carried.0, callsite.1);
            // Replaced, not inserted: that would panic if there were two of these layers.
            span.extensions_mut().replace(carried);
        }
    }

    /// Finds a span that is not in the thread's own table.
    #[cold]
    #[inline(never)]
    fn with_elsewhere<S, T>(
        &self,
        id: &Id,
        context: &Context<'_, S>,
        then: impl FnOnce(&LiveSpan) -> T,
    ) -> Option<T>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let key = self.key(id);
        if let Some(span) = find_elsewhere(key) {
            return Some(then(span));
        }
        if CARRIED.load(Relaxed) == 0 {
            return None;
        }
        let span = context.span(id)?;
        let extensions = span.extensions();
        extensions.get::<Carried>().filter(|carried| carried.0.is(key)).map(|carried| then(&carried.0))
    }

    /// Finds a span wherever it is.
    #[inline(always)]
    fn with_span<S, T>(
        &self,
        thread: &Thread,
        id: &Id,
        context: &Context<'_, S>,
        then: impl FnOnce(&LiveSpan) -> T,
    ) -> Option<T>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        match thread.table().and_then(|table| table.find(self.key(id))) {
            Some(span) => Some(then(span)),
            None => self.with_elsewhere(id, context, then),
        }
    }

    /// Enters a span that is not in the thread's own table: another thread's, one that carries its state, or one
    /// that was created while the recorder was off.
    #[inline(never)]
    fn enter_elsewhere<S>(&self, thread: &Thread, id: &Id, context: &Context<'_, S>)
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let entered = self.with_elsewhere(id, context, |span| self.enter(thread, id, span));
        if entered.is_none()
            && let Some(metadata) = context.metadata(id)
        {
            self.take_in(thread, id, metadata, context, |span, _| self.enter(thread, id, span));
        }
    }

    #[inline(always)]
    fn enter(&self, thread: &Thread, id: &Id, span: &LiveSpan) {
        let callsite = span.callsite();
        let scope = span.enter(callsite);
        if scope.is_recorded() {
            thread.push(OpenSpan { key: self.key(id), tells_work: callsite.tells_work, scope });
        }
    }
}

impl<S> Layer<S> for SpanLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    #[inline]
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if state::load() & state::ON == 0 {
            return;
        }
        Thread::with(|thread| {
            self.take_in(thread, id, attributes.metadata(), &context, |span, callsite| {
                if callsite.tells_work {
                    let mut work = ToldWork::default();
                    attributes.record(&mut work);
                    span.tell(work);
                }
            });
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if state::load() & state::ON == 0 {
            return;
        }
        Thread::with(|thread| {
            self.with_span(thread, id, &context, |span| {
                if span.callsite().tells_work {
                    let mut work = ToldWork::default();
                    values.record(&mut work);
                    span.tell(work);
                }
            });
        });
    }

    #[inline]
    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if state::load() & state::ON == 0 {
            return;
        }
        Thread::with(|thread| match thread.table().and_then(|table| table.find(self.key(id))) {
            Some(span) => self.enter(thread, id, span),
            None => self.enter_elsewhere(thread, id, &context),
        });
    }

    #[inline]
    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        Thread::with(|thread| {
            thread.close(self.key(id), |scope| {
                let work = self.with_span(thread, id, &context, LiveSpan::take_work).unwrap_or_default();
                scope.elements(work.elements).bytes(work.bytes).flops(work.flops);
            });
        });
    }

    #[inline]
    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let close = |span: &LiveSpan| {
            span.close();
            span.vacate();
        };
        if Thread::with(|thread| self.with_span(thread, &id, &context, close)).is_none() {
            // The thread is being torn down; the span must not stay.
            self.with_elsewhere(&id, &context, close);
        }
    }
}

impl Drop for SpanLayer {
    fn drop(&mut self) {
        forget_layer(self.number);
    }
}
