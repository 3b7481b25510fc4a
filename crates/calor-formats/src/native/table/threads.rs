//! The thread table.

use calor_model::{Profile, Thread};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a row takes at least.
const ROW_BYTES: usize = 3;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let threads = &encoder.profile.threads;
    encoder.count(threads.len());
    encoder.deltas(threads.iter().map(|(_, thread)| u64::from(thread.pid)));
    encoder.deltas(threads.iter().map(|(_, thread)| thread.tid));
    encoder.strings("thread name", threads.iter().map(|(_, thread)| thread.name));
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("threads", ROW_BYTES)?;
    let pids = decoder.deltas("process numbers", n_rows)?;
    let tids = decoder.deltas("thread numbers", n_rows)?;
    for row in 0..n_rows {
        let pid = u32::try_from(pids[row])
            .map_err(|_| decoder.refuse("process number", "an integer of 32 bits", pids[row].to_string()))?;
        let name = decoder.string("thread name", profile)?;
        if profile.threads.intern(Thread { pid, tid: tids[row], name }).index() != row {
            return Err(decoder.refuse("threads", "every thread once", format!("row {row} again")));
        }
    }
    Ok(())
}
