//! What a profile is.
//!
//! A [`Profile`] is a plain value: tables of strings, frames, call paths and threads, and on top of them what
//! each recorder saw. Scopes, samples, heap, GPU and counters hang on the same call paths, which is what lets
//! one report or one flame graph show them side by side.
//!
//! The verbs: [`merge`](Profile::merge) two profiles, [`filter`](Profile::filter) and [`prune`](Profile::prune)
//! one, make its [names](Profile::simplify_names) readable, [fold recursion](Profile::fold_recursion),
//! [`invert`](Profile::invert) it, show [one language](Language) alone, or [`align`] two for a comparison.
//!
//! **You get** newtype handles that cannot be mixed up, interned tables, and verbs that make one profile from
//! another. **You bring** the recording and the files: this crate does no I/O, reads no clock, knows no wire
//! format and contains no `unsafe`.

#![forbid(unsafe_code)]

mod align;
mod callers;
mod canary;
mod canonical;
mod code_table;
mod command_line;
mod condense;
mod counter_table;
mod destinations;
mod duration_stats;
mod event_table;
mod filter;
mod filter_warning;
mod frame_table;
mod function_key;
mod gpu_table;
mod handle;
mod heap_histogram;
mod heap_series;
mod heap_site;
mod heap_snapshot;
mod heap_summary;
mod heap_table;
mod histogram;
mod invert;
mod label_table;
mod language;
mod link;
mod merge;
mod names;
mod pattern;
mod profile;
mod prune;
mod recursion;
mod respects;
mod rewrite;
mod run;
mod rust_name;
mod sample_table;
mod scope_fold;
mod scope_table;
mod self_time;
mod stack_table;
mod string_table;
mod thread_table;
mod timeline;
mod transfer;
mod warning;

pub use align::{AlignedNode, Alignment, HeapValues, SampleValues, ScopeValues, Values, align};
pub use canary::Canary;
pub use code_table::{CodeKey, CodeLine, CodeTable, FunctionCode};
pub use command_line::{command_line, command_words, quoted_word};
pub use condense::{Condensed, Condenser, LEFT_OUT};
pub use counter_table::{CounterKey, CounterPoint, CounterTable};
pub use duration_stats::DurationStats;
pub use event_table::{EventKey, EventTable, EventWeight};
pub use filter::{Filter, FunctionMode};
pub use frame_table::{Frame, FrameKind, FrameTable};
pub use function_key::FunctionKey;
pub use gpu_table::{CopyKey, CopyKind, CopyStats, GpuDevice, GpuScopeKey, GpuTable, GpuWork, KernelKey};
pub use handle::{FrameId, LabelSetId, StackId, StringId, ThreadId};
pub use heap_histogram::{HeapHistogram, HeapHistograms};
pub use heap_series::{HEAP_LIVE, RSS};
pub use heap_site::{HeapBlocks, HeapSite, estimate_interval};
pub use heap_snapshot::{HeapSnapshot, HeapSnapshots};
pub use heap_summary::{HeapMode, HeapSummary};
pub use heap_table::{HeapKey, HeapTable};
pub use histogram::Histogram;
pub use label_table::LabelTable;
pub use language::{INTERPRETER, Language, NOT_PYTHON, NOT_VERIFIED};
pub use link::{Link, LinkKind};
pub use pattern::Pattern;
pub use profile::Profile;
pub use prune::Prune;
pub use run::{Cost, Host, Recorder, Run, RunId};
pub use rust_name::{demangle, simplify};
pub use sample_table::{SampleKey, SampleKind, SampleTable, SampleWeight};
pub use scope_table::{FutureStats, ScopeKey, ScopeMemory, ScopeStats, ScopeTable, Work};
pub use stack_table::{Stack, StackTable};
pub use string_table::StringTable;
pub use thread_table::{Thread, ThreadTable};
pub use timeline::{Mark, Span, Timeline, Track};
pub use warning::{Warning, add_warning};
