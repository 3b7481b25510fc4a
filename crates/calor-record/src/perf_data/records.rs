//! The records of a file, each with its event and its time, in the order of time: perf writes them processor by
//! processor.

use perf_event_open_sys::bindings;

use super::attributes::{Event, Events};
use super::layout::Layout;
use crate::perf::Fields;

/// Kinds of records that perf itself writes among those of the kernel.
pub(super) mod kind {
    pub(in super::super) const HEADER_ATTRIBUTES: u32 = 64;
    pub(in super::super) const TRACING_DATA: u32 = 66;
    pub(in super::super) const BUILD_ID: u32 = 67;
    pub(in super::super) const AUX_TRACE: u32 = 71;
    pub(in super::super) const EVENT_UPDATE: u32 = 78;
    pub(in super::super) const HEADER_FEATURE: u32 = 80;
    pub(in super::super) const COMPRESSED: u32 = 81;
    pub(in super::super) const COMPRESSED_2: u32 = 83;
    /// The first that is perf's own.
    pub(in super::super) const FIRST_OF_PERF: u32 = 64;
}

const HEADER: usize = 8;

/// A record without its header.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawRecord<'a> {
    pub(super) kind: u32,
    pub(super) misc: u16,
    pub(super) body: &'a [u8],
    /// What stands behind the record without being part of it.
    pub(super) behind: &'a [u8],
}

/// Takes bytes apart into records. It ends at a record that is not whole; `rest` is what was not taken.
#[derive(Debug)]
pub(super) struct Split<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Split<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
}

impl<'a> Iterator for Split<'a> {
    type Item = RawRecord<'a>;

    fn next(&mut self) -> Option<RawRecord<'a>> {
        let head = u64::from_le_bytes(self.rest.get(..HEADER)?.try_into().ok()?);
        let (kind, misc, size) = (head as u32, (head >> 32) as u16, usize::from((head >> 48) as u16));
        let body = self.rest.get(HEADER..size)?;
        let mut fields = Fields(body);
        let length_behind = match kind {
            kind::TRACING_DATA => (fields.u32() as usize).next_multiple_of(8),
            kind::AUX_TRACE => fields.length(),
            _ => 0,
        };
        let behind = self.rest[size..].get(..length_behind)?;
        self.rest = &self.rest[size + length_behind..];
        Some(RawRecord { kind, misc, body, behind })
    }
}

/// A record of the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) time: u64,
    /// The place of its event.
    pub(super) event: u32,
    pub(super) kind: u32,
    pub(super) misc: u16,
    /// Without what stands behind records other than samples.
    pub(super) body: &'a [u8],
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Records<'a> {
    records: Vec<Record<'a>>,
    /// How many bytes behind a damaged record were not read.
    pub(super) damaged: Option<usize>,
}

impl<'a> Records<'a> {
    /// Those of the file itself and those that were compressed in it.
    pub(super) fn parse(layout: &Layout<'a>, unpacked: &'a [u8]) -> Self {
        let mut all = Self::default();
        let sorting = Sorting::new(&layout.events);
        for bytes in [layout.data, unpacked] {
            let mut split = Split::new(bytes);
            let mut latest = 0;
            for raw in split.by_ref().filter(|raw| raw.kind < kind::FIRST_OF_PERF) {
                let record = sorting.record(raw, latest);
                latest = record.time;
                all.records.push(record);
            }
            // A file that is cut off ends within a record; that it is cut off is said elsewhere.
            if split.rest.len() > usize::from(u16::MAX) {
                *all.damaged.get_or_insert(0) += split.rest.len();
            }
        }
        all.records.sort_by_key(|record| record.time);
        all
    }

    pub(super) fn in_order(&self) -> impl Iterator<Item = &Record<'a>> {
        self.records.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }
}

/// How the event and the time of a record are found before its layout is known.
struct Sorting<'e> {
    events: &'e Events,
    /// Where a sample has its number, and how far from the end other records have it.
    id_in_sample: Option<usize>,
    id_before_end: Option<usize>,
}

impl<'e> Sorting<'e> {
    fn new(events: &'e Events) -> Self {
        let first = events.get(0);
        let before = |field: u32| u64::from(field) & first.fields != 0;
        let words = |fields: &[u32]| 8 * fields.iter().filter(|field| before(**field)).count();
        let (mut id_in_sample, mut id_before_end) = (None, None);
        if first.has(bindings::PERF_SAMPLE_IDENTIFIER) {
            (id_in_sample, id_before_end) = (Some(0), Some(8));
        } else if first.has(bindings::PERF_SAMPLE_ID) {
            id_in_sample = Some(words(&[
                bindings::PERF_SAMPLE_IP,
                bindings::PERF_SAMPLE_TID,
                bindings::PERF_SAMPLE_TIME,
                bindings::PERF_SAMPLE_ADDR,
            ]));
            id_before_end = Some(8 + words(&[bindings::PERF_SAMPLE_STREAM_ID, bindings::PERF_SAMPLE_CPU]));
        }
        if !first.is_id_everywhere {
            id_before_end = None;
        }
        Self { events, id_in_sample, id_before_end }
    }

    /// A record that tells no time is taken to be of the `latest` one.
    fn record<'a>(&self, raw: RawRecord<'a>, latest: u64) -> Record<'a> {
        let word = |at: Option<usize>| {
            let at = at?;
            Some(u64::from_le_bytes(raw.body.get(at..at.checked_add(8)?)?.try_into().ok()?))
        };
        let is_sample = raw.kind == bindings::PERF_RECORD_SAMPLE;
        let from_end = |distance: Option<usize>| raw.body.len().checked_sub(distance?);
        let place = if self.events.is_one() {
            0
        } else {
            let id = if is_sample { word(self.id_in_sample) } else { word(from_end(self.id_before_end)) };
            id.map_or(0, |id| self.events.of(id))
        };
        let event = self.events.get(place);
        let (time, body) = if is_sample {
            (word(time_in_sample(event)), raw.body)
        } else {
            let (trailer, time) = event.trailer();
            (word(from_end(time)), &raw.body[..raw.body.len().saturating_sub(trailer)])
        };
        Record {
            time: time.unwrap_or(latest),
            event: u32::try_from(place).unwrap_or(0),
            kind: raw.kind,
            misc: raw.misc,
            body,
        }
    }
}

fn time_in_sample(event: &Event) -> Option<usize> {
    let before = [bindings::PERF_SAMPLE_IDENTIFIER, bindings::PERF_SAMPLE_IP, bindings::PERF_SAMPLE_TID];
    let at = 8 * before.iter().filter(|field| event.has(**field)).count();
    event.has(bindings::PERF_SAMPLE_TIME).then_some(at)
}
