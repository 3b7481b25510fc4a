//! What a recording has told so far, and so what is new: each part that goes to the file holds what happened
//! since the part before, and merging all parts gives the whole.

use std::collections::{BTreeSet, HashMap};

use calor_model::{Host, Profile, Recorder, Run};

use crate::link::{self, store::Position};
use crate::process;
use crate::recorder::block::Block;
use crate::recorder::collected::Collected;
use crate::recorder::convert::Converter;
use crate::recorder::identities::{self, Identities};
use crate::recorder::raw::RawThread;
use crate::recorder::registry::{self, Losses};

/// Spans of ended threads that wait to be written.
const MAX_WAITING_SPANS: usize = 1 << 20;

/// What a recording knows of the threads.
#[derive(Default)]
pub(crate) struct Stream {
    /// The last look at each running thread, by serial number.
    looks: HashMap<u64, RawThread>,
    /// Where the rings of threads stood when the recording began.
    begun_at: HashMap<u64, u64>,
    identities: Identities,
    /// What ended threads had not told yet, and how many spans that is.
    ended: Profile,
    n_ended_spans: usize,
    has_timeline: bool,
    /// Up to where links were told.
    links: Position,
    /// Losses that were told.
    losses: Losses,
    /// What the scopes that were told cost the program.
    cost_nanos: u64,
    /// What recorded beside scopes, and what that cost.
    recorders: BTreeSet<Recorder>,
    sampling_nanos: u64,
    /// Whether the machine and the command were told: once is enough.
    is_introduced: bool,
}

impl Stream {
    /// Begins now. Under the registry's lock.
    pub(crate) fn new(has_timeline: bool) -> Self {
        // What was recorded before is told with the first part; spans begin now.
        let begun_at = registry::heads().collect();
        crate::gpu::end_news();
        Self { has_timeline, begun_at, links: Position::now(), ..Self::default() }
    }

    /// Takes what was sampled since the last time, or since the recording or the sampling began.
    #[cfg(all(feature = "sampling", target_os = "linux", target_arch = "x86_64"))]
    pub(crate) fn add_samples(&mut self, mut part: Profile) {
        for run in part.runs.drain(..) {
            self.sampling_nanos = self.sampling_nanos.max(run.cost.own_cpu_nanos.unwrap_or(0));
            self.recorders.extend(run.recorders);
        }
        self.ended.merge(&part);
    }

    /// Takes what a thread that has ended had not told yet, before its block is given to another.
    pub(crate) fn add_ended(&mut self, block: &Block) {
        let (mut news, raw) = self.news_of(block);
        // If writing takes its time, what waits for it must not grow without bound.
        let room = MAX_WAITING_SPANS - self.n_ended_spans;
        news.lost_spans += news.spans.len().saturating_sub(room) as u64;
        news.spans.truncate(room);
        self.n_ended_spans += news.spans.len();
        // What was told of it while it ran has a row that this has to be added to.
        let thread = match self.looks.remove(&raw.serial) {
            Some(_) => identities::of_running(&mut self.ended, &raw),
            None => self.identities.of_ended(&mut self.ended, &raw),
        };
        Converter::new(&mut self.ended).add(&news, thread);
    }

    fn add_running(&mut self, block: &Block, part: &mut Profile) {
        let (news, mut raw) = self.news_of(block);
        let thread = identities::of_running(part, &raw);
        Converter::new(part).add(&news, thread);
        raw.spans = Vec::new();
        self.looks.insert(raw.serial, raw);
    }

    /// What is new of a thread, and the look that showed it.
    fn news_of(&self, block: &Block) -> (RawThread, RawThread) {
        let earlier = self.looks.get(&block.serial());
        let begun_at = || self.begun_at.get(&block.serial()).copied().unwrap_or(0);
        let spans_from = self.has_timeline.then(|| earlier.map_or_else(begun_at, |look| look.head));
        let mut raw = block.read(spans_from);
        let news = match earlier {
            Some(earlier) => raw.since(earlier),
            None => raw.clone(),
        };
        (news, raw)
    }

    /// Whether a thread's ring is so full that spans would soon be overwritten unread.
    fn is_pressed(&self, block: &Block) -> bool {
        let read = self.looks.get(&block.serial()).map_or(0, |look| look.head);
        self.has_timeline && block.unread_share(read) > 0.25
    }
}

/// Whether some thread's spans have to be read soon.
pub(crate) fn is_pressed() -> bool {
    let collected = registry::lock();
    let Some(stream) = &collected.stream else { return false };
    if stream.has_timeline && stream.links.is_pressed() {
        return true;
    }
    registry::blocks().filter(|block| block.is_in_use()).any(|block| stream.is_pressed(block))
}

/// The next part of the recording under way; `None` when there is none.
pub(crate) fn next_part() -> Option<Profile> {
    let mut collected = registry::lock();
    collected.collect_ended();
    let Collected { stream, .. } = &mut *collected;
    let stream = stream.as_mut()?;
    let mut part = std::mem::take(&mut stream.ended);
    stream.n_ended_spans = 0;
    for block in registry::blocks().filter(|block| block.is_in_use()) {
        stream.add_running(block, &mut part);
    }
    if stream.has_timeline {
        link::store::read_since(&mut stream.links, &mut part);
    }
    let losses = Losses::so_far();
    let news = losses.since(std::mem::replace(&mut stream.losses, losses));
    stream.cost_nanos += process::cost_of_scopes(&part).unwrap_or(0);
    let (cost_nanos, sampling_nanos) = (stream.cost_nanos, stream.sampling_nanos);
    let recorders: Vec<_> = stream.recorders.iter().copied().chain([Recorder::Scopes]).collect();
    let is_introduced = std::mem::replace(&mut stream.is_introduced, true);
    drop(collected);
    process::warn_of_losses(&mut part, news);
    process::warn_of_experiments(&mut part);
    let mut run = process::run(recorders);
    // Recording costs the program its scopes, and the machine this thread and its like, which are not the program's.
    let own_threads = sampling_nanos + process::thread_cpu_nanos().unwrap_or(0) + process::readers_nanos();
    run.cpu_nanos = run.cpu_nanos.map(|nanos| nanos.saturating_sub(own_threads));
    run.cost.own_cpu_nanos = Some(cost_nanos.saturating_add(own_threads));
    if is_introduced {
        run = Run { host: Host::default(), command: None, ..run };
    } else {
        process::warn_of_clock(&mut part);
    }
    part.runs.push(run);
    crate::gpu::add_news_to(&mut part);
    Some(part)
}
