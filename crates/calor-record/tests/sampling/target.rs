//! A program to record, and a recording of it.

use std::ffi::OsString;
use std::sync::Mutex;
use std::time::Duration;

use calor_model::{Profile, SampleKind};
use calor_record::{Ended, Options, RecordError, Recording, Target};
use calor_testing::{Need, cannot};

/// Recordings hold back signals of this process and are counted by its open files: one at a time.
pub(crate) static ONE: Mutex<()> = Mutex::new(());

/// A shell that is busy for so many rounds of a loop.
pub(crate) fn busy(rounds: u32) -> Vec<OsString> {
    let line = format!("i=0; while [ $i -lt {rounds} ]; do i=$((i+1)); done; exit 3");
    ["sh", "-c", &line].map(OsString::from).to_vec()
}

pub(crate) fn options() -> Options {
    Options { symbol_cache: None, ..Options::default() }
}

/// Starts a recording; `None`, said aloud, where nothing may be sampled.
pub(crate) fn start(target: Target, options: &Options) -> Option<Recording> {
    match Recording::start(target, options) {
        Ok(recording) => Some(recording),
        Err(RecordError::Refused(refusal)) => {
            cannot(Need::Perf, refusal);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Follows a recording to its end, looking at it in between.
pub(crate) fn follow(recording: &mut Recording, mut look: impl FnMut(&mut Recording)) -> Ended {
    loop {
        if let Some(ended) = recording.step(Duration::from_millis(50)).expect("waiting works") {
            return ended;
        }
        look(recording);
    }
}

pub(crate) fn samples(profile: &Profile) -> u64 {
    let rows = profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu);
    rows.map(|(_, weight)| weight.count).sum()
}
