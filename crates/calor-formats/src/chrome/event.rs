//! One event of a trace as it stands in the file: the text of the fields that are looked at, borrowed. Types are
//! checked where a field is used, because tracers disagree on them (numbers in quotes, threads with words for
//! numbers) and one odd field must not cost the whole trace.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The text of an event's fields; empty where a field is missing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Event<'a> {
    pub(super) phase: &'a str,
    pub(super) name: &'a str,
    pub(super) category: &'a str,
    pub(super) pid: &'a str,
    pub(super) tid: &'a str,
    pub(super) ts: &'a str,
    pub(super) dur: &'a str,
    pub(super) id: &'a str,
    pub(super) args: &'a str,
    /// Where the scope is in the source, as the `tracing-chrome` crate says it.
    pub(super) file: &'a str,
    pub(super) line: &'a str,
}

/// What stands in a list of events: an event, or `None` for what is not even an object.
pub(super) struct Element<'a>(pub(super) Option<Event<'a>>);

impl<'de> Deserialize<'de> for Element<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ElementVisitor)
    }
}

struct ElementVisitor;

impl<'de> Visitor<'de> for ElementVisitor {
    type Value = Element<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut event = Event::default();
        while let Some(field) = map.next_key()? {
            let into = match field {
                Field::Phase => &mut event.phase,
                Field::Name => &mut event.name,
                Field::Category => &mut event.category,
                Field::Pid => &mut event.pid,
                Field::Tid => &mut event.tid,
                Field::Ts => &mut event.ts,
                Field::Dur => &mut event.dur,
                Field::Id => &mut event.id,
                Field::Args => &mut event.args,
                Field::File => &mut event.file,
                Field::Line => &mut event.line,
                Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *into = map.next_value::<&RawValue>()?.get();
        }
        Ok(Element(Some(event)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Element(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Element(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Element(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Element(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Element(None))
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Element(None))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Element(None))
    }
}

enum Field {
    Phase,
    Name,
    Category,
    Pid,
    Tid,
    Ts,
    Dur,
    Id,
    Args,
    File,
    Line,
    Other,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldVisitor;
        impl Visitor<'_> for FieldVisitor {
            type Value = Field;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the name of a field")
            }
            fn visit_str<E>(self, name: &str) -> Result<Field, E> {
                Ok(match name {
                    "ph" => Field::Phase,
                    "name" => Field::Name,
                    "cat" => Field::Category,
                    "pid" => Field::Pid,
                    "tid" => Field::Tid,
                    "ts" => Field::Ts,
                    "dur" => Field::Dur,
                    "id" => Field::Id,
                    "args" => Field::Args,
                    ".file" => Field::File,
                    ".line" => Field::Line,
                    _ => Field::Other,
                })
            }
        }
        deserializer.deserialize_identifier(FieldVisitor)
    }
}
