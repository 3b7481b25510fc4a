//! Planted programs in Rust, one bottleneck a file.

use super::{Case, Healthy};

pub(super) const CASES: &[Case] = &[];

pub(super) const HEALTHY: &[Healthy] = &[];
