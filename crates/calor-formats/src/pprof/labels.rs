//! The labels of samples: those that tell the thread, those that tell the GPU, and the rest. Samples share
//! their labels with many others, so labels are made sense of once and remembered by their bytes.

use std::collections::HashMap;

use calor_model::{CopyKind, LabelSetId, Profile, StringId, StringTable, Thread, ThreadId, Warning};

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
    last_key: Vec<u8>,
    last: Option<Tags>,
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
        if let Some(tags) = self.last
            && self.key == self.last_key
        {
            return Ok(tags);
        }
        let tags = match self.known.get(&self.key[..]) {
            Some(tags) => *tags,
            None => {
                let tags = self.read(pieces, texts, profile)?;
                self.known.insert(self.key.as_slice().into(), tags);
                tags
            }
        };
        std::mem::swap(&mut self.key, &mut self.last_key);
        self.last = Some(tags);
        Ok(tags)
    }

    fn read(
        &mut self,
        pieces: &[Piece<'_>],
        texts: &mut Texts<'_>,
        profile: &mut Profile,
    ) -> Result<Tags, Error> {
        let mut thread = ToldThread::default();
        let mut set: Vec<(StringId, StringId)> = Vec::new();
        let (mut device, mut copy, mut is_pageable) = (0, None, None);
        self.n_left_out += pieces.len().saturating_sub(MAX_LABELS) as u64;
        for piece in pieces.iter().take(MAX_LABELS) {
            let label: Label = decode(*piece, "a label")?;
            // Strings are looked at through their handles: one may be long and named by every label.
            let key = texts.intern(&mut profile.strings, label.key, piece.offset)?;
            let text = match label.text {
                0 => None,
                index => Some(texts.intern(&mut profile.strings, index, piece.offset)?),
            };
            if thread.take(key, text, label.number, &profile.strings) {
                continue;
            }
            match (profile.strings.get(key), text.map(|text| profile.strings.get(text))) {
                (GPU_DEVICE, None) => device = label.number as u32,
                (GPU_COPY, Some(word)) => {
                    copy = COPY_KINDS.iter().find(|(_, own)| *own == word).map(|(kind, _)| *kind);
                }
                (GPU_MEMORY, Some(word)) => is_pageable = Some(word == "pageable"),
                _ => {}
            }
            let value = match text {
                Some(text) => text,
                None => {
                    let unit = texts.intern(&mut profile.strings, label.unit, piece.offset)?;
                    let number = with_unit(label.number, profile.strings.get(unit));
                    profile.strings.intern(&number)
                }
            };
            set.push((key, value));
        }
        let labels = profile.labels.intern(&set);
        let name = thread.name.unwrap_or_else(|| profile.strings.intern(""));
        let (pid, tid) = (thread.pid.unwrap_or(0), thread.tid.unwrap_or(0));
        let thread = profile.threads.intern(Thread { pid, tid, name });
        Ok(Tags { thread, labels, device, copy, is_pageable })
    }

    pub(super) fn warn(&self, profile: &mut Profile) {
        if self.n_left_out > 0 {
            let message = format!("samples have more than {MAX_LABELS} labels; the rest was left out");
            profile.warn(Warning::counted("labels_left_out", message, self.n_left_out));
        }
    }
}

/// A number as text. A unit is a word; what is longer is none.
fn with_unit(number: i64, unit: &str) -> String {
    match unit {
        "" => number.to_string(),
        unit if unit.len() > 64 => number.to_string(),
        unit => format!("{number} {unit}"),
    }
}

/// A thread as labels tell of it. The first label of each kind counts, so that labels of the same name which
/// the program itself set can follow.
#[derive(Default)]
struct ToldThread {
    name: Option<StringId>,
    tid: Option<u64>,
    pid: Option<u32>,
}

impl ToldThread {
    /// Takes in a label if it is about the thread and says something that is not known yet.
    fn take(&mut self, key: StringId, text: Option<StringId>, number: i64, strings: &StringTable) -> bool {
        let Some(identity) = identity(strings.get(key)) else { return false };
        match (identity, text) {
            (Identity::Name, Some(text)) if self.name.is_none() => self.name = Some(text),
            // Some tools number their threads and call that the thread.
            (Identity::Name | Identity::Tid, None) if self.tid.is_none() => self.tid = Some(number as u64),
            (Identity::Tid, Some(text)) if self.tid.is_none() => self.tid = strings.get(text).parse().ok(),
            (Identity::Pid, None) if self.pid.is_none() => self.pid = u32::try_from(number).ok(),
            (Identity::Pid, Some(text)) if self.pid.is_none() => self.pid = strings.get(text).parse().ok(),
            _ => return false,
        }
        match identity {
            Identity::Name => true,
            Identity::Tid => self.tid.is_some(),
            Identity::Pid => self.pid.is_some(),
        }
    }
}
