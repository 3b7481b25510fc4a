//! Which CPython it is, told by the number it carries or by what its files are called.

use core::fmt;

/// A version of CPython 3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// The second number.
    pub minor: u8,
    /// None where it is not told, as by the name `libpython3.10.so.1.0`.
    pub micro: Option<u8>,
    /// How far it was.
    pub level: Level,
}

/// How far it was on its way to be released. The order is that of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// With its number.
    Alpha(u8),
    /// With its number.
    Beta(u8),
    /// With its number.
    Candidate(u8),
    /// Released.
    Final,
}

impl Version {
    /// From the number that `Py_Version` holds since 3.11 and that the table of offsets holds since 3.13:
    /// a byte each for major, minor and micro, then half a byte for the level and half for its serial number.
    #[must_use]
    pub fn from_word(word: u32) -> Option<Self> {
        let [level, micro, minor, major] = word.to_le_bytes();
        if major != 3 {
            return None;
        }
        let serial = level & 0xf;
        let level = match level >> 4 {
            0xa => Level::Alpha(serial),
            0xb => Level::Beta(serial),
            0xc => Level::Candidate(serial),
            0xf => Level::Final,
            _ => return None,
        };
        Some(Self { minor, micro: Some(micro), level })
    }

    /// From a text such as `3.10.13`, `3.15.0rc2` or `3.12.1+ (heads/main, …)`; nothing where it starts otherwise.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let (minor, rest) = number(text.strip_prefix("3.")?)?;
        let (micro, rest) = number(rest.strip_prefix('.')?)?;
        let (level, rest) = level(rest)?;
        let is_end = rest.is_empty() || rest.starts_with(['+', ' ']);
        is_end.then_some(Self { minor, micro: Some(micro), level })
    }

    /// From the name of a library or a program, with or without folders: `/usr/lib/libpython3.10.so.1.0`,
    /// `python3.8`, `python3.13t`. A name without a minor version, such as `python3`, tells nothing.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.rsplit('/').next()?;
        let rest = name.strip_prefix("libpython").or_else(|| name.strip_prefix("python"))?;
        let (minor, rest) = number(rest.strip_prefix("3.")?)?;
        // Flavours of the build stand behind the number: debugging, allocators of old, no lock.
        let rest = rest.trim_start_matches(['d', 'm', 't']);
        let is_end =
            rest.is_empty() || rest.starts_with(".so") || rest.starts_with(".a") || rest.starts_with('-');
        is_end.then_some(Self { minor, micro: None, level: Level::Final })
    }
}

/// The level that `text` starts with, and the rest: `rc2+`, or nothing for a release.
fn level(text: &str) -> Option<(Level, &str)> {
    let Some(mark) = ["a", "b", "rc"].into_iter().find(|mark| text.starts_with(mark)) else {
        return Some((Level::Final, text));
    };
    let (serial, rest) = number(&text[mark.len()..])?;
    let level = match mark {
        "a" => Level::Alpha(serial),
        "b" => Level::Beta(serial),
        _ => Level::Candidate(serial),
    };
    Some((level, rest))
}

/// The digits that `text` starts with, as a number, and the rest.
fn number(text: &str) -> Option<(u8, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    digits.parse().ok().map(|number| (number, rest))
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "3.{}", self.minor)?;
        if let Some(micro) = self.micro {
            write!(f, ".{micro}")?;
        }
        match self.level {
            Level::Alpha(serial) => write!(f, "a{serial}"),
            Level::Beta(serial) => write!(f, "b{serial}"),
            Level::Candidate(serial) => write!(f, "rc{serial}"),
            Level::Final => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::ToOwned;
    use std::string::{String, ToString};

    use super::*;

    fn shown(version: Option<Version>) -> String {
        version.map_or("none".to_owned(), |version| version.to_string())
    }

    #[test]
    fn numbers_tell_the_version() {
        let check = |word, expected| assert_eq!(shown(Version::from_word(word)), expected, "{word:#x}");
        check(0x030d_00f0, "3.13.0");
        check(0x030b_07f0, "3.11.7");
        check(0x030f_00a3, "3.15.0a3");
        check(0x030e_00c2, "3.14.0rc2");
        check(0x0207_12f0, "none");
        check(0x0003_0d00, "none");
        check(0x030d_0000, "none");
    }

    #[test]
    fn texts_tell_the_version() {
        let check = |text, expected| assert_eq!(shown(Version::from_text(text)), expected, "{text}");
        check("3.10.13", "3.10.13");
        check("3.12.1+ (heads/3.12:abc, Jan  1 2024) [GCC]", "3.12.1");
        check("3.15.0b4", "3.15.0b4");
        check("3.14.0rc2", "3.14.0rc2");
        check("3.10", "none");
        check("3.10.13.2", "none");
        check("3.10.13-beta", "none");
        check("3.999.0", "none");
        check("2.7.18", "none");
    }

    #[test]
    fn names_of_files_tell_the_version() {
        let check = |name, expected| assert_eq!(shown(Version::from_name(name)), expected, "{name}");
        check("libpython3.10.so.1.0", "3.10");
        check("/opt/lib/libpython3.13t.so.1.0", "3.13");
        check("/usr/bin/python3.8", "3.8");
        check("python3.9-dbg", "3.9");
        check("python3", "none");
        check("libpython3.so", "none");
        check("python3.11-config.py/other", "none");
        check("libpython2.7.so", "none");
    }
}
