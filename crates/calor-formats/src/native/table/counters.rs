//! The counter table. A value may be anything a float can be: a loss that is not a number is news.

use calor_model::{CounterKey, CounterPoint, Profile, ThreadId};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a series and a point take at least.
const SERIES_BYTES: usize = 4;
const POINT_BYTES: usize = 2;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let counters = &encoder.profile.counters;
    let n_threads = encoder.profile.threads.len();
    encoder.count(counters.len());
    for (key, points) in counters.iter() {
        encoder.strings("counter name", [key.name]);
        encoder.strings("counter unit", [key.unit]);
        let thread =
            key.thread.map_or(0, |thread| encoder.checked("counter thread", thread.index(), n_threads) + 1);
        encoder.varint(thread);
        encoder.count(points.len());
        encoder.deltas(points.iter().map(|point| point.at_nanos));
        for point in points {
            encoder.float(point.value);
        }
    }
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_series = decoder.count("counters", SERIES_BYTES)?;
    for row in 0..n_series {
        let name = decoder.string("counter name", profile)?;
        let unit = decoder.string("counter unit", profile)?;
        let thread = decoder.index("counter thread", profile.threads.len() + 1)?;
        let key = CounterKey { name, unit, thread: thread.checked_sub(1).map(ThreadId::from_index) };
        let n_points = decoder.count("counter points", POINT_BYTES)?;
        let times = decoder.deltas("counter times", n_points)?.into_iter();
        let values = decoder.rows(n_points, |decoder| decoder.float("counter values"))?;
        let points = times.zip(values).map(|(at_nanos, value)| CounterPoint { at_nanos, value });
        profile.counters.series_mut(key).extend(points);
        if profile.counters.len() != row + 1 {
            return Err(decoder.refuse("counters", "every series once", format!("series {row} again")));
        }
    }
    Ok(())
}
