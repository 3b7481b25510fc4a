//! Reads a trace: whole, cut off, or with numbers in it that JSON does not have.

use std::borrow::Cow;

use calor_model::{Profile, Warning};

use super::document::{End, walk};
use super::trace::Trace;
use crate::{Error, Format, error, imported};

/// Reads a trace. What could not be read or has no place in a profile is told by warnings of the profile.
///
/// # Errors
/// When the bytes are no JSON, JSON that is no trace, or a trace of which no event can be used.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    // A tracer that maps its file into memory leaves zeros behind when it is killed.
    let n_bytes = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let bytes = &bytes[..n_bytes];
    let parsed = parse(bytes).or_else(|error| match without_bare_words(bytes, &error) {
        Some(cleaned) => parse(&cleaned),
        None => Err(error),
    });
    let (mut profile, run) = parsed.map_err(|error| error::json(Format::Chrome, &error))?;
    imported::finish(&mut profile, bytes, run);
    imported::refuse_useless(&profile, Format::Chrome)?;
    Ok(profile)
}

fn parse(bytes: &[u8]) -> Result<(Profile, calor_model::Run), serde_json::Error> {
    let mut trace = Trace::default();
    let end = walk(bytes, &mut trace)?;
    let (mut profile, run) = trace.finish();
    if end == End::Cut {
        let message = "the trace ends in the middle, as that of a program that was killed does; all that came \
                       before was read";
        profile.warn(Warning::new("trace_cut_off", message));
    }
    Ok((profile, run))
}

/// Numbers that JSON does not have and some writers write all the same.
const BARE_WORDS: [&[u8]; 6] = [b"-Infinity", b"Infinity", b"NaN", b"-nan", b"nan", b"-NaN"];

/// The same text with an empty string in the place of each number that is none, of the same length, so that an error
/// is still told at the right place. `None` when `error` is not about such a number.
fn without_bare_words(bytes: &[u8], error: &serde_json::Error) -> Option<Vec<u8>> {
    let word_at =
        |bytes: &[u8]| BARE_WORDS.iter().find(|word| bytes.starts_with(word)).map(|word| word.len());
    if !error.is_syntax() {
        return None;
    }
    let mut cleaned = Cow::Borrowed(bytes);
    let (mut at, mut in_string) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'-' | b'I' | b'N' | b'n' if !in_string => {
                if let Some(n_bytes) = word_at(&bytes[at..]) {
                    let place = &mut cleaned.to_mut()[at..at + n_bytes];
                    place.fill(b' ');
                    place[..2].fill(b'"');
                    at += n_bytes;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    match cleaned {
        Cow::Owned(cleaned) => Some(cleaned),
        Cow::Borrowed(_) => None,
    }
}
