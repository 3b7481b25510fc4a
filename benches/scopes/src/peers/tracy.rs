//! Tracy: every enter and exit, kept until its viewer connects. Without the viewer there is no report.

use super::no_batch;
use crate::peer::{MakeReport, Peer};

pub(super) struct Tracy;

macro_rules! scope {
    ($name:literal, $body:expr) => {{
        let _span = ::tracy_client::span!($name);
        $body
    }};
}

workload_functions!(scope, no_batch);

impl Peer for Tracy {
    fn start(&self) -> MakeReport {
        let _client = ::tracy_client::Client::start();
        Box::new(|| None)
    }

    workloads!(scope, no_batch);
}
