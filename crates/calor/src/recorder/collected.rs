//! What threads left behind when they ended: collected into a profile, after which their blocks are free for
//! others. Bounded: the first threads keep their own rows, later ones are added up by name.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use calor_model::{Profile, Warning};

use crate::link;
use crate::recording::Stream;

use super::block::{Block, ownership};
use super::convert::Converter;
use super::identities::Identities;
use super::raw::RawThread;
use super::{identities, registry, state};

/// Spans of ended threads that are kept.
const MAX_SPANS: usize = 1 << 20;

/// Everything that is guarded by the registry's lock.
#[derive(Default)]
pub(crate) struct Collected {
    /// What ended threads recorded.
    profile: Profile,
    identities: Identities,
    n_spans: usize,
    /// Resets that `profile` knows of.
    resets: u64,
    /// The recording under way, if any: it must hear of a thread's last scopes before its block is free.
    pub(crate) stream: Option<Stream>,
}

impl Collected {
    /// Collects from every block whose thread has ended, and frees the block.
    pub(crate) fn collect_ended(&mut self) {
        self.forget_before_reset();
        for block in registry::blocks().filter(|block| block.ownership.load(Acquire) == ownership::ENDED) {
            let mut raw = block.read(state::keeps_timeline().then_some(0));
            warn_of_overwritten(&mut self.profile, &mut raw);
            if let Some(stream) = &mut self.stream {
                stream.add_ended(block);
            }
            let room = MAX_SPANS - self.n_spans;
            if raw.spans.len() > room {
                raw.lost_spans += (raw.spans.len() - room) as u64;
                raw.spans.truncate(room);
            }
            self.n_spans += raw.spans.len();
            let thread = self.identities.of_ended(&mut self.profile, &raw);
            Converter::new(&mut self.profile).add(&raw, thread);
            block.free();
        }
    }

    /// What is known of all threads, ended and running.
    pub(crate) fn profile_with_running(&mut self) -> Profile {
        self.collect_ended();
        let mut profile = self.profile.clone();
        let spans_from = state::keeps_timeline().then_some(0);
        profile.scopes.reserve(registry::n_nodes());
        for block in registry::blocks().filter(|block| block.is_in_use()) {
            let mut raw = block.read(spans_from);
            warn_of_overwritten(&mut profile, &mut raw);
            let thread = identities::of_running(&mut profile, &raw);
            Converter::new(&mut profile).add(&raw, thread);
        }
        if state::keeps_timeline() {
            link::store::add_held(&mut profile);
        }
        profile
    }

    fn forget_before_reset(&mut self) {
        let resets = state::settings().resets;
        if self.resets != resets {
            let stream = self.stream.take();
            *self = Self { resets, stream, ..Self::default() };
        }
    }
}

/// A timeline in memory holds the newest spans by design: what is older was not lost, it was not asked for.
fn warn_of_overwritten(profile: &mut Profile, raw: &mut RawThread) {
    let overwritten = std::mem::take(&mut raw.lost_spans);
    if overwritten > 0 {
        profile.warn(Warning::counted(
            "spans_overwritten",
            "the timeline holds the newest scopes of each thread; older ones are in the statistics only \
             (raise Options::timeline_events, or stream to a file with calor::start_recording)",
            overwritten,
        ));
    }
}

impl Block {
    /// Whether a thread's figures are in the block: of one that runs, or has ended since the last collection.
    /// To look at running threads alone would miss one that ends between the two.
    pub(crate) fn is_in_use(&self) -> bool {
        matches!(self.ownership.load(Acquire), ownership::LIVE | ownership::ENDED)
            && self.serial.load(Acquire) != 0
    }

    /// Clears the block of an ended thread for the next.
    fn free(&self) {
        self.clear_tree();
        let head = self.head.load(Relaxed);
        self.folded.store(head, Relaxed);
        if let Some(ring) = self.ring() {
            ring.restart(head);
        }
        self.serial.store(0, Relaxed);
        // The next owner acts on the state anew.
        self.forget_state();
        self.ownership.store(ownership::FREE, Release);
    }
}
