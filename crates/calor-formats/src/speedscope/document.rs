//! The document as it stands in the file. Lists that can be long are kept flat, so that what is read takes no more
//! memory than the text it was read from.

use std::borrow::Cow;
use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct Document<'a> {
    #[serde(rename = "$schema", borrow, default)]
    pub(super) schema: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) shared: Shared<'a>,
    #[serde(borrow)]
    pub(super) profiles: Vec<Profile<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) exporter: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Shared<'a> {
    #[serde(borrow)]
    pub(super) frames: Vec<Frame<'a>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Frame<'a> {
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<f64>,
}

/// Both kinds of profile at once: a list that is not there tells which one it is.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Profile<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) unit: Cow<'a, str>,
    #[serde(default)]
    pub(super) start_value: f64,
    #[serde(default)]
    pub(super) end_value: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<Vec<Event>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) samples: Option<Samples>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) weights: Option<Vec<f64>>,
    /// How often: calls or samples behind each weight. Calor's own addition, which other readers pass over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) counts: Option<Vec<u64>>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub(super) kind: EventKind,
    pub(super) at: f64,
    pub(super) frame: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum EventKind {
    #[serde(rename = "O")]
    Open,
    #[serde(rename = "C")]
    Close,
}

/// A list of lists of frames, outermost first.
#[derive(Default)]
pub(super) struct Samples {
    frames: Vec<u32>,
    ends: Vec<usize>,
}

impl Samples {
    pub(super) fn push(&mut self, path: impl IntoIterator<Item = u32>) {
        self.frames.extend(path);
        self.ends.push(self.frames.len());
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let path = &self.frames[start..end];
            start = end;
            path
        })
    }
}

impl Serialize for Samples {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Samples {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Lists;
        impl<'de> Visitor<'de> for Lists {
            type Value = Samples;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of samples, each a list of frame numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut lists: A) -> Result<Samples, A::Error> {
                let mut samples = Samples::default();
                while lists.next_element_seed(Path(&mut samples.frames))?.is_some() {
                    samples.ends.push(samples.frames.len());
                }
                Ok(samples)
            }
        }
        deserializer.deserialize_seq(Lists)
    }
}

/// Appends one sample's frames to those of all.
struct Path<'a>(&'a mut Vec<u32>);

impl<'de> serde::de::DeserializeSeed<'de> for Path<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Path<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of frame numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut frames: A) -> Result<(), A::Error> {
        while let Some(frame) = frames.next_element()? {
            self.0.push(frame);
        }
        Ok(())
    }
}
