//! puffin: every scope of a frame, kept by its frame view; the report is the merged tree of each thread.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;

use ::puffin::{GlobalFrameView, GlobalProfiler, UnpackedFrameData, merge_scopes_for_thread};

use crate::peer::{MakeReport, Peer};

pub(super) struct Puffin;

macro_rules! scope {
    ($name:literal, $body:expr) => {{
        ::puffin::profile_scope!($name);
        $body
    }};
}

/// A scope without one around it is handed over by itself, at a higher price; so there is one around a frame.
macro_rules! frame {
    ($body:expr) => {{
        GlobalProfiler::lock().new_frame();
        ::puffin::profile_scope!("frame");
        $body
    }};
}

workload_functions!(scope, frame);

impl Peer for Puffin {
    fn start(&self) -> MakeReport {
        let view = GlobalFrameView::default();
        ::puffin::set_scopes_on(true);
        Box::new(move || {
            GlobalProfiler::lock().new_frame();
            let view = view.lock();
            let frames: Vec<Arc<UnpackedFrameData>> =
                view.recent_frames().filter_map(|frame| frame.unpacked().ok()).collect();
            let threads: BTreeSet<_> = frames.iter().flat_map(|frame| frame.thread_streams.keys()).collect();
            for thread in threads {
                let _tree = black_box(merge_scopes_for_thread(view.scope_collection(), &frames, thread));
            }
            Some(frames.iter().map(|frame| frame.meta.num_scopes as u64).sum())
        })
    }

    workloads!(scope, frame);
}
