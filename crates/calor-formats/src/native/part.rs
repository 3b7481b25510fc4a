//! The payload of a part: numbered sections, one for each table that is not empty, in ascending order. The
//! tables that others point into come first, so that every handle can be checked when it is met.

use calor_model::{Profile, Warning};

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::table::warnings;
use super::table::{
    code, counters, events, frames, gpu, gpu_scopes, heap, heap_histograms, heap_snapshots, labels, links,
    runs, samples, scopes, stacks, strings, threads, timeline,
};
use crate::Error;

/// The numbers of the sections.
mod section {
    pub(super) const STRINGS: u8 = 1;
    pub(super) const FRAMES: u8 = 2;
    pub(super) const STACKS: u8 = 3;
    pub(super) const THREADS: u8 = 4;
    pub(super) const LABELS: u8 = 5;
    pub(super) const SCOPES: u8 = 6;
    pub(super) const TIMELINE: u8 = 7;
    pub(super) const SAMPLES: u8 = 8;
    pub(super) const HEAP: u8 = 9;
    pub(super) const GPU: u8 = 10;
    pub(super) const COUNTERS: u8 = 11;
    pub(super) const RUNS: u8 = 12;
    pub(super) const WARNINGS: u8 = 13;
    pub(super) const CODE: u8 = 14;
    pub(super) const EVENTS: u8 = 15;
    pub(super) const HEAP_HISTOGRAMS: u8 = 16;
    pub(super) const HEAP_SNAPSHOTS: u8 = 17;
    pub(super) const LINKS: u8 = 18;
    pub(super) const GPU_SCOPES: u8 = 19;
}

/// The two directions of a section.
type Encode = fn(&mut Encoder<'_>);
type Decode = fn(&mut Decoder<'_>, &mut Profile) -> Result<(), Error>;

/// The payload of a part that holds `profile`.
pub(super) fn encode(profile: &Profile) -> Result<Vec<u8>, Error> {
    let mut encoder = Encoder::new(profile);
    let has_heap = !profile.heap.is_empty() || profile.heap.summary.is_some();
    let has_tracks = profile.timeline.iter().len() > 0;
    let sections: [(u8, bool, Encode); 12] = [
        (section::STRINGS, !profile.strings.is_empty(), strings::encode),
        (section::FRAMES, !profile.frames.is_empty(), frames::encode),
        (section::STACKS, !profile.stacks.is_empty(), stacks::encode),
        (section::THREADS, !profile.threads.is_empty(), threads::encode),
        (section::LABELS, !profile.labels.is_empty(), labels::encode),
        (section::SCOPES, !profile.scopes.is_empty(), scopes::encode),
        (section::TIMELINE, has_tracks, timeline::encode),
        (section::SAMPLES, !profile.samples.is_empty(), samples::encode),
        (section::HEAP, has_heap, heap::encode),
        (section::GPU, !profile.gpu.is_empty(), gpu::encode),
        (section::COUNTERS, !profile.counters.is_empty(), counters::encode),
        (section::RUNS, !profile.runs.is_empty(), runs::encode),
    ];
    for (number, is_needed, write) in sections {
        if is_needed {
            encoder.section(number, write);
        }
    }
    // Warnings come after what may bring one when it is written.
    if !profile.warnings.is_empty() || encoder.n_spreads_dropped > 0 {
        encoder.section(section::WARNINGS, warnings::encode);
    }
    let later: [(u8, bool, Encode); 6] = [
        (section::CODE, !profile.code.is_empty(), code::encode),
        (section::EVENTS, !profile.events.is_empty(), events::encode),
        (section::HEAP_HISTOGRAMS, !profile.heap.histograms.is_empty(), heap_histograms::encode),
        (section::HEAP_SNAPSHOTS, !profile.heap.snapshots.is_empty(), heap_snapshots::encode),
        (section::LINKS, !profile.timeline.links.is_empty(), links::encode),
        (section::GPU_SCOPES, !profile.gpu.scopes.is_empty(), gpu_scopes::encode),
    ];
    for (number, is_needed, write) in later {
        if is_needed {
            encoder.section(number, write);
        }
    }
    encoder.finish()
}

/// The profile in a payload, which is of the chunk that begins at `chunk_offset` of the input.
pub(super) fn decode(payload: &[u8], chunk_offset: u64) -> Result<Profile, Error> {
    let mut decoder = Decoder::new(payload, chunk_offset);
    let mut profile = Profile::default();
    let (mut last, mut n_newer) = (0, 0);
    while !decoder.is_at_end() {
        let number = decoder.byte("section number")?;
        if number <= last {
            let expected = format!("a section after section {last}");
            return Err(decoder.refuse("section number", expected, format!("section {number}")));
        }
        last = number;
        let n_bytes = decoder.count("section length", 1)?;
        let mut piece = decoder.piece("section", n_bytes)?;
        let read: Decode = match number {
            section::STRINGS => strings::decode,
            section::FRAMES => frames::decode,
            section::STACKS => stacks::decode,
            section::THREADS => threads::decode,
            section::LABELS => labels::decode,
            section::SCOPES => scopes::decode,
            section::TIMELINE => timeline::decode,
            section::SAMPLES => samples::decode,
            section::HEAP => heap::decode,
            section::GPU => gpu::decode,
            section::COUNTERS => counters::decode,
            section::RUNS => runs::decode,
            section::WARNINGS => warnings::decode,
            section::CODE => code::decode,
            section::EVENTS => events::decode,
            section::HEAP_HISTOGRAMS => heap_histograms::decode,
            section::HEAP_SNAPSHOTS => heap_snapshots::decode,
            section::LINKS => links::decode,
            section::GPU_SCOPES => gpu_scopes::decode,
            _ => {
                n_newer += 1;
                continue;
            }
        };
        read(&mut piece, &mut profile)?;
        // A later minor version may add columns at the end of a section.
        n_newer += u64::from(!piece.is_at_end());
    }
    if n_newer > 0 {
        let message = "the file holds pieces that this version of Calor does not know and has left out; \
                       update calor to see them";
        profile.warn(Warning::counted("newer_content", message, n_newer));
    }
    Ok(profile)
}
