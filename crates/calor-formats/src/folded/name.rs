//! Names of frames inside a line of folded stacks: what stands for something else there is escaped, what stands
//! behind a name says what kind of frame it is.
//!
//! The escapes are `\x0a`, `\x0d`, `\x23` (`#`, at the start of a name), `\x28` (`(`, where a place would be
//! seen), `\x3b` (`;`), `\x5b` (`[`, where an annotation would be seen), `\x5c` (a backslash, where one of
//! these would be seen) and `\xef` (U+FEFF at the start, which begins a file of UTF-8). Nothing else is an escape.

use std::borrow::Cow;
use std::io::{self, Write};

use calor_model::{Frame, FrameKind, StringTable};

const ESCAPES: [(&str, char); 8] = [
    ("\\x0a", '\n'),
    ("\\x0d", '\r'),
    ("\\x23", '#'),
    ("\\x28", '('),
    ("\\x3b", ';'),
    ("\\x5b", '['),
    ("\\x5c", '\\'),
    ("\\xef", '\u{feff}'),
];

/// The frame that a piece of a line stands for.
pub(super) fn parse(piece: &str, strings: &mut StringTable) -> Frame {
    let (name, kind, is_inlined) = match annotation(piece) {
        Some('k') => (&piece[..piece.len() - 4], FrameKind::Kernel, false),
        Some('i') => (&piece[..piece.len() - 4], FrameKind::Native, true),
        Some('j') => (&piece[..piece.len() - 4], FrameKind::Native, false),
        _ => (piece, FrameKind::Native, false),
    };
    if let (FrameKind::Native, Some((name, file, line))) = (kind, python_place(name)) {
        let file = Some(strings.intern(&unescape(file)));
        let name = strings.intern(&unescape(name));
        return Frame { file, line, is_inlined, ..Frame::new(name, FrameKind::Python) };
    }
    let name = strings.intern(&unescape(name));
    Frame { is_inlined, ..Frame::new(name, kind) }
}

/// Writes the piece of a line that stands for a frame.
pub(super) fn write(frame: Frame, strings: &StringTable, out: &mut impl Write) -> io::Result<()> {
    let name = strings.get(frame.name);
    let python = match (frame.kind, frame.file) {
        (FrameKind::Python, Some(file)) => Some((strings.get(file), frame.line)),
        _ => None,
    };
    // A file that would not be seen as one is left out rather than made part of the name.
    let place = python
        .map(|(file, line)| match line {
            Some(line) => format!(" ({}:{line})", escape(file)),
            None => format!(" ({})", escape(file)),
        })
        .filter(|place| python_place(place).is_some_and(|(_, _, line)| line == frame.line));
    let mut name = escape(name);
    if let Some(rest) = name.strip_prefix('\u{feff}') {
        name = Cow::Owned(format!("\\xef{rest}"));
    } else if name.starts_with('#') {
        name = Cow::Owned(format!("\\x23{}", &name[1..]));
    }
    if annotation(&name).is_some() {
        let at = name.len() - 3;
        name = Cow::Owned(format!("{}\\x5b{}", &name[..at], &name[at + 1..]));
    } else if python_place(&name).is_some()
        && let Some(at) = name.rfind(" (")
    {
        name = Cow::Owned(format!("{} \\x28{}", &name[..at], &name[at + 2..]));
    }
    out.write_all(name.as_bytes())?;
    if let Some(place) = place {
        out.write_all(place.as_bytes())?;
    }
    match frame.kind {
        FrameKind::Kernel => out.write_all(b"_[k]"),
        _ if frame.is_inlined => out.write_all(b"_[i]"),
        _ => Ok(()),
    }
}

/// The letter of an annotation such as `_[k]` at the end.
fn annotation(piece: &str) -> Option<char> {
    match piece.as_bytes() {
        [.., b'_', b'[', letter @ (b'k' | b'i' | b'j'), b']'] => Some(char::from(*letter)),
        _ => None,
    }
}

/// Python calls what does not come from a file `<string>` or `<frozen site>`.
fn is_python_file(file: &str) -> bool {
    file.ends_with(".py") || (file.starts_with('<') && file.ends_with('>'))
}

