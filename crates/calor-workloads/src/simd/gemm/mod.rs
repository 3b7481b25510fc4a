//! Multiplication of matrices the way the good libraries do it (Goto and van de Geijn, 2008; Van Zee and van de Geijn, 2015):
//! parts of both matrices that fit into the caches are copied into the order in which they are needed, and a tile of the
//! result stays in registers while a column of one and a row of the other are multiplied into it.
//!
//! Matrices are dense and row after row.

mod blocks;
mod multiply;
mod pack;
mod room;
mod tile;
#[cfg(target_arch = "x86_64")]
mod wide;

pub(crate) use blocks::Blocks;
pub(crate) use multiply::{Product, Shape};
pub(crate) use tile::{Tile, tile};
#[cfg(target_arch = "x86_64")]
pub(crate) use wide::{wide_f32, wide_f64};
