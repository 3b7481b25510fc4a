//! Profiles of code that is instrumented with `tracing`, without a change to it.
//!
//! ```
//! use tracing_subscriber::prelude::*;
//!
//! tracing_subscriber::registry().with(calor::tracing::layer()).init();
//! calor::enable();
//! tracing::info_span!("load").in_scope(|| { /* ... */ });
//! assert_eq!(calor::snapshot().scopes.len(), 1);
//! ```
//!
//! A span that is entered becomes a scope on the entering thread, inside whatever scope is open there, made by
//! `tracing` or by Calor. A span that is entered more than once is an async scope: each enter is a poll, and
//! its wall time runs from the first enter until the span is closed. `tracing` does not tell a future that was
//! dropped from one that completed, so both count as completed; and it enters the span of an instrumented
//! future once more to drop the future, so there is one poll more than the future had.
//!
//! Numeric fields named `elements`, `bytes` and `flops` are the work of the scope. They are added when the span
//! is exited, or when it is closed if they came later. Text is not kept.
//!
//! Nothing is locked or allocated for a span that is created while its thread has at most 1,024 spans alive;
//! beyond that the span carries its state in its extensions. While the recorder is off, the layer does next to
//! nothing; spans that are created then and entered later are recorded from then on.

#[cfg(feature = "record")]
mod callsite;
#[cfg(feature = "record")]
mod fields;
#[cfg(feature = "record")]
mod layer;
#[cfg(feature = "record")]
mod live_span;
#[cfg(feature = "record")]
mod live_spans;
#[cfg(feature = "record")]
mod thread;

#[cfg(feature = "record")]
pub use layer::SpanLayer;

/// A layer that records spans. Put a filter on it, or on the whole subscriber, to record some only.
#[must_use]
pub fn layer() -> SpanLayer {
    SpanLayer::new()
}

/// A layer that does nothing, because Calor is compiled out.
#[cfg(not(feature = "record"))]
#[derive(Debug)]
pub struct SpanLayer(());

#[cfg(not(feature = "record"))]
impl SpanLayer {
    fn new() -> Self {
        Self(())
    }
}

#[cfg(not(feature = "record"))]
impl<S: tracing_core::Subscriber> tracing_subscriber::Layer<S> for SpanLayer {}
