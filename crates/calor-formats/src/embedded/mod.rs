//! A profile inside a report: a `.calor` file as lines of base64, which an HTML page or a Markdown file carries out of
//! sight. A report that is kept, mailed or attached to a ticket can then be read wherever a profile can.
//!
//! **You bring** the file around it: [`ANNOUNCEMENT`] on a line of its own near the top, which tells readers what it is
//! before they have read all of it, and [`lines`] wherever text is not shown, such as a comment. Neither holds anything
//! that would end a comment or an element.
//!
//! ```text
//! calor-profile 1 bytes=7215 crc32=5e1f00c4
//! iUNBTE9SDQoaAQABAAAA...
//! calor-profile end
//! ```
//!
//! ```
//! use calor_formats::{embedded, native, read};
//! use calor_model::Profile;
//!
//! let mut file = Vec::new();
//! native::write(&Profile::default(), &mut file)?;
//! let report = format!("{}\n# Report\n\n<!--\n{}-->\n", embedded::ANNOUNCEMENT, embedded::lines(&file));
//! assert!(read(report.as_bytes())?.is_empty());
//! # Ok::<(), calor_formats::Error>(())
//! ```

mod base64;
mod reader;

use std::fmt::Write;

pub(crate) use reader::{detect, unwrapped};

/// The line that says that a report carries its profile, wherever in it that stands.
pub const ANNOUNCEMENT: &str = "<!-- calor-report: carries its profile -->";

/// How the first line begins, before the version.
const BEGIN: &str = "calor-profile ";
/// The last line.
const END: &str = "calor-profile end";
/// What is written, and the latest that can be read.
const VERSION: u16 = 1;
/// Letters in a line: mail and forges cut lines that are much longer.
const LINE_LETTERS: usize = 120;

/// The text that stands for a `.calor` file, each line ended.
#[must_use]
pub fn lines(file: &[u8]) -> String {
    let letters = base64::encode(file);
    let mut text = String::with_capacity(letters.len() + letters.len() / LINE_LETTERS + 80);
    let _ = writeln!(text, "{BEGIN}{VERSION} bytes={} crc32={:08x}", file.len(), crc32fast::hash(file));
    let mut rest = letters.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE_LETTERS));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    text.push_str(END);
    text.push('\n');
    text
}
