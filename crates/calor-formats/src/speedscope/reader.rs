//! A document of speedscope to a profile.

use std::collections::{HashMap, VecDeque};

use calor_model::{Frame, FrameId, FrameKind, Profile, Run, ThreadId, Warning};

use super::document::{self, Document};
use super::{EXPORTER, events, samples, sums};
use crate::{Error, Format, Metric, Place, encoding, error, imported};

/// Reads a document.
///
/// # Errors
/// When the text is no JSON, not of this format, or refers to frames that it does not have.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let text = encoding::utf8(bytes);
    let document: Document<'_> =
        serde_json::from_slice(&text).map_err(|error| error::json(Format::Speedscope, &error))?;
    let mut profile = Profile::default();
    let frames: Vec<FrameId> =
        document.shared.frames.iter().map(|frame| intern(&mut profile, frame)).collect();
    let metric = document.exporter.as_deref().and_then(metric_of);
    // Those of one name stand for each other in the order of the file.
    let mut evented: HashMap<&str, VecDeque<ThreadId>> = HashMap::new();
    let mut sums = Vec::new();
    let mut duration_nanos = 0_u64;
    for (index, one) in document.profiles.iter().enumerate() {
        let unit = Unit::of(&one.unit, index)?;
        // Some tools write one profile for each thread and call them all the same.
        let thread = profile.intern_thread(0, index as u64 + 1, &one.name);
        if let Some(nanos) = unit.nanos() {
            duration_nanos = duration_nanos.max(scaled(one.end_value - one.start_value, nanos));
        } else if unit == Unit::None {
            let message = "the file tells no unit: values are counted as nanoseconds, so shares are right, and \
                           times are if they were";
            profile.warn(Warning::new("unit_unknown", message));
        }
        match (one.kind.as_ref(), &one.events, &one.samples) {
            ("evented", Some(list), _) => {
                evented.entry(&*one.name).or_default().push_back(thread);
                events::read(&mut profile, one, list, &frames, unit, thread)?;
            }
            ("sampled", _, Some(list)) => sums.push((one, list, unit, thread)),
            (kind, ..) => {
                return Err(Error::Input {
                    format: Format::Speedscope,
                    expected: "a profile of type \"evented\" with events or \"sampled\" with samples"
                        .to_owned(),
                    found: format!("type {kind:?} without them"),
                    place: Place::Entry { list: "profiles", index: index as u64 },
                });
            }
        }
    }
    let mut of_events = sums::of_events(&profile);
    for (one, list, unit, own_thread) in sums {
        let thread_of_events = match unit.nanos() {
            Some(_) => evented.get_mut(&*one.name).and_then(VecDeque::pop_front),
            None => None,
        };
        match thread_of_events {
            Some(thread) => {
                let events = of_events.remove(&thread).unwrap_or_default();
                let sums = sums::read(&mut profile, one, list, &frames, unit)?;
                sums.fill(&mut profile, thread, events, metric == Some(Metric::Scopes));
            }
            None if metric == Some(Metric::Scopes) => {
                let sums = sums::read(&mut profile, one, list, &frames, unit)?;
                sums.fill(&mut profile, own_thread, Vec::new(), true);
            }
            None => samples::read(&mut profile, one, list, &frames, unit, |profile, stack, value, count| {
                samples::add(profile, unit, metric, stack, own_thread, value, count);
            })?,
        }
    }
    sums::warn_of_unknown_calls(&mut profile);
    let command = document.name.map(std::borrow::Cow::into_owned).filter(|name| !name.is_empty());
    imported::finish(&mut profile, bytes, Run { duration_nanos, command, ..Run::default() });
    imported::refuse_useless(&profile, Format::Speedscope)?;
    Ok(profile)
}

/// The metric that a file of Calor says it is filled with.
fn metric_of(exporter: &str) -> Option<Metric> {
    exporter.strip_prefix(EXPORTER)?.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn intern(profile: &mut Profile, frame: &document::Frame<'_>) -> FrameId {
    let name = profile.strings.intern(&frame.name);
    let file = frame.file.as_deref().filter(|file| !file.is_empty());
    let kind = match file {
        Some(file) if file.ends_with(".py") || file.starts_with('<') => FrameKind::Python,
        _ => FrameKind::Native,
    };
    let file = file.map(|file| profile.strings.intern(file));
    let line = frame.line.map(|line| line as u32).filter(|line| *line > 0);
    profile.frames.intern(Frame { file, line, ..Frame::new(name, kind) })
}

/// The frame of a number in a list.
pub(super) fn frame(frames: &[FrameId], number: u32, place: Place) -> Result<FrameId, Error> {
    frames.get(number as usize).copied().ok_or_else(|| Error::Input {
        format: Format::Speedscope,
        expected: format!("a frame below {}, as many as `shared.frames` has", frames.len()),
        found: number.to_string(),
        place,
    })
}

/// What values are counted in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    None,
    Nanos(u64),
    Bytes,
}

impl Unit {
    fn of(word: &str, index: usize) -> Result<Self, Error> {
        match word {
            "" | "none" => Ok(Self::None),
            "nanoseconds" => Ok(Self::Nanos(1)),
            "microseconds" => Ok(Self::Nanos(1_000)),
            "milliseconds" => Ok(Self::Nanos(1_000_000)),
            "seconds" => Ok(Self::Nanos(1_000_000_000)),
            "bytes" => Ok(Self::Bytes),
            other => Err(Error::Input {
                format: Format::Speedscope,
                expected: "a unit of time, \"bytes\" or \"none\"".to_owned(),
                found: format!("{other:?}"),
                place: Place::Entry { list: "profiles", index: index as u64 },
            }),
        }
    }

    /// How many nanoseconds one is; `None` when it is not time.
    pub(super) fn nanos(self) -> Option<u64> {
        match self {
            Self::Nanos(nanos) => Some(nanos),
            Self::None | Self::Bytes => None,
        }
    }

    /// By how much values are multiplied to be counted.
    pub(super) fn scale(self) -> u64 {
        self.nanos().unwrap_or(1)
    }
}

/// A value in whole nanoseconds or bytes; below zero is zero.
pub(super) fn scaled(value: f64, scale: u64) -> u64 {
    (value * scale as f64).round() as u64
}
