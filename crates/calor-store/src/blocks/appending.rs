//! Appending a part: its bytes, what it adds to sums by time, and the room that it needs, in one change.

use calor_analysis::{CallTree, TreeOptions};
use calor_formats::parts::Window;
use calor_model::{Profile, Recorder, SampleKind};
use rusqlite::{Transaction, params};

use super::series::number_of;
use super::{Appended, HOUR_NANOS, Limits, Series, expiry};
use crate::digest::Digest;
use crate::save::number;
use crate::{Encoded, Error, Store, SumKind, Totals, content};

const DOING: &str = "keep a part";

impl Store {
    pub(super) fn append_part(
        &mut self,
        series: &Series,
        window: Window,
        part: &Encoded,
        limits: &Limits,
    ) -> Result<Appended, Error> {
        let bytes = part.bytes().len() as u64;
        if window.nanos() > HOUR_NANOS {
            return Err(Error::LongPart { nanos: window.nanos() });
        }
        if let Some(most) = limits.most_for_one().filter(|most| bytes > *most) {
            return Err(Error::LargePart { bytes, most });
        }
        if limits.are_after(window) {
            return Ok(Appended::TooOld);
        }
        let digest = Digest::of(part.bytes());
        let sums = sums_of(part.profile());
        let wrong = self.wrong(DOING);
        let change = self.change(DOING)?;
        let write = || -> rusqlite::Result<Appended> {
            let series = number_of(&change, series)?;
            if is_known(&change, series, window, digest)? {
                return Ok(Appended::Known);
            }
            expiry::expire(&change, &limits.with_room_for(bytes))?;
            let block = write_block(&change, series, window, part.bytes())?;
            let [scopes, cpu, wall, off_cpu, allocated] = sums;
            change.execute(
                "INSERT INTO part (series, starts, ends, digest, block, scopes, cpu, wall, off_cpu, allocated)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![
                    series,
                    number(window.from_unix_nanos),
                    number(window.until_unix_nanos),
                    &digest.to_bytes()[..],
                    block,
                    scopes,
                    cpu,
                    wall,
                    off_cpu,
                    allocated,
                ],
            )?;
            Ok(Appended::Kept)
        };
        let appended = write().map_err(&wrong)?;
        change.commit().map_err(&wrong)?;
        Ok(appended)
    }
}

fn is_known(change: &Transaction<'_>, series: i64, window: Window, digest: Digest) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM part WHERE series = ?1 AND starts = ?2 AND ends = ?3 AND digest = ?4";
    change.prepare(sql)?.exists(params![
        series,
        number(window.from_unix_nanos),
        number(window.until_unix_nanos),
        &digest.to_bytes()[..],
    ])
}

/// Writes a block and says its number.
pub(super) fn write_block(
    change: &Transaction<'_>,
    series: i64,
    window: Window,
    bytes: &[u8],
) -> rusqlite::Result<i64> {
    change.execute(
        "INSERT INTO block (series, starts, ends, bytes) VALUES (?1, ?2, ?3, ?4)",
        params![
            series,
            number(window.from_unix_nanos),
            number(window.until_unix_nanos),
            number(bytes.len() as u64),
        ],
    )?;
    let block = change.last_insert_rowid();
    content::write(change, &content::BLOCK, block, bytes)?;
    Ok(block)
}

/// What a part took of each kind, in the order of [`SumKind::ALL`]; `None` where it was not recorded.
fn sums_of(profile: &Profile) -> [Option<i64>; SumKind::ALL.len()] {
    let has = |recorder| profile.runs.iter().any(|run| run.recorders.contains(&recorder));
    let sampled = |kind, recorder: Option<Recorder>| {
        let samples = profile.samples.iter().filter(|(key, _)| key.kind == kind);
        let sum = samples
            .fold(None, |sum: Option<u64>, (_, weight)| Some(sum.unwrap_or(0).saturating_add(weight.nanos)));
        // Who was watched and used nothing took 0.
        sum.or_else(|| recorder.is_some_and(has).then_some(0))
    };
    let scopes = (has(Recorder::Scopes) || !profile.scopes.is_empty())
        .then(|| CallTree::of_scopes(profile, &TreeOptions::default()).recorded_nanos());
    SumKind::ALL.map(|kind| {
        let sum = match kind {
            SumKind::Scopes => scopes,
            SumKind::Cpu => sampled(SampleKind::Cpu, Some(Recorder::Cpu)),
            SumKind::Wall => sampled(SampleKind::Wall, None),
            SumKind::OffCpu => sampled(SampleKind::OffCpu, Some(Recorder::OffCpu)),
            SumKind::Allocated => Totals::of(profile).allocated_bytes,
        };
        sum.map(number)
    })
}
