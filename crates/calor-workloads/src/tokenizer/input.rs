//! The text that is encoded: a file, or made up; and how it is cut into documents.

use std::io::Read;
use std::path::Path;

use crate::{Error, input};

const INSTEAD: &str = "name a file with text, or leave --text out to have some generated";
/// The shortest text of which anything can be told: what a call costs is all that a shorter one shows.
const LEAST: usize = 64;

/// The text of a file, up to so many bytes and then the last whole character; and whether the file has more.
///
/// # Errors
/// When it cannot be read, is empty, or is not UTF-8.
pub(super) fn read(path: &Path, most: usize) -> Result<(String, bool), Error> {
    let refused = |problem: String| Error::File { path: path.to_owned(), problem };
    let mut content = Vec::new();
    input::open(path, INSTEAD)?
        .take(most as u64 + 1)
        .read_to_end(&mut content)
        .map_err(|cause| input::unread(path, &cause, INSTEAD))?;
    let is_cut = content.len() > most;
    content.truncate(most);
    let valid = match std::str::from_utf8(&content) {
        Ok(_) => content.len(),
        // Only the character that the limit went through may be missing its end.
        Err(cut) if is_cut && cut.error_len().is_none() => cut.valid_up_to(),
        Err(wrong) => {
            let at = wrong.valid_up_to();
            return Err(refused(format!(
                "it is not UTF-8 text (byte {at}): convert it, or give another file"
            )));
        }
    };
    content.truncate(valid);
    let text = String::from_utf8(content).map_err(|_| refused("it is not UTF-8 text".to_owned()))?;
    if text.len() < LEAST {
        let found = match text.len() {
            0 => "is empty".to_owned(),
            n => format!("has {n} bytes, of which no rate can be told"),
        };
        return Err(refused(format!("{found}: give a file with {LEAST} bytes of text or more")));
    }
    Ok((text, is_cut))
}

/// A text in pieces of at most so many bytes, cut before white space where there is some in the last quarter. A piece is
/// longer where its first character is.
pub(super) fn pieces(text: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::with_capacity(text.len() / most.max(1) + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(cut(rest, most));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn cut(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let first = text.chars().next().map_or(1, char::len_utf8);
    let most = (1..=most).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(first);
    let space = text[..most].rfind(char::is_whitespace).filter(|at| *at > most - most / 4);
    space.unwrap_or(most).max(first)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn pieces_are_cut_before_white_space_and_never_within_a_character() {
        assert_eq!(pieces("one two three", 8), ["one two", " three"]);
        assert_eq!(pieces("abcdefgh ij", 4), ["abcd", "efgh", " ij"]);
        assert_eq!(pieces("中文字", 4), ["中", "文", "字"]);
        assert_eq!(pieces("中文", 1), ["中", "文"]);
        assert!(pieces("", 4).is_empty());
        let text = super::super::text::Source::new(3).text(1, 20_000);
        for most in [1, 7, 64, 1_000, 100_000] {
            assert_eq!(pieces(&text, most).concat(), text);
            assert!(pieces(&text, most).iter().all(|piece| !piece.is_empty() && piece.len() <= most.max(4)));
        }
    }

    fn check(content: &[u8], most: usize) -> Result<(String, bool), String> {
        let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
        file.write_all(content).expect("and written");
        read(file.path(), most).map_err(|error| error.to_string())
    }

    #[test]
    fn files_are_read_up_to_the_last_whole_character() {
        let text = format!("{}ñb", "a".repeat(80));
        assert_eq!(check(text.as_bytes(), 100), Ok((text.clone(), false)));
        assert_eq!(check(text.as_bytes(), 81), Ok(("a".repeat(80), true)));
        assert!(check(b"abc", 100).is_err_and(|error| error.contains("has 3 bytes")));
        assert!(check(b"", 100).is_err_and(|error| error.contains("empty")));
        assert!(check(b"ab\xff", 100).is_err_and(|error| error.contains("not UTF-8 text (byte 2)")));
        assert!(check(b"ab\xc3", 100).is_err_and(|error| error.contains("not UTF-8")));
        assert!(
            read(Path::new("no/such/file"), 1).is_err_and(|error| error.to_string().contains("no/such/file"))
        );
    }
}
