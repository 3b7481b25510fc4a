//! All rings of a recording, read as one stream in the order of time. Records of different processors reach
//! the reader in any order; a mapping that came after the first sample inside it would make a broken stack.

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use super::event::Event;
use super::ring::Ring;

/// Rings that are merged by time.
#[derive(Debug, Default)]
pub(crate) struct Rings {
    rings: Vec<Ring>,
    /// Nothing older than this will come: it is when the round before began.
    settled: u64,
}

impl Rings {
    /// Adds the ring of an event and says where others of its processor shall write.
    pub(crate) fn add(&mut self, event: Event, size: usize) -> io::Result<RawFd> {
        let descriptor = event.as_raw_fd();
        self.rings.push(Ring::new(event, size)?);
        Ok(descriptor)
    }

    /// The descriptors to wait on.
    pub(crate) fn descriptors(&self) -> impl Iterator<Item = RawFd> {
        self.rings.iter().map(AsRawFd::as_raw_fd)
    }

    /// The events that own the rings.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.rings.iter().map(Ring::event)
    }

    /// Tells of the samples that have come since the last time, before their turn: process, thread and time. What has to
    /// be looked at while it is fresh can be.
    pub(crate) fn announce(&mut self, mut tell: impl FnMut(i32, i32, u64)) {
        for ring in &mut self.rings {
            ring.look();
            ring.announce(&mut tell);
        }
    }

    /// Hands over, oldest first, every record that nothing older can follow; all that is there if `is_last`.
    pub(crate) fn read(&mut self, is_last: bool, mut take: impl FnMut(&[u8])) {
        let limit = if is_last { u64::MAX } else { self.settled };
        self.settled = super::clock_nanos();
        for ring in &mut self.rings {
            ring.look();
        }
        let mut fronts: Vec<Option<u64>> = self.rings.iter().map(Ring::front_time).collect();
        while let Some((index, time)) = earliest(&fronts)
            && time <= limit
        {
            let ring = &mut self.rings[index];
            if let Some(record) = ring.front() {
                take(record);
            }
            ring.pass();
            fronts[index] = ring.front_time();
        }
    }
}

fn earliest(times: &[Option<u64>]) -> Option<(usize, u64)> {
    let known = times.iter().enumerate().filter_map(|(index, time)| time.map(|time| (index, time)));
    known.min_by_key(|(_, time)| *time)
}
