//! Calor, with the sites themselves saying that one call in sixteen is timed: for the few scopes that are hot, while
//! all others are timed every time.

use super::no_batch;
use crate::peer::Peer;

pub(super) struct Counted;

macro_rules! scope {
    ($name:literal, $body:expr) => {{
        ::calor::scope!($name, time_one_in = 16);
        $body
    }};
}

workload_functions!(scope, no_batch);

impl Peer for Counted {
    #[cfg(feature = "recording")]
    fn start(&self) -> crate::peer::MakeReport {
        super::calor::STATISTICS.start()
    }

    workloads!(scope, no_batch);
}
