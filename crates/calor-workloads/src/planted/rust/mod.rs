//! Planted programs in Rust, a bottleneck or a few close ones a file.

mod copies;
mod far_memory;
mod healthy;
mod heap_held;
mod heap_traffic;
mod labelled;
mod narrow_vectors;
mod pieces;
mod scalar_sum;
mod small_calls;
mod surroundings;
mod told;
mod waiting;

use super::{Case, Healthy, Language, Saves, Twins, Words};

/// A case that samples of the CPU are enough for; each file changes what is different.
const CPU: Case = Case {
    name: "",
    rule: "",
    also_right: &[],
    language: Language::Rust,
    flags: &[],
    options: &[],
    saves: Saves::Cpu,
    write: nothing,
};

/// One whose heap is watched.
const HEAP: Case = Case { options: &["--heap"], ..CPU };

fn nothing(_: &mut Words) -> Twins {
    Twins { planted: String::new(), healthy: String::new(), function: None }
}

pub(super) const CASES: &[Case] = &[
    copies::CLONES,
    copies::QUEUE,
    far_memory::COLUMNS,
    far_memory::FIELD,
    far_memory::LIST,
    heap_held::LEAK,
    heap_held::GROWTH,
    heap_held::SMALL_BLOCKS,
    heap_traffic::TEMPORARIES,
    heap_traffic::CHURN,
    heap_traffic::GROWING,
    heap_traffic::PAGES,
    labelled::SQUARE,
    labelled::LEVEL,
    narrow_vectors::CASE,
    pieces::CASE,
    scalar_sum::CASE,
    small_calls::CASE,
    told::BATCHABLE,
    told::CACHE,
    told::TAIL,
    told::SERIAL,
    told::PASSES,
    waiting::LOCK,
    waiting::SERVICE,
    waiting::TURNS,
];

pub(super) const HEALTHY: &[Healthy] = &[
    healthy::SORTING,
    healthy::ORDERED_MAP,
    healthy::WORD_COUNT,
    healthy::FILTER,
    healthy::PRODUCT,
    healthy::SHAPES,
    healthy::WORKERS,
    healthy::BODIES,
    healthy::STREAM,
];
