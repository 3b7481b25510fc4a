//! Walks a trace: a list of events, or an object that holds one. Events are handed over one by one, so that no
//! list of them is ever built, and what was handed over before the file breaks off is kept.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::event::{Element, Event};

/// What takes the parts of a trace.
pub(super) trait Sink<'a> {
    /// One event, or `None` for something else that stands in the list of events.
    fn event(&mut self, event: Option<Event<'a>>);
    /// Anything that stands beside the list of events: its name and its text.
    fn property(&mut self, name: &str, raw: &'a str);
}

/// How a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The trace is whole.
    Whole,
    /// The file ends inside the trace, as that of a program that was killed does.
    Cut,
}

/// Hands every part of the trace to `sink`.
pub(super) fn walk<'a>(bytes: &'a [u8], sink: &mut impl Sink<'a>) -> Result<End, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let mut has_events = false;
    let document = Document { sink, has_events: &mut has_events };
    let walked = document.deserialize(&mut deserializer).and_then(|()| deserializer.end());
    match walked {
        Ok(()) => Ok(End::Whole),
        Err(error) if has_events && is_at_end(bytes, &error) => Ok(End::Cut),
        Err(error) if has_events && is_after_last_comma(bytes, &error) => Ok(End::Whole),
        Err(error) => Err(error),
    }
}

/// Whether the error is that the input ends, be it in the middle of a number or a word.
fn is_at_end(bytes: &[u8], error: &serde_json::Error) -> bool {
    let is_in_word = bytes.last().is_some_and(|last| last.is_ascii_alphanumeric() || b".+-".contains(last));
    error.is_eof() || (error.is_syntax() && is_in_word && offset(bytes, error) >= bytes.len())
}

/// Whether the error is about a comma before the last bracket, which tracers leave that close their list late.
fn is_after_last_comma(bytes: &[u8], error: &serde_json::Error) -> bool {
    let at = offset(bytes, error).saturating_sub(1).min(bytes.len());
    let (before, rest) = bytes.split_at(at);
    let rest = rest.iter().filter(|byte| !byte.is_ascii_whitespace());
    error.is_syntax() && before.trim_ascii_end().ends_with(b",") && (rest.clone().eq(b"]") || rest.eq(b"]}"))
}

/// The byte behind the place of an error.
fn offset(bytes: &[u8], error: &serde_json::Error) -> usize {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').take(error.line().saturating_sub(1));
    lines.map(<[u8]>::len).sum::<usize>() + error.column()
}

struct Document<'s, S> {
    sink: &'s mut S,
    has_events: &'s mut bool,
}

impl<'de, S: Sink<'de>> DeserializeSeed<'de> for Document<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, S: Sink<'de>> Visitor<'de> for Document<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of events or an object with \"traceEvents\"")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        *self.has_events = true;
        Events(self.sink).visit_seq(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<&RawValue>()? {
            match &*super::text::text(name.get()) {
                "traceEvents" => {
                    *self.has_events = true;
                    map.next_value_seed(Events(self.sink))?;
                }
                // Whole listings of frames and samples can stand here; none of them is of use.
                "stackFrames" | "samples" | "file_info" | "systemTraceEvents" => {
                    map.next_value::<IgnoredAny>()?;
                }
                name => self.sink.property(name, map.next_value::<&RawValue>()?.get()),
            }
        }
        if *self.has_events {
            return Ok(());
        }
        Err(serde::de::Error::custom("expected \"traceEvents\", found an object without it"))
    }
}

struct Events<'s, S>(&'s mut S);

impl<'de, S: Sink<'de>> DeserializeSeed<'de> for Events<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: Sink<'de>> Visitor<'de> for Events<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(Element(event)) = seq.next_element()? {
            self.0.event(event);
        }
        Ok(())
    }
}
