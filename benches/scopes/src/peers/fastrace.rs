//! fastrace: every span of a trace, handed to a reporter; the report is that all of them reached it.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ::fastrace::collector::{Config, Reporter, SpanContext, SpanRecord};
use ::fastrace::{Span, local::LocalSpan};

use crate::peer::{MakeReport, Peer};

pub(super) struct Fastrace;

/// Switched off means that nobody opens a trace: without one a span is dropped at once.
static IS_TRACING: AtomicBool = AtomicBool::new(false);

static SPANS: AtomicU64 = AtomicU64::new(0);

/// Counts the spans and keeps none.
struct Count;

impl Reporter for Count {
    fn report(&mut self, spans: Vec<SpanRecord>) {
        SPANS.fetch_add(spans.len() as u64, Ordering::Relaxed);
        black_box(spans);
    }
}

macro_rules! scope {
    ($name:literal, $body:expr) => {{
        let _span = LocalSpan::enter_with_local_parent($name);
        $body
    }};
}

macro_rules! trace {
    ($body:expr) => {{
        let is_tracing = IS_TRACING.load(Ordering::Relaxed);
        let root = if is_tracing { Span::root("batch", SpanContext::random()) } else { Span::noop() };
        let _parent = root.set_local_parent();
        $body
    }};
}

workload_functions!(scope, trace);

impl Peer for Fastrace {
    fn start(&self) -> MakeReport {
        ::fastrace::set_reporter(Count, Config::default());
        IS_TRACING.store(true, Ordering::Relaxed);
        Box::new(|| {
            ::fastrace::flush();
            Some(SPANS.load(Ordering::Relaxed))
        })
    }

    workloads!(scope, trace);
}
