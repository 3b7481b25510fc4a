//! The text of `perf script` to a profile: line by line into samples, which are weighed when all events are known.

use std::borrow::Cow;
use std::collections::HashMap;

use calor_model::{Frame, Profile, Run, Warning};

use super::frame::Frames;
use super::header::{self, Header};
use super::system;
use super::weighing::{Sample, finish, next_tid};
use crate::{Error, Format, Place, encoding};

/// Reads the text that `perf script` prints.
///
/// # Errors
/// When there is not one sample.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let text = encoding::utf8(bytes);
    let text = String::from_utf8_lossy(&text);
    let is_repaired = matches!(text, Cow::Owned(_));
    let mut reader = Reader::default();
    for line in text.split('\n') {
        reader.line(line.strip_suffix('\r').unwrap_or(line));
    }
    reader.end_stack();
    if reader.samples.is_empty() {
        return Err(nothing_found(&text));
    }
    let mut profile = reader.finish(bytes);
    if is_repaired {
        let message = "the text is not UTF-8 everywhere; what could not be read as text is shown as U+FFFD";
        profile.warn(Warning::new("text_repaired", message));
    }
    Ok(profile)
}

fn nothing_found(text: &str) -> Error {
    let first = text.lines().enumerate().find(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let found = first
        .map_or("none".to_owned(), |(_, line)| format!("{:?}", line.chars().take(60).collect::<String>()));
    Error::Input {
        format: Format::PerfScript,
        expected: "samples that begin with a line such as `model 42 [000] 12.345678: 1000 cycles:`"
            .to_owned(),
        found,
        place: first.map_or(Place::End, |(index, _)| Place::Line { line: index as u64 + 1, column: None }),
    }
}

#[derive(Default)]
struct Reader<'a> {
    profile: Profile,
    run: Run,
    frames: Frames<'a>,
    events: Vec<&'a str>,
    event_places: HashMap<&'a str, usize>,
    samples: Vec<Sample>,
    header: Option<Header<'a>>,
    /// The stack of the sample at hand, innermost first.
    stack: Vec<Frame>,
    n_lost: u64,
    n_without_stack: u64,
    n_left_out: u64,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) {
        if line.is_empty() {
            return self.end_stack();
        }
        if line.starts_with('#') {
            self.end_stack();
            return system::read_comment(line, &mut self.run);
        }
        // Lines of a stack begin with a tab. Older versions indent the lines that begin a sample by spaces, and
        // so does whoever turns tabs into spaces: then a line is of a stack if it does not begin a sample.
        if line.starts_with('\t') && self.push_frame(line) {
            return;
        }
        match header::parse(line) {
            Some(header) => {
                self.end_stack();
                self.begin(header);
            }
            None if line.trim().is_empty() => self.end_stack(),
            None if line.starts_with(' ') && self.push_frame(line) => {}
            None => self.n_left_out += 1,
        }
    }

    fn push_frame(&mut self, line: &'a str) -> bool {
        let frame = match self.header {
            Some(_) => self.frames.parse(line, &mut self.profile.strings),
            None => None,
        };
        self.stack.extend(frame);
        frame.is_some()
    }

    fn begin(&mut self, header: Header<'a>) {
        if header.event.is_empty() {
            if let Some(lost) = header.rest.strip_prefix("PERF_RECORD_LOST") {
                let count = lost.split(|one: char| !one.is_ascii_digit()).find_map(|word| word.parse().ok());
                self.n_lost = self.n_lost.saturating_add(count.unwrap_or(1));
            }
            return;
        }
        // Without call stacks the only frame is on the same line.
        if let Some(frame) = self.frames.parse(header.rest, &mut self.profile.strings) {
            self.stack.push(frame);
        }
        self.header = Some(header);
    }

    /// Turns the sample at hand into a row.
    fn end_stack(&mut self) {
        let Some(header) = self.header.take() else { return self.stack.clear() };
        let mut stack = None;
        let mut module = None;
        for frame in self.stack.drain(..).rev() {
            // Outermost first, an inlined function comes after the one that it is in.
            let frame = if frame.is_inlined { Frame { module, ..frame } } else { frame };
            module = frame.module;
            stack = Some(self.profile.stacks.intern(stack, self.profile.frames.intern(frame)));
        }
        let Some(stack) = stack else {
            self.n_without_stack += 1;
            return;
        };
        let event = *self.event_places.entry(header.event).or_insert_with(|| {
            self.events.push(header.event);
            self.events.len() - 1
        });
        self.samples.push(Sample {
            event,
            stack,
            thread: self.profile.intern_thread(header.pid, header.tid, header.command),
            at_nanos: header.at_nanos,
            period: header.period,
            next_tid: next_tid(header.rest),
        });
    }

    fn finish(mut self, bytes: &[u8]) -> Profile {
        finish(&self.samples, &self.events, self.run, bytes, &mut self.profile);
        let lost = "perf lost samples; record with a larger buffer (-m) or less often (-F)";
        let without_stack = "a sample has no stack and was left out; record with -g";
        for (code, message, count) in [
            ("samples_lost", lost, self.n_lost),
            ("stack_missing", without_stack, self.n_without_stack),
            ("line_left_out", "a line is neither of a sample nor of a stack", self.n_left_out),
        ] {
            if count > 0 {
                self.profile.warn(Warning::counted(code, message, count));
            }
        }
        self.profile
    }
}
