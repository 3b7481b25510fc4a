//! Flame graphs as values: a tree of frames with weights, laid out, pruned and summed, for whoever draws it.

mod columns;
mod frames;
mod growth;
mod input;
mod inversion;
mod layout;
mod left_out;
mod names;
mod paths;
mod tree;
mod union;

pub use columns::{FlameColumn, FlameColumns};
pub use frames::{FlameFrame, FlameKind};
pub use input::{FlameInput, FlameLeaf, FlameMetric, FlameUnit, FlameWeight};
pub use left_out::{FlameHeld, FlameLeftOut, FlameLeftOutRow};
pub use names::FlameName;
pub use tree::{FlameNode, FlameTree, FlameTreeOptions};
pub use union::{FlameUnion, UnionFrame};
