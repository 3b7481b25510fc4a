//! What a recorded heap tells: who allocates, holds and wastes, what was never freed, what grows, and how much of the
//! program's memory is the heap's at all.

mod answer;
mod claim;
mod difference;
mod flow;
mod growth;
mod insight;
mod leak;
mod lifetime;
mod line_fit;
mod line_pairs;
mod mapped;
mod owner;
mod path;
mod place;
mod recursion;
mod residence;
mod short_path;
mod suppression;
mod thread;
mod weights;

pub use answer::{HeapAnswer, check_heap};
pub(crate) use claim::{Claim, is_allocator};
pub use difference::{HeapChange, HeapDifference, HeapMove, HeapSide, heap_difference, heap_difference_by};
pub use growth::{GROWTH_NANOS, GROWTH_SNAPSHOTS, GROWTH_SURE_NANOS, Growth, GrowthRow, GrowthTrend, growth};
pub use insight::heap_insights;
pub use leak::{Leaks, SuppressedLeaks, leaks};
pub use lifetime::mean_lifetimes;
pub use line_fit::LineFit;
pub use mapped::{heap_of_mappings, mapped};
pub use path::{HeapOrder, HeapPath, heap_paths};
pub use place::{HeapGroup, HeapPlaces};
pub use residence::{HeapMoment, Residence};
pub use short_path::heap_on_short_paths;
pub use suppression::Suppressions;
pub(crate) use thread::heap_mask;
pub use thread::is_heap_by_thread;
pub use weights::{HeapTree, heap_as_samples};
