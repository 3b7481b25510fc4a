//! The sites of `tracing`'s callsites: made once each, found without a lock, and bounded, since metadata may
//! also be made at run time.

use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use tracing_core::Metadata;

use crate::Site;

use super::fields;

/// As many as there may be names made at run time; further callsites share one site.
const MAX_CALLSITES: usize = 8192;
/// Twice as many, so that a search soon ends at an empty slot.
const SLOTS: usize = 2 * MAX_CALLSITES;

/// By a hash of their identity. In place, not behind pointers: whoever knows the number of a callsite knows
/// where it is without a look. What is not in use takes no memory, only addresses (1.4 MiB).
static CALLSITES: [OnceLock<Callsite>; SLOTS] = [const { OnceLock::new() }; SLOTS];
static N_CALLSITES: AtomicUsize = AtomicUsize::new(0);
/// What callsites beyond the limit share.
static OTHER: Callsite =
    Callsite { identity: 0, tells_work: false, site: Site::new("(other spans)", "", "", 0) };
const OTHER_NUMBER: u32 = u32::MAX;

/// What is known of a callsite.
#[derive(Debug)]
pub(crate) struct Callsite {
    /// The address of the metadata, which is static.
    identity: usize,
    /// Whether its spans can have fields that tell work.
    pub(crate) tells_work: bool,
    pub(crate) site: Site,
}

/// The callsite of a number.
#[inline(always)]
pub(crate) fn numbered(number: u32) -> &'static Callsite {
    CALLSITES.get(number as usize).and_then(OnceLock::get).unwrap_or(&OTHER)
}

/// The callsite of a span's metadata, and its number.
#[inline(always)]
pub(crate) fn of(metadata: &'static Metadata<'static>) -> (u32, &'static Callsite) {
    let slot = slot(metadata);
    match CALLSITES[slot].get() {
        Some(callsite) if callsite.identity == identity(metadata) => (slot as u32, callsite),
        _ => search(metadata, slot),
    }
}

/// The search from a slot on that is empty or holds another callsite.
#[cold]
#[inline(never)]
fn search(metadata: &'static Metadata<'static>, mut slot: usize) -> (u32, &'static Callsite) {
    loop {
        let callsite = match CALLSITES[slot].get() {
            Some(callsite) => callsite,
            None if N_CALLSITES.load(Relaxed) >= MAX_CALLSITES => return (OTHER_NUMBER, &OTHER),
            // Another thread may be quicker, with this callsite or another.
            None => CALLSITES[slot].get_or_init(|| Callsite::new(metadata)),
        };
        if callsite.identity == identity(metadata) {
            return (slot as u32, callsite);
        }
        slot = (slot + 1) % SLOTS;
    }
}

#[inline(always)]
fn identity(metadata: &'static Metadata<'static>) -> usize {
    std::ptr::from_ref(metadata).addr()
}

#[inline(always)]
fn slot(metadata: &'static Metadata<'static>) -> usize {
    let mixed = (identity(metadata) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - SLOTS.ilog2())) as usize
}

impl Callsite {
    fn new(metadata: &'static Metadata<'static>) -> Self {
        N_CALLSITES.fetch_add(1, Relaxed);
        let site = Site::new(
            metadata.name(),
            metadata.module_path().unwrap_or_else(|| metadata.target()),
            metadata.file().unwrap_or_default(),
            metadata.line().unwrap_or(0),
        );
        Self { identity: identity(metadata), tells_work: fields::tell_work(metadata.fields()), site }
    }
}
