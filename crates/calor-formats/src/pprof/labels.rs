//! The labels of samples: those that tell the thread, those that tell the GPU, and the rest. Samples share
//! their labels with many others, so labels are made sense of once and remembered by their bytes.

use std::collections::HashMap;

use calor_model::{CopyKind, LabelSetId, Profile, StringId, ThreadId, Warning};

use super::file::decode;
use super::message::Label;
use super::texts::Texts;
use super::wire::Piece;
use crate::Error;

/// More labels than any tool gives to a sample. A set is searched for each of its labels.
const MAX_LABELS: usize = 256;

/// What labels say of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Identity {
    Name,
    Tid,
    Pid,
}

/// What a label says of a thread, if it is one that does. The first of each is what we write.
pub(super) fn identity(key: &str) -> Option<Identity> {
    match key {
        "thread" | "thread_name" | "thread name" => Some(Identity::Name),
        "tid" | "thread_id" | "thread id" => Some(Identity::Tid),
        "pid" | "process_id" | "process id" => Some(Identity::Pid),
        _ => None,
    }
}

/// The labels of work on a GPU.
pub(super) const GPU_DEVICE: &str = "gpu_device";
pub(super) const GPU_COPY: &str = "gpu_copy";
pub(super) const GPU_MEMORY: &str = "gpu_memory";

/// The words for the ways that copies go.
pub(super) const COPY_KINDS: [(CopyKind, &str); 4] = [
    (CopyKind::HostToDevice, "host_to_device"),
    (CopyKind::DeviceToHost, "device_to_host"),
    (CopyKind::DeviceToDevice, "device_to_device"),
    (CopyKind::Set, "set"),
];

/// What the labels of a sample say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tags {
    pub(super) thread: ThreadId,
    pub(super) labels: LabelSetId,
    pub(super) device: u32,
    pub(super) copy: Option<CopyKind>,
    pub(super) is_pageable: Option<bool>,
}

/// All labels that were met.
#[derive(Default)]
pub(super) struct Labels {
    known: HashMap<Box<[u8]>, Tags>,
    key: Vec<u8>,
    last: Option<(Box<[u8]>, Tags)>,
    n_left_out: u64,
}

impl Labels {
    /// What the labels of a sample say.
    pub(super) fn tags(
        &mut self,
        pieces: &[Piece<'_>],
        texts: &mut Texts<'_>,
        profile: &mut Profile,
    ) -> Result<Tags, Error> {
        self.key.clear();
        for piece in pieces {
            self.key.extend((piece.bytes.len() as u32).to_le_bytes());
            self.key.extend(piece.bytes);
        }
        if let Some((key, tags)) = &self.last
            && **key == self.key[..]
        {
            return Ok(*tags);
        }
        let tags = match self.known.get(&self.key[..]) {
            Some(tags) => *tags,
            None => {
                let tags = self.read(pieces, texts, profile)?;
                self.known.insert(self.key.as_slice().into(), tags);
                tags
            }
        };
        self.last = Some((self.key.as_slice().into(), tags));
        Ok(tags)
    }

    fn read(
        &mut self,
        pieces: &[Piece<'_>],
        texts: &mut Texts<'_>,
        profile: &mut Profile,
    ) -> Result<Tags, Error> {
        let mut thread = Thread::default();
        let mut set: Vec<(StringId, StringId)> = Vec::new();
        let (mut device, mut copy, mut is_pageable) = (0, None, None);
        self.n_left_out += pieces.len().saturating_sub(MAX_LABELS) as u64;
        for piece in pieces.iter().take(MAX_LABELS) {
            let label: Label = decode(*piece, "a label")?;
            let key = texts.get(label.key, piece.offset)?;
            let text = match label.text {
                0 => None,
                index => Some(texts.get(index, piece.offset)?),
            };
            if thread.take(&key, text.as_deref(), label.number) {
                continue;
            }
            match (&*key, text.as_deref()) {
                (GPU_DEVICE, None) => device = label.number as u32,
                (GPU_COPY, Some(word)) => {
                    copy = COPY_KINDS.iter().find(|(_, own)| *own == word).map(|(kind, _)| *kind);
                }
                (GPU_MEMORY, Some(word)) => is_pageable = Some(word == "pageable"),
                _ => {}
            }
            let key = texts.intern(&mut profile.strings, label.key, piece.offset)?;
            let value = match label.text {
                0 => {
                    let unit = texts.get(label.unit, piece.offset)?;
                    let number = label.number;
                    let text = if unit.is_empty() { number.to_string() } else { format!("{number} {unit}") };
                    profile.strings.intern(&text)
                }
                index => texts.intern(&mut profile.strings, index, piece.offset)?,
            };
            set.push((key, value));
        }
        let labels = profile.labels.intern(&set);
        let name = thread.name.unwrap_or_default();
        let thread = profile.intern_thread(thread.pid.unwrap_or(0), thread.tid.unwrap_or(0), &name);
        Ok(Tags { thread, labels, device, copy, is_pageable })
    }

    pub(super) fn warn(&self, profile: &mut Profile) {
        if self.n_left_out > 0 {
            let message = format!("samples have more than {MAX_LABELS} labels; the rest was left out");
            profile.warn(Warning::counted("labels_left_out", message, self.n_left_out));
        }
    }
}

/// A thread as labels tell of it. The first label of each kind counts, so that labels of the same name which
/// the program itself set can follow.
#[derive(Default)]
struct Thread {
    name: Option<String>,
    tid: Option<u64>,
    pid: Option<u32>,
}

impl Thread {
    /// Takes in a label if it is about the thread and nothing else is known yet.
    fn take(&mut self, key: &str, text: Option<&str>, number: i64) -> bool {
        let Some(identity) = identity(key) else { return false };
        match (identity, text) {
            (Identity::Name, Some(text)) if self.name.is_none() => self.name = Some(text.to_owned()),
            // Some tools number their threads and call that the thread.
            (Identity::Name | Identity::Tid, None) if self.tid.is_none() => self.tid = Some(number as u64),
            (Identity::Tid, Some(text)) if self.tid.is_none() && text.parse::<u64>().is_ok() => {
                self.tid = text.parse().ok();
            }
            (Identity::Pid, None) if self.pid.is_none() && u32::try_from(number).is_ok() => {
                self.pid = u32::try_from(number).ok();
            }
            (Identity::Pid, Some(text)) if self.pid.is_none() && text.parse::<u32>().is_ok() => {
                self.pid = text.parse().ok();
            }
            _ => return false,
        }
        true
    }
}
