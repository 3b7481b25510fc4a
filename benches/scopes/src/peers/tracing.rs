//! tracing with the registry and a layer that does nothing: what any layer costs before it keeps anything.

use super::no_batch;
use crate::peer::Peer;

pub(super) struct NoOpLayer;

macro_rules! scope {
    ($name:literal, $body:expr) => {{
        let _span = ::tracing::info_span!($name).entered();
        $body
    }};
}

workload_functions!(scope, no_batch);

impl Peer for NoOpLayer {
    #[cfg(feature = "recording")]
    fn start(&self) -> crate::peer::MakeReport {
        use tracing_subscriber::layer::SubscriberExt;
        use tracing_subscriber::util::SubscriberInitExt;

        struct Nothing;
        impl<S: ::tracing::Subscriber> tracing_subscriber::Layer<S> for Nothing {}

        tracing_subscriber::registry().with(Nothing).init();
        Box::new(|| None)
    }

    workloads!(scope, no_batch);
}
