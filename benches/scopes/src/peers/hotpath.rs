//! hotpath: statistics by name, kept by a worker thread; the report is its JSON.

#![allow(unsafe_code, reason = "its macro exports a symbol to find labels that are used twice")]

use super::no_batch;
use crate::peer::Peer;

pub(super) struct Hotpath;

macro_rules! scope {
    ($name:literal, $body:expr) => {
        ::hotpath::measure_block!($name, $body)
    };
}

workload_functions!(scope, no_batch);

impl Peer for Hotpath {
    #[cfg(feature = "recording")]
    fn start(&self) -> crate::peer::MakeReport {
        let guard = ::hotpath::HotpathGuardBuilder::new("main")
            .format(::hotpath::Format::Json)
            .output_path("/dev/null")
            .build();
        Box::new(move || {
            drop(guard);
            None
        })
    }

    workloads!(scope, no_batch);
}
