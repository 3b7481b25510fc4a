//! tracing-chrome: every enter and exit as JSON, written by a thread of its own into a sink that counts bytes; the
//! report is that the last of them arrived.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::no_batch;
use crate::peer::{MakeReport, Peer};

pub(super) struct TracingChrome;

static BYTES: AtomicU64 = AtomicU64::new(0);

struct CountBytes;

impl Write for CountBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        BYTES.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

macro_rules! scope {
    ($name:literal, $body:expr) => {{
        let _span = ::tracing::info_span!($name).entered();
        $body
    }};
}

workload_functions!(scope, no_batch);

impl Peer for TracingChrome {
    fn start(&self) -> MakeReport {
        let (layer, guard) = ::tracing_chrome::ChromeLayerBuilder::new().writer(CountBytes).build();
        tracing_subscriber::registry().with(layer).init();
        Box::new(move || {
            drop(guard);
            // Bytes, not scopes; but none at all would mean that nothing was recorded.
            (BYTES.load(Ordering::Relaxed) == 0).then_some(0)
        })
    }

    workloads!(scope, no_batch);
}
