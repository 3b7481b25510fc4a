//! Folded stacks to a profile. Neighbouring lines mostly begin alike, so the path of the line before is reused as
//! far as it goes; that is what makes large files quick.

use std::borrow::Cow;
use std::collections::HashMap;

use calor_model::{
    FrameId, LabelTable, Profile, Run, SampleKey, SampleKind, SampleWeight, StackId, ThreadId, Warning,
};

use foldhash::fast::RandomState;

use super::name;
use crate::{Error, Format, Place, encoding, imported};

/// Reads folded stacks.
///
/// # Errors
/// When there is not one call path.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let text = encoding::utf8(bytes);
    let (text, is_repaired) = match std::str::from_utf8(&text) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (Cow::Owned(String::from_utf8_lossy(&text).into_owned()), true),
    };
    let mut reader = Reader::new();
    for line in text.split('\n') {
        reader.line(line.strip_suffix('\r').unwrap_or(line));
    }
    if reader.profile.samples.is_empty() {
        return Err(Error::Input {
            format: Format::Folded,
            expected: "lines such as `main;work 12`".to_owned(),
            found: match reader.n_negative {
                0 => "none".to_owned(),
                n => format!("{n} lines with a weight below zero or none that is a number"),
            },
            place: Place::End,
        });
    }
    if is_repaired {
        let message = "the text is not UTF-8 everywhere; what could not be read as text is shown as U+FFFD";
        reader.profile.warn(Warning::new("text_repaired", message));
    }
    reader.warn();
    imported::finish(&mut reader.profile, bytes, Run::default());
    Ok(reader.profile)
}

struct Reader<'a> {
    profile: Profile,
    thread: ThreadId,
    /// The names of the line before, without its weight, and where in it each frame ends.
    before: &'a str,
    path: Vec<(usize, StackId)>,
    /// The frames of names as they are written.
    frames: HashMap<&'a str, FrameId, RandomState>,
    /// What rounding left over, so that many small fractions still add up.
    remainder: f64,
    n_unweighted: u64,
    n_negative: u64,
}

impl<'a> Reader<'a> {
    fn new() -> Self {
        let mut profile = Profile::default();
        Self {
            thread: profile.intern_thread(0, 0, "all threads"),
            profile,
            before: "",
            path: Vec::new(),
            frames: HashMap::default(),
            remainder: 0.0,
            n_unweighted: 0,
            n_negative: 0,
        }
    }

    fn line(&mut self, line: &'a str) {
        if line.starts_with('#') || line.trim().is_empty() {
            return;
        }
        let (names, weight) = split_weight(line.as_bytes());
        let names = &line[..names.len()];
        let value = match weight.map(parse_weight) {
            Some(Some(Weight::Whole(value))) => value,
            Some(Some(Weight::Fraction(value))) => self.rounded(value),
            Some(None) => {
                self.n_negative += 1;
                return;
            }
            None => {
                self.n_unweighted += 1;
                1
            }
        };
        let Some(stack) = self.stack(names) else { return };
        let labels = LabelTable::none();
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread: self.thread, labels, at_nanos: None };
        self.profile.samples.add(key, SampleWeight { count: value, nanos: value });
    }

    fn rounded(&mut self, value: f64) -> u64 {
        let exact = value + self.remainder;
        let whole = exact.round().max(0.0);
        // Beyond this a float has no fractions, and the difference would be noise.
        self.remainder = if whole < 9e15 { exact - whole } else { 0.0 };
        whole as u64
    }

    /// The path of a line: what it has in common with the line before, and then frame by frame.
    fn stack(&mut self, names: &'a str) -> Option<StackId> {
        let same = self.before.bytes().zip(names.bytes()).take_while(|(a, b)| a == b).count();
        // A frame is the same if it ends inside what is the same and ends in the new line as well.
        let ends_here = |end: usize| end == names.len() || names.as_bytes()[end] == b';';
        while self.path.last().is_some_and(|&(end, _)| end > same || !ends_here(end)) {
            self.path.pop();
        }
        self.before = names;
        let mut at = self.path.last().map_or(0, |&(end, _)| end + 1);
        while at <= names.len() {
            let end = names[at..].find(';').map_or(names.len(), |found| at + found);
            let frame = *self.frames.entry(&names[at..end]).or_insert_with_key(|piece| {
                let frame = name::parse(piece, &mut self.profile.strings);
                self.profile.frames.intern(frame)
            });
            let parent = self.path.last().map(|&(_, stack)| stack);
            self.path.push((end, self.profile.stacks.intern(parent, frame)));
            at = end + 1;
        }
        self.path.last().map(|&(_, stack)| stack)
    }

    fn warn(&mut self) {
        let message = "folded stacks carry no unit: a weight of one is counted as one sample of one nanosecond, \
                       so shares are right, and times are if the weights were nanoseconds";
        self.profile.warn(Warning::new("unit_unknown", message));
        for (code, message, count) in [
            ("weight_missing", "a line has no weight and was counted as one", self.n_unweighted),
            ("weight_left_out", "a line has a weight below zero or none that is a number", self.n_negative),
        ] {
            if count > 0 {
                self.profile.warn(Warning::counted(code, message, count));
            }
        }
    }
}

enum Weight {
    Whole(u64),
    Fraction(f64),
}

/// A line as names and weight: what is behind the last white space, if it begins like a number.
pub(super) fn split_weight(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    let line = line.trim_ascii_end();
    let Some(at) = line.iter().rposition(|byte| matches!(byte, b' ' | b'\t')) else { return (line, None) };
    let weight = &line[at + 1..];
    let digits = weight.strip_prefix(b"-").or(weight.strip_prefix(b"+")).unwrap_or(weight);
    let is_number = digits.first().is_some_and(|first| first.is_ascii_digit() || *first == b'.')
        && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
        || matches!(digits.to_ascii_lowercase().as_slice(), b"nan" | b"inf" | b"infinity");
    if is_number { (&line[..at], Some(weight)) } else { (line, None) }
}

fn parse_weight(weight: &[u8]) -> Option<Weight> {
    let text = std::str::from_utf8(weight).ok()?;
    if let Ok(value) = text.parse() {
        return Some(Weight::Whole(value));
    }
    let value: f64 = text.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(Weight::Fraction(value))
}
