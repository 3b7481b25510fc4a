//! No scope at all: the loops alone.

use super::no_batch;
use crate::peer::Peer;

pub(crate) struct Empty;

macro_rules! scope {
    ($name:literal, $body:expr) => {
        $body
    };
}

workload_functions!(scope, no_batch);

impl Peer for Empty {
    workloads!(scope, no_batch);
}
