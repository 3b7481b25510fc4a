//! Writes events one after the other. What an event says of its scope is turned into text once for each scope.

use std::io::Write;

use calor_model::{Frame, FrameId, Mark, Profile, Span, StringTable};

use super::lanes::Lane;
use super::words;
use crate::Error;

pub(super) struct EventWriter<'p, W> {
    out: W,
    profile: &'p Profile,
    is_first: bool,
    /// Name, category and arguments of each frame, as written.
    scopes: Vec<Option<Box<str>>>,
    n_threads: u64,
}

impl<'p, W: Write> EventWriter<'p, W> {
    /// Begins a document.
    pub(super) fn start(mut out: W, profile: &'p Profile) -> Result<Self, Error> {
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"calor\":{")?;
        let started = profile.runs.iter().map(|run| run.started_at_unix_nanos).max().unwrap_or(0);
        write!(
            out,
            "\"{}\":{started},\"{}\":{}",
            words::STARTED_AT,
            words::DURATION,
            profile.duration_nanos()
        )?;
        if let Some(command) = profile.runs.iter().find_map(|run| run.command.as_ref()) {
            write!(out, ",\"{}\":{}", words::COMMAND, json(command))?;
        }
        out.write_all(b"},\"traceEvents\":[")?;
        Ok(Self { out, profile, is_first: true, scopes: vec![None; profile.frames.len()], n_threads: 0 })
    }

    /// Ends the document.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.out.write_all(b"\n]}\n")?;
        Ok(self.out.flush()?)
    }

    pub(super) fn process_name(&mut self, pid: u32, name: &str) -> Result<(), Error> {
        self.separate()?;
        let name = json(name);
        write!(
            self.out,
            r#"{{"ph":"M","pid":{pid},"tid":0,"name":"process_name","args":{{"name":{name}}}}}"#
        )?;
        Ok(())
    }

    /// Names a thread and puts it below those that were named before.
    pub(super) fn thread_name(&mut self, Lane { pid, tid }: Lane, name: &str) -> Result<(), Error> {
        let (name, sort_index) = (json(name), self.n_threads);
        self.n_threads += 1;
        self.separate()?;
        write!(
            self.out,
            r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"thread_name","args":{{"name":{name}}}}}"#
        )?;
        self.separate()?;
        write!(
            self.out,
            r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"thread_sort_index","args":{{"sort_index":{sort_index}}}}}"#
        )?;
        Ok(())
    }

    pub(super) fn span(&mut self, lane: Lane, span: &Span) -> Result<(), Error> {
        self.interval(lane, span.start_nanos, span.duration_nanos)?;
        let frame = self.profile.stacks.get(span.stack).frame;
        let profile = self.profile;
        let scope = self.scopes[frame.index()].get_or_insert_with(|| scope(profile, frame).into());
        self.out.write_all(scope.as_bytes())?;
        Ok(())
    }

    /// One event that stands for many calls or samples; `arguments` are members of an object.
    pub(super) fn totals(
        &mut self,
        lane: Lane,
        start_nanos: u64,
        duration_nanos: u64,
        name: &str,
        category: &str,
        arguments: &str,
    ) -> Result<(), Error> {
        self.interval(lane, start_nanos, duration_nanos)?;
        write!(self.out, r#""name":{},"cat":"{category}","args":{{{arguments}}}}}"#, json(name))?;
        Ok(())
    }

    fn interval(&mut self, Lane { pid, tid }: Lane, start: u64, duration: u64) -> Result<(), Error> {
        self.separate()?;
        write!(self.out, r#"{{"ph":"X","pid":{pid},"tid":{tid},"ts":"#)?;
        micros(&mut self.out, start)?;
        self.out.write_all(b",\"dur\":")?;
        micros(&mut self.out, duration)?;
        self.out.write_all(b",")?;
        Ok(())
    }

    pub(super) fn mark(&mut self, Lane { pid, tid }: Lane, mark: &Mark) -> Result<(), Error> {
        let text = |id| json(self.profile.strings.get(id));
        let details: Vec<String> =
            mark.details.iter().map(|&(key, value)| format!("{}:{}", text(key), text(value))).collect();
        let (name, details) = (text(mark.name), details.join(","));
        self.separate()?;
        write!(self.out, r#"{{"ph":"I","s":"t","pid":{pid},"tid":{tid},"ts":"#)?;
        micros(&mut self.out, mark.at_nanos)?;
        write!(self.out, r#","name":{name},"args":{{{details}}}}}"#)?;
        Ok(())
    }

    /// One value of a counter; `name` and `unit` as [`json`] writes them.
    pub(super) fn point(
        &mut self,
        pid: u32,
        at_nanos: u64,
        name: &str,
        unit: &str,
        value: f64,
    ) -> Result<(), Error> {
        self.separate()?;
        write!(self.out, r#"{{"ph":"C","pid":{pid},"ts":"#)?;
        micros(&mut self.out, at_nanos)?;
        write!(self.out, r#","name":{name},"args":{{{unit}:{value}}}}}"#)?;
        Ok(())
    }

    fn separate(&mut self) -> Result<(), Error> {
        self.out.write_all(if self.is_first { b"\n" } else { b",\n" })?;
        self.is_first = false;
        Ok(())
    }
}

/// What an event says of its scope, from the name to the end of the event.
fn scope(profile: &Profile, id: FrameId) -> String {
    let frame = profile.frames.get(id);
    let name = json(profile.strings.get(frame.name));
    let (category, source) = (words::word(frame.kind), source(&profile.strings, frame).join(","));
    format!(r#""name":{name},"cat":"{}{category}","args":{{{source}}}}}"#, words::OURS)
}

/// Where a frame is, as members of an object.
pub(super) fn source(strings: &StringTable, frame: Frame) -> Vec<String> {
    let text = |key: &str, id| format!("\"{key}\":{}", json(strings.get(id)));
    let mut members: Vec<String> = Vec::new();
    members.extend(frame.module.map(|module| text(words::MODULE, module)));
    members.extend(frame.file.map(|file| text(words::FILE, file)));
    members.extend(frame.line.map(|line| format!("\"{}\":{line}", words::LINE)));
    members
}

/// Text as JSON.
pub(super) fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Nanoseconds as decimal microseconds, exactly.
fn micros(out: &mut impl Write, nanos: u64) -> std::io::Result<()> {
    let (whole, fraction) = (nanos / 1000, nanos % 1000);
    if fraction == 0 { write!(out, "{whole}") } else { write!(out, "{whole}.{fraction:03}") }
}
