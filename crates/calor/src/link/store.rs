//! The links of the process until somebody reads them: the newest, in rings behind a few locks. Those who tell a link have
//! just synchronised anyway; with as many locks as there are here they seldom meet again.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use calor_model::{Link, LinkKind, Profile, Warning};

use crate::clock::{self, Scale};
use crate::own_memory::as_own;
use crate::process_lock::ProcessLock;
use crate::recorder::state;

use super::{Signal, participant};

/// Rings, and links that each holds.
const N_SHARDS: usize = 16;
const SHARD_LINKS: usize = 1 << 16;

static SHARDS: [ProcessLock<Shard>; N_SHARDS] = [const { ProcessLock::new() }; N_SHARDS];
/// Links of threads that have no number.
static UNNUMBERED: AtomicU64 = AtomicU64::new(0);

/// A link in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawLink {
    pub(super) kind: LinkKind,
    pub(super) object: u64,
    pub(super) from: Signal,
    pub(super) since: u64,
    pub(super) to: Signal,
    pub(super) held: u64,
}

#[derive(Default)]
struct Shard {
    links: VecDeque<RawLink>,
    /// The number of the oldest.
    first: u64,
    /// How many were overwritten since the last reset, and which reset that was.
    n_overwritten: u64,
    resets: u64,
}

impl Shard {
    fn next(&self) -> u64 {
        self.first + self.links.len() as u64
    }

    /// Makes room for one more.
    fn drop_oldest(&mut self) {
        let settings = state::settings();
        if self.resets != settings.resets {
            (self.resets, self.n_overwritten) = (settings.resets, 0);
        }
        // What was told before a reset is not asked for any more.
        let oldest = self.links.pop_front();
        self.n_overwritten += u64::from(oldest.is_some_and(|link| link.to.moment.ticks >= settings.reset_at));
        self.first += 1;
    }
}

/// Up to where links were read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    numbers: [u64; N_SHARDS],
    unnumbered: u64,
}

impl Position {
    /// Behind all that was told so far.
    pub(crate) fn now() -> Self {
        let mut numbers = [0; N_SHARDS];
        for (number, shard) in numbers.iter_mut().zip(&SHARDS) {
            *number = shard.lock().next();
        }
        Self { numbers, unnumbered: UNNUMBERED.load(Relaxed) }
    }

    /// Whether so many links were told since that some would soon be overwritten unread.
    pub(crate) fn is_pressed(&self) -> bool {
        let n_unread =
            |(number, shard): (&u64, &ProcessLock<Shard>)| shard.lock().next().saturating_sub(*number);
        self.numbers.iter().zip(&SHARDS).map(n_unread).any(|n_unread| n_unread > SHARD_LINKS as u64 / 4)
    }
}

pub(super) fn add(link: RawLink) {
    if link.to.participant == 0 {
        UNNUMBERED.fetch_add(1, Relaxed);
        return;
    }
    let mut shard = SHARDS[link.to.participant as usize % N_SHARDS].lock();
    if shard.links.len() == SHARD_LINKS {
        shard.drop_oldest();
    }
    if shard.links.len() < shard.links.capacity() {
        shard.links.push_back(link);
    } else {
        as_own(|| shard.links.push_back(link));
    }
}

/// Adds the links that were told since a position, which then is behind them. What was lost meanwhile is told too.
pub(crate) fn read_since(position: &mut Position, profile: &mut Profile) {
    let mut n_lost = UNNUMBERED.load(Relaxed).saturating_sub(position.unnumbered);
    position.unnumbered += n_lost;
    let mut links = Vec::new();
    for (number, shard) in position.numbers.iter_mut().zip(&SHARDS) {
        let shard = shard.lock();
        n_lost += shard.first.saturating_sub(*number);
        let known = number.saturating_sub(shard.first).min(shard.links.len() as u64);
        links.extend(shard.links.range(known as usize..));
        *number = shard.next();
    }
    convert(&links, profile);
    if n_lost > 0 {
        let message = "links between threads were overwritten before they were read: the critical path may stay on a \
                       thread that was waiting for another";
        profile.warn(Warning::counted("links_lost", message, n_lost));
    }
}

/// Adds the links that are held in memory: the newest. How many older ones there were is told too.
pub(crate) fn add_held(profile: &mut Profile) {
    let (mut links, mut n_overwritten) = (Vec::new(), 0);
    let resets = state::settings().resets;
    for shard in &SHARDS {
        let shard = shard.lock();
        links.extend(shard.links.iter());
        n_overwritten += if shard.resets == resets { shard.n_overwritten } else { 0 };
    }
    convert(&links, profile);
    for (code, message, count) in [
        ("links_overwritten", OVERWRITTEN, n_overwritten),
        ("links_unnumbered", TOO_MANY_THREADS, UNNUMBERED.load(Relaxed)),
    ] {
        if count > 0 {
            profile.warn(Warning::counted(code, message, count));
        }
    }
}

const OVERWRITTEN: &str = "the timeline holds the newest links between threads; before the oldest of them the critical path \
                           may stay on a thread that was waiting (stream to a file with calor::start_recording)";
const TOO_MANY_THREADS: &str = "links of threads beyond the 65,536 that are told apart were not recorded: the critical path \
                                may stay on a thread that was waiting for another";

fn convert(links: &[RawLink], profile: &mut Profile) {
    let reset_at = state::settings().reset_at;
    let (begin, scale) = (clock::anchor().ticks, Scale::measure());
    let nanos = |ticks: u64| scale.nanos(ticks.saturating_sub(begin));
    let participants = participant::all();
    let mut threads = vec![None; participants.len()];
    let mut thread_of = |signal: Signal, profile: &mut Profile| {
        let index = signal.participant as usize - 1;
        let participant = participants.get(index)?;
        let thread = threads[index].get_or_insert_with(|| {
            profile.intern_thread(std::process::id(), participant.tid, &participant.name)
        });
        Some(*thread)
    };
    for link in links.iter().filter(|link| link.to.moment.ticks >= reset_at) {
        let (Some(from), Some(to)) = (thread_of(link.from, profile), thread_of(link.to, profile)) else {
            continue;
        };
        let to_nanos = nanos(link.to.moment.ticks);
        profile.timeline.links.push(Link {
            kind: link.kind,
            object: link.object,
            from,
            // Counters of two cores may differ by a little: nothing is had before it is made available.
            from_nanos: nanos(link.from.moment.ticks).min(to_nanos),
            to,
            since_nanos: nanos(link.since).min(to_nanos),
            to_nanos,
            held_nanos: nanos(link.to.moment.ticks + link.held) - to_nanos,
        });
    }
}

pub(super) fn forget() {
    SHARDS.iter().for_each(ProcessLock::forget);
}
