//! Chrome's trace events: JSON that `chrome://tracing` and Perfetto show, and that most tracers can write
//! (VizTracer, `tracing-chrome`, the profiler of PyTorch).
//!
//! **Reading** takes the object form and the list form, which may break off anywhere. Calls (`X`, or `B` and `E`)
//! become the timeline, and scope statistics are computed from it; `C` becomes counters, `I` marks, `M` names of
//! threads. Events of other kinds are counted in warnings. Work on GPUs, as PyTorch's profiler tells it, goes to the
//! GPU table with the call path that launched it.
//!
//! **Writing** gives one `X` for each span. A thread without a timeline is laid out from its statistics, without
//! regard to time, and is named so.

mod counter_events;
mod detect;
mod document;
mod event;
mod event_writer;
mod extra;
mod frames;
mod gpu_lanes;
mod gpu_use;
mod lanes;
mod layout;
mod nesting;
mod number;
mod origin;
mod reader;
mod record;
mod series;
mod skipped;
mod text;
mod threads;
mod trace;
mod words;
mod writer;

pub(crate) use detect::detect;
pub use reader::read;
pub use writer::write;
