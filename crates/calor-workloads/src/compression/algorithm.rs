//! The algorithms: what they are called, which levels they have, and which of them are worth a look by default.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::Error;

/// An algorithm, in the library that Calor is built with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Algorithm {
    /// Zstandard, the library in C.
    Zstd,
    /// LZ4 blocks, the library in C.
    Lz4,
    /// Raw DEFLATE, by miniz_oxide.
    Deflate,
    /// The same with gzip's header and checksum.
    Gzip,
    /// Snappy's raw format.
    Snappy,
    /// Brotli, in Rust.
    Brotli,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Zstd, Self::Lz4, Self::Deflate, Self::Gzip, Self::Snappy, Self::Brotli];

    /// As on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Lz4 => "lz4",
            Self::Deflate => "deflate",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
            Self::Brotli => "brotli",
        }
    }

    /// The levels it has; `None` where there is but one way.
    #[must_use]
    pub fn levels(self) -> Option<RangeInclusive<i32>> {
        match self {
            Self::Zstd => Some(-7..=22),
            Self::Lz4 => Some(-9..=12),
            Self::Deflate | Self::Gzip => Some(0..=9),
            Self::Snappy => None,
            Self::Brotli => Some(0..=11),
        }
    }

    /// Whether a level is one of its levels. LZ4 has none between its fast ones below 0 and 1.
    #[must_use]
    pub fn has(self, level: i32) -> bool {
        let is_in_range = self.levels().is_some_and(|levels| levels.contains(&level));
        is_in_range && !(self == Self::Lz4 && level == 0)
    }

    /// Its levels in words, for a message.
    #[must_use]
    pub fn told_levels(self) -> String {
        match (self, self.levels()) {
            (Self::Lz4, _) => "-9 to -1 and 1 to 12".to_owned(),
            (_, Some(levels)) => format!("{} to {}", levels.start(), levels.end()),
            (_, None) => "none".to_owned(),
        }
    }

    /// The levels that are measured unless others are asked for.
    #[must_use]
    pub fn usual_levels(self, is_quick: bool) -> &'static [i32] {
        match (self, is_quick) {
            (Self::Zstd, true) => &[1, 3, 9],
            (Self::Zstd, false) => &[-3, 1, 3, 6, 9, 12, 15, 19],
            (Self::Lz4, true) => &[1, 9],
            (Self::Lz4, false) => &[1, 3, 9, 12],
            (Self::Deflate | Self::Gzip, true) => &[6],
            (Self::Deflate, false) => &[1, 6, 9],
            (Self::Gzip, false) => &[6],
            (Self::Snappy, _) => &[],
            (Self::Brotli, true) => &[4],
            (Self::Brotli, false) => &[1, 4, 6, 9],
        }
    }

    /// About how many bytes a nanosecond it compresses on an ordinary core. It only serves to tell how long a run will take,
    /// and how to share its time: nothing that is told as measured comes from here.
    #[must_use]
    pub(crate) fn guessed_speed(self, level: i32) -> f64 {
        let megabytes = match (self, level) {
            (Self::Zstd, ..=1) => 300.0,
            (Self::Zstd, 2..=4) => 150.0,
            (Self::Zstd, 5..=8) => 60.0,
            (Self::Zstd, 9..=12) => 25.0,
            (Self::Zstd, 13..=16) => 7.0,
            (Self::Zstd, _) => 2.0,
            (Self::Lz4, ..=2) => 400.0,
            (Self::Lz4, 3..=9) => 50.0,
            (Self::Lz4, _) => 10.0,
            (Self::Deflate | Self::Gzip, ..=3) => 80.0,
            (Self::Deflate | Self::Gzip, _) => 25.0,
            (Self::Snappy, _) => 400.0,
            (Self::Brotli, ..=2) => 100.0,
            (Self::Brotli, 3..=6) => 30.0,
            (Self::Brotli, 7..=9) => 10.0,
            (Self::Brotli, _) => 0.6,
        };
        megabytes / 1e3
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        let wanted = given.trim().to_ascii_lowercase();
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == wanted).ok_or_else(|| Error::Choice {
            what: "algorithm",
            given: given.to_owned(),
            allowed: "zstd, lz4, deflate, gzip, snappy or brotli".to_owned(),
        })
    }
}

/// An algorithm at a level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Setting {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Its level; `None` where it has none.
    pub level: Option<i32>,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            Some(level) => write!(f, "{} {level}", self.algorithm),
            None => write!(f, "{}", self.algorithm),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_levels_are_levels() {
        for algorithm in Algorithm::ALL {
            for is_quick in [true, false] {
                for level in algorithm.usual_levels(is_quick) {
                    assert!(algorithm.has(*level), "{algorithm} {level}");
                }
            }
            assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
        }
        assert!(!Algorithm::Lz4.has(0) && !Algorithm::Snappy.has(1) && !Algorithm::Brotli.has(12));
    }

    #[test]
    fn what_is_no_algorithm_is_answered_with_those_there_are() {
        let error = "zip".parse::<Algorithm>().unwrap_err().to_string();
        assert_eq!(error, "no such algorithm: zip; expected zstd, lz4, deflate, gzip, snappy or brotli");
    }
}
