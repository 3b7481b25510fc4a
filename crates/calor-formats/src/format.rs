//! The formats by name: what each is called, how its files end, and which way it can be converted.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// A format that a profile is written in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// Calor's own, which holds all of a profile.
    Native,
    /// The protocol buffer of `pprof`.
    Pprof,
    /// One line for each call path, as flame graph tools take it.
    Folded,
    /// The JSON of speedscope.
    Speedscope,
    /// Chrome's trace events.
    Chrome,
    /// The JSON of the Firefox Profiler.
    Firefox,
    /// The text that `perf script` prints.
    PerfScript,
    /// A table for spreadsheets.
    Csv,
    /// The report that `calor report --format json` prints.
    Json,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Native,
        Self::Pprof,
        Self::Folded,
        Self::Speedscope,
        Self::Chrome,
        Self::Firefox,
        Self::PerfScript,
        Self::Csv,
        Self::Json,
    ];

    /// The word for it on a command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Native => "calor",
            Self::Pprof => "pprof",
            Self::Folded => "folded",
            Self::Speedscope => "speedscope",
            Self::Chrome => "chrome",
            Self::Firefox => "firefox",
            Self::PerfScript => "perf-script",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// How the names of its files end, without the dot in front, the usual ending first.
    #[must_use]
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Native => &["calor"],
            Self::Pprof => &["pb.gz", "pprof", "pb"],
            Self::Folded => &["folded", "collapsed"],
            Self::Speedscope => &["speedscope.json", "speedscope"],
            Self::Chrome => &["trace.json", "chrome.json", "trace"],
            Self::Firefox => &["firefox.json", "firefox"],
            Self::PerfScript => &["perf"],
            Self::Csv => &["csv"],
            Self::Json => &["json"],
        }
    }

    /// The format that a file to be *written* shall have, going by its name; the longest ending that fits
    /// counts. What a file to be read is, its content says: see [`Format::detect`].
    #[must_use]
    pub fn for_file_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let fits = |ending: &&&str| name.strip_suffix(**ending).is_some_and(|stem| stem.ends_with('.'));
        let longest = |format: Self| format.endings().iter().filter(fits).map(|ending| ending.len()).max();
        Self::ALL
            .into_iter()
            .filter(|format| longest(*format).is_some())
            .max_by_key(|format| longest(*format))
    }

    /// Whether this build of the crate can read it.
    #[must_use]
    pub fn can_read(self) -> bool {
        self.is_built() && !matches!(self, Self::Csv | Self::Firefox)
    }

    /// Whether this build of the crate can write it. A report is written by the crate that makes reports.
    #[must_use]
    pub fn can_write(self) -> bool {
        self.is_built() && !matches!(self, Self::Json | Self::PerfScript)
    }

    fn is_built(self) -> bool {
        match self {
            Self::Native => cfg!(feature = "native"),
            Self::Pprof => cfg!(feature = "pprof"),
            Self::Folded => cfg!(feature = "folded"),
            Self::Speedscope => cfg!(feature = "speedscope"),
            Self::Chrome => cfg!(feature = "chrome"),
            Self::Firefox => cfg!(feature = "firefox"),
            Self::PerfScript => cfg!(feature = "perf-script"),
            Self::Csv => cfg!(feature = "csv"),
            Self::Json => cfg!(feature = "json"),
        }
    }

    /// The words of all that can be read, for messages: the formats, and the reports that carry a profile.
    pub(crate) fn readable_words() -> String {
        let formats = Self::words(Self::can_read);
        if Self::Native.can_read() { format!("{formats}, html, md") } else { formats }
    }

    /// The words of all formats for which `choose` holds, for messages.
    pub(crate) fn words(choose: fn(Self) -> bool) -> String {
        let words: Vec<&str> =
            Self::ALL.into_iter().filter(|format| choose(*format)).map(Self::word).collect();
        words.join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        let word = given.to_ascii_lowercase();
        let known = Self::ALL.into_iter().find(|format| format.word() == word);
        let by_other_name = || match word.as_str() {
            "native" => Some(Self::Native),
            "collapsed" => Some(Self::Folded),
            "perf" | "perf_script" => Some(Self::PerfScript),
            "report" => Some(Self::Json),
            _ => None,
        };
        known.or_else(by_other_name).ok_or_else(|| Error::UnknownWord {
            what: "format",
            found: given.to_owned(),
            known: Self::words(|_| true),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_found_by_the_word_it_shows() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        let error = "svg".parse::<Format>().unwrap_err().to_string();
        assert!(error.contains("\"svg\"") && error.contains("speedscope"), "{error}");
    }

    #[test]
    fn the_longest_ending_of_a_file_name_counts() {
        for (name, format) in [
            ("run.calor", Some(Format::Native)),
            ("a.b.speedscope.json", Some(Format::Speedscope)),
            ("a.json", Some(Format::Json)),
            ("RUN.TRACE.JSON", Some(Format::Chrome)),
            ("cpu.pb.gz", Some(Format::Pprof)),
            ("json", None),
            ("notes.txt", None),
        ] {
            assert_eq!(Format::for_file_name(name), format, "{name}");
        }
    }
}
