//! Finds the profile inside a report. Its length and checksum stand in front of it, so that one that was cut off or
//! changed on the way is told from one that holds little.

use std::borrow::Cow;

use super::{ANNOUNCEMENT, BEGIN, END, VERSION, base64};
use crate::Error;
use crate::opening::Opening;

/// Whether an input is a report that says that it carries its profile, or begins to carry it right away.
pub(crate) fn detect(opening: &Opening<'_>) -> bool {
    is_report(opening.bytes())
}

/// The `.calor` file inside a report; bytes that are no report stay as they are.
///
/// # Errors
/// When the report does not hold the whole of it, or not as it was written.
pub(crate) fn unwrapped(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    if crate::is_native(bytes) || !is_report(bytes) {
        return Ok(Cow::Borrowed(bytes));
    }
    let Some(begin) = find_line(bytes, is_heading) else {
        let expected = format!("a line that begins with \"{BEGIN}\"");
        return Err(broken("cut off", expected, "the end of the report", bytes.len()));
    };
    let rest = &bytes[begin..];
    let heading_length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let heading = Heading::of(&rest[..heading_length]).ok_or_else(|| {
        let found = String::from_utf8_lossy(&rest[..heading_length.min(80)]).trim_end().to_owned();
        broken("damaged", format!("\"{BEGIN}{VERSION} bytes=N crc32=X\""), &format!("{found:?}"), begin)
    })?;
    if heading.version > VERSION {
        return Err(Error::Newer { found: heading.version, supported: VERSION });
    }
    let start = begin + heading_length;
    let Some(length) = find_line(&bytes[start..], |line| line.starts_with(END.as_bytes())) else {
        let expected = format!("{} bytes of a profile and a line \"{END}\"", heading.n_bytes);
        return Err(broken("cut off", expected, "the end of the report", bytes.len()));
    };
    let file = base64::decode(&bytes[start..start + length]).map_err(|place| {
        let found =
            bytes.get(start + place).map_or("a letter alone".to_owned(), |byte| format!("byte {byte:#04x}"));
        broken("damaged", "base64".to_owned(), &found, start + place)
    })?;
    if file.len() as u64 != heading.n_bytes {
        let found = format!("{} bytes", file.len());
        return Err(broken("damaged", format!("{} bytes of a profile", heading.n_bytes), &found, begin));
    }
    let crc32 = crc32fast::hash(&file);
    if crc32 != heading.crc32 {
        let expected = format!("the checksum {:08x}", heading.crc32);
        return Err(broken("damaged", expected, &format!("{crc32:08x}"), begin));
    }
    Ok(Cow::Owned(file))
}

fn broken(what: &'static str, expected: String, found: &str, offset: usize) -> Error {
    Error::Embedded { what, expected, found: found.to_owned(), offset: offset as u64 }
}

/// What the first line says.
struct Heading {
    version: u16,
    n_bytes: u64,
    crc32: u32,
}

impl Heading {
    fn of(line: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(line).ok()?.strip_prefix(BEGIN)?.split_ascii_whitespace();
        let version = words.next()?.parse().ok()?;
        // What a later version says behind its number is not known here.
        if version > VERSION {
            return Some(Self { version, n_bytes: 0, crc32: 0 });
        }
        let n_bytes = words.next()?.strip_prefix("bytes=")?.parse().ok()?;
        let crc32 = u32::from_str_radix(words.next()?.strip_prefix("crc32=")?, 16).ok()?;
        Some(Self { version, n_bytes, crc32 })
    }
}

/// A report is text. A program that writes reports holds their words too, behind bytes that no text has.
fn is_report(bytes: &[u8]) -> bool {
    let is_wanted = |line: &[u8]| line.starts_with(ANNOUNCEMENT.as_bytes()) || is_heading(line);
    find_line(bytes, is_wanted).is_some_and(|begin| !bytes[..begin].contains(&0))
}

fn is_heading(line: &[u8]) -> bool {
    line.strip_prefix(BEGIN.as_bytes()).and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
}

/// Where the first line begins from which on the text is as wanted. Inside a line the same words are somebody else's.
fn find_line(bytes: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let mut from = 0;
    while !is_wanted(&bytes[from..]) {
        from += bytes[from..].iter().position(|byte| *byte == b'\n')? + 1;
    }
    Some(from)
}
