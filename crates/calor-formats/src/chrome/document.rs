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
    let walked = Document(sink).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    match walked {
        Ok(()) => Ok(End::Whole),
        Err(error) if error.is_eof() => Ok(End::Cut),
        Err(error) if ends_in_comma(bytes, &error) => Ok(End::Whole),
        Err(error) => Err(error),
    }
}

/// Whether the error is about a comma before the last bracket, which tracers leave that close their list late.
fn ends_in_comma(bytes: &[u8], error: &serde_json::Error) -> bool {
    let line = bytes.split_inclusive(|&byte| byte == b'\n').take(error.line().saturating_sub(1));
    let at = line.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1);
    let (Some(before), Some(rest)) = (bytes.get(..at), bytes.get(at..)) else { return false };
    let rest = rest.iter().filter(|byte| !byte.is_ascii_whitespace());
    error.is_syntax() && before.trim_ascii_end().ends_with(b",") && (rest.clone().eq(b"]") || rest.eq(b"]}"))
}

struct Document<'s, S>(&'s mut S);

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
        Events(self.0).visit_seq(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut has_events = false;
        while let Some(name) = map.next_key::<&RawValue>()? {
            match &*super::text::text(name.get()) {
                "traceEvents" => {
                    has_events = true;
                    map.next_value_seed(Events(self.0))?;
                }
                // Whole listings of frames and samples can stand here; none of them is of use.
                "stackFrames" | "samples" | "file_info" | "systemTraceEvents" => {
                    map.next_value::<IgnoredAny>()?;
                }
                name => self.0.property(name, map.next_value::<&RawValue>()?.get()),
            }
        }
        if has_events {
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
