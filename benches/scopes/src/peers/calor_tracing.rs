//! Calor's layer for `tracing`: the same spans as its neighbours, kept as Calor keeps scopes.

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::no_batch;
use crate::peer::{MakeReport, Peer};

pub(super) struct Layer;

macro_rules! scope {
    ($name:literal, $body:expr) => {{
        let _span = ::tracing::info_span!($name).entered();
        $body
    }};
}

workload_functions!(scope, no_batch);

impl Peer for Layer {
    fn start(&self) -> MakeReport {
        tracing_subscriber::registry().with(::calor::tracing::layer()).init();
        super::calor::STATISTICS.start()
    }

    workloads!(scope, no_batch);
}