/// Name, file and line of `name (file.py:12)` or `name (file.py)`.
fn python_place(piece: &str) -> Option<(&str, &str, Option<u32>)> {
    let inner = piece.strip_suffix(')')?;
    let (name, place) = inner.rsplit_once(" (")?;
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) if is_python_file(file) => (file, Some(line)),
        _ => (place, None),
    };
    // Only what a number is written as, so that names come back as they were.
    let is_plain = |line: &str| !line.starts_with(['0', '+']);
    let line = line.map(|line| if is_plain(line) { line.parse().ok() } else { None });
    match line {
        Some(None) => None,
        line if is_python_file(file) => Some((name, file, line.flatten())),
        _ => None,
    }
}

fn escape(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|byte| matches!(byte, b'\n' | b'\r' | b';' | b'\\')) {
        return Cow::Borrowed(name);
    }
    let mut escaped = String::with_capacity(name.len() + 8);
    for (at, one) in name.char_indices() {
        match one {
            '\n' => escaped.push_str("\\x0a"),
            '\r' => escaped.push_str("\\x0d"),
            ';' => escaped.push_str("\\x3b"),
            '\\' if escape_at(&name[at..]).is_some() => escaped.push_str("\\x5c"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

fn unescape(name: &str) -> Cow<'_, str> {
    if !name.contains("\\x") {
        return Cow::Borrowed(name);
    }
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let (one, length) = escape_at(&rest[at..]).map_or(('\\', 1), |one| (one, 4));
        plain.push(one);
        rest = &rest[at + length..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The character that an escape at the start of `text` stands for.
fn escape_at(text: &str) -> Option<char> {
    ESCAPES.iter().find(|(escape, _)| text.starts_with(escape)).map(|(_, one)| *one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back_as_it_was() {
        for name in [
            "plain",
            "with space",
            "a;b",
            "#comment",
            "\u{feff}mark",
            "line\nend\r",
            "C:\\new\\x",
            "\\x3b",
            "\\\\x3b",
            "\\x5cx3b",
            "_[k]",
            "x_[i]",
            "f (a.py:1)",
            "f (a.py)",
            "f (a.py:01)",
            " (.py)",
            "",
            "(",
            "x [k]",
        ] {
            let mut strings = StringTable::default();
            for kind in [FrameKind::Native, FrameKind::Kernel] {
                let frame = Frame::new(strings.intern(name), kind);
                let mut line = Vec::new();
                write(frame, &strings, &mut line).expect("memory can be written to");
                let line = String::from_utf8(line).expect("text");
                assert!(
                    !line.contains([';', '\n', '\r']) && !line.starts_with(['#', '\u{feff}']),
                    "{line:?}"
                );
                let read = parse(&line, &mut strings);
                assert_eq!(strings.get(read.name), name, "written as {line:?}");
                assert_eq!(read, frame, "written as {line:?}");
            }
        }
    }

    #[test]
    fn what_stands_behind_a_name_says_what_it_is() {
        let mut strings = StringTable::default();
        let mut check = |piece: &str, name: &str, kind, line, is_inlined| {
            let frame = parse(piece, &mut strings);
            assert_eq!(strings.get(frame.name), name);
            assert_eq!((frame.kind, frame.line, frame.is_inlined), (kind, line, is_inlined), "{piece}");
        };
        check("do_syscall_64_[k]", "do_syscall_64", FrameKind::Kernel, None, false);
        check("fast_[i]", "fast", FrameKind::Native, None, true);
        check("Lfoo;_[j]", "Lfoo;", FrameKind::Native, None, false);
        check("forward (model.py:12)", "forward", FrameKind::Python, Some(12), false);
        check("main (<frozen site>:603)", "main", FrameKind::Python, Some(603), false);
        check("<module> (/a b/main.py)", "<module>", FrameKind::Python, None, false);
        check("C:\\new\\x64\\a.exe", "C:\\new\\x64\\a.exe", FrameKind::Native, None, false);
    }
}
