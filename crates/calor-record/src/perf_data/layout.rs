//! The file as a whole: where its events, records and features are. A file that perf wrote to the disk has a header
//! with places; one that it wrote into a pipe is a sequence of records that tell everything.

use std::ops::Range;

use calor_model::Warning;

use super::attributes::{Event, Events};
use super::compression::Unpacked;
use super::error::PerfDataError;
use super::features::{Features, kind as feature};
use super::records::{Records, Split, kind};
use crate::perf::Fields;

const MAGIC: &[u8] = b"PERFILE2";
/// The header of a file on disk, and that of a pipe.
const HEADER: u64 = 104;
const PIPE_HEADER: u64 = 16;

/// What a file is made of.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    pub(super) events: Events,
    pub(super) features: Features<'a>,
    /// All records.
    pub(super) data: &'a [u8],
    /// How many bytes of records are missing at the end; `None` if perf did not get to say how many there are.
    missing: Option<u64>,
}

impl<'a> Layout<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, PerfDataError> {
        check_magic(bytes)?;
        let mut header = Fields(&bytes[MAGIC.len()..]);
        match header.u64() {
            PIPE_HEADER => Self::of_pipe(bytes),
            HEADER if bytes.len() as u64 >= HEADER => Self::of_file(bytes, header),
            HEADER => Err(PerfDataError::Cut {
                expected: format!("a header of {HEADER} bytes"),
                found: bytes.len(),
            }),
            0 if bytes.len() < 16 => Err(PerfDataError::Cut {
                expected: format!("a header of {HEADER} bytes"),
                found: bytes.len(),
            }),
            size => Err(PerfDataError::Damaged {
                expected: "a header of 104 bytes, or of 16 in a pipe",
                found: size.to_string(),
                offset: MAGIC.len() as u64,
            }),
        }
    }

    fn of_file(bytes: &'a [u8], mut header: Fields<'a>) -> Result<Self, PerfDataError> {
        let attribute_bytes = header.u64();
        let attributes = section(&mut header);
        let data = section(&mut header);
        let _event_types = section(&mut header);
        let features_at = data.end;
        let flags: Vec<u64> = (0..4).map(|_| header.u64()).collect();

        let mut events = Events::default();
        let entries = part(bytes, &attributes);
        // The attributes of an event, and where the numbers of its records are.
        let entry_bytes = usize::try_from(attribute_bytes).ok().filter(|size| *size >= 64 + 16);
        let entry_bytes = entry_bytes.ok_or_else(|| PerfDataError::Damaged {
            expected: "attributes of at least 80 bytes",
            found: attribute_bytes.to_string(),
            offset: 16,
        })?;
        for entry in entries.chunks_exact(entry_bytes) {
            let (attributes, ids) = entry.split_at(entry_bytes - 16);
            let ids = part(bytes, &section(&mut Fields(ids)));
            events.add(Event::parse(attributes), ids);
        }
        let is_ended = !data.is_empty();
        let records = if is_ended { part(bytes, &data) } else { from(bytes, data.start) };
        let mut features = Features::default();
        if is_ended {
            let mut places = Fields(from(bytes, features_at));
            for number in 0..256_u32 {
                if flags[number as usize / 64] & (1 << (number % 64)) != 0 && !places.0.is_empty() {
                    features.add(number, part(bytes, &section(&mut places)));
                }
            }
        }
        let missing = is_ended.then(|| (data.end - data.start) - records.len() as u64);
        Self { events, features, data: records, missing }.ready(attributes.start)
    }

    fn of_pipe(bytes: &'a [u8]) -> Result<Self, PerfDataError> {
        let data = from(bytes, PIPE_HEADER);
        let mut events = Events::default();
        let mut features = Features::default();
        for record in Split::new(data) {
            match record.kind {
                kind::HEADER_ATTRIBUTES => {
                    let size = Fields(record.body.get(4..).unwrap_or_default()).u32() as usize;
                    let (attributes, ids) = record.body.split_at(size.min(record.body.len()));
                    events.add(Event::parse(attributes), ids);
                }
                kind::EVENT_UPDATE => events.update(record.body),
                kind::HEADER_FEATURE => {
                    let number = u32::try_from(Fields(record.body).u64()).unwrap_or(u32::MAX);
                    features.add(number, record.body.get(8..).unwrap_or_default());
                }
                kind::BUILD_ID => features.build_ids.add(record.misc, record.body),
                kind::TRACING_DATA => features.add(feature::TRACING_DATA, record.behind),
                _ => {}
            }
        }
        Self { events, features, data, missing: Some(0) }.ready(PIPE_HEADER)
    }

    fn ready(mut self, attributes_at: u64) -> Result<Self, PerfDataError> {
        if self.events.is_empty() {
            return Err(PerfDataError::Damaged {
                expected: "the attributes of at least one event",
                found: "none".to_owned(),
                offset: attributes_at,
            });
        }
        self.events.name(self.features.get(feature::EVENT_DESCRIPTIONS));
        Ok(self)
    }

    /// What is missing of the file.
    pub(super) fn warnings(&self, records: &Records<'_>, unpacked: &Unpacked) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |code: &str, message: String| warnings.push(Warning::new(code, message));
        match self.missing {
            Some(0) => {}
            Some(missing) => warn(
                "file_cut_off",
                format!("the file is cut off: {missing} bytes of records are missing; copy it again"),
            ),
            None => warn(
                "file_not_ended",
                "perf was stopped before it could end the file: names of events, build ids and the last records may be \
                 missing"
                    .to_owned(),
            ),
        }
        if let Some(problem) = &unpacked.problem {
            warn("records_not_unpacked", format!("compressed records could not all be unpacked: {problem}"));
        }
        if let Some(left) = records.damaged {
            warn(
                "records_damaged",
                format!(
                    "{left} bytes of records behind a damaged one could not be read; copy the file again"
                ),
            );
        }
        warnings
    }
}

fn check_magic(bytes: &[u8]) -> Result<(), PerfDataError> {
    let first = &bytes[..bytes.len().min(MAGIC.len())];
    let found = match first {
        MAGIC => return Ok(()),
        b"2ELIFREP" => "one of a big-endian machine",
        b"PERFFILE" => "one of a perf from before 2010",
        _ => return Err(PerfDataError::Magic { found: format!("{:?}", String::from_utf8_lossy(first)) }),
    };
    Err(PerfDataError::OtherMachine { found: found.to_owned(), place: "byte 0" })
}

/// Where a section is: offset and size, both as the file says.
fn section(fields: &mut Fields<'_>) -> Range<u64> {
    let (offset, size) = (fields.u64(), fields.u64());
    offset..offset.saturating_add(size)
}

/// As much of a section as is there.
fn part<'a>(bytes: &'a [u8], section: &Range<u64>) -> &'a [u8] {
    let rest = from(bytes, section.start);
    let length = usize::try_from(section.end - section.start).unwrap_or(usize::MAX);
    &rest[..length.min(rest.len())]
}

fn from(bytes: &[u8], offset: u64) -> &[u8] {
    usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default()
}
