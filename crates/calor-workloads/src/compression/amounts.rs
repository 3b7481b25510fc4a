//! Sizes and rates as they are typed: `64K`, `8M`, `200MB/s`, `1Gbit/s`.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// How much of the data is compressed at a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Block {
    /// So many bytes, each block by itself.
    Bytes(usize),
    /// All at once.
    All,
}

/// The least: below, a header is more than the data.
const LEAST_BLOCK: usize = 64;
/// The most: what a library takes at once, LZ4 less than 2 GiB.
const MOST_BLOCK: usize = 1 << 30;

impl Block {
    /// Its size in data of a length.
    #[must_use]
    pub fn bytes(self, length: usize) -> usize {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::All => length.max(1),
        }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::All => f.write_str("all"),
            Self::Bytes(bytes) if bytes % (1 << 20) == 0 => write!(f, "{}M", bytes >> 20),
            Self::Bytes(bytes) if bytes % (1 << 10) == 0 => write!(f, "{}K", bytes >> 10),
            Self::Bytes(bytes) => write!(f, "{bytes}"),
        }
    }
}

impl FromStr for Block {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        if given.trim().eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        let bytes = size(given).filter(|bytes| (LEAST_BLOCK..=MOST_BLOCK).contains(bytes));
        bytes.map(Self::Bytes).ok_or_else(|| Error::Choice {
            what: "block size",
            given: given.to_owned(),
            allowed: "64 bytes to 1G, such as 4K or 64K, or all".to_owned(),
        })
    }
}

/// A number of bytes, with K, M or G for 1024, its square and its cube.
#[must_use]
pub fn size(given: &str) -> Option<usize> {
    let text = given.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let shift = match text[digits..].trim().to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KIB" | "KB" => 10,
        "M" | "MIB" | "MB" => 20,
        "G" | "GIB" | "GB" => 30,
        _ => return None,
    };
    text[..digits].parse::<usize>().ok()?.checked_mul(1 << shift)
}

/// Bytes a second.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Rate(f64);

impl Rate {
    /// Of so many bytes a second.
    #[must_use]
    pub const fn new(bytes_per_second: f64) -> Self {
        Self(bytes_per_second)
    }

    /// Bytes a second.
    #[must_use]
    pub const fn bytes_per_second(self) -> f64 {
        self.0
    }

    /// Nanoseconds for a byte.
    #[must_use]
    pub fn nanos_per_byte(self) -> f64 {
        1e9 / self.0
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            rate if rate >= 1e9 => write!(f, "{} GB/s", rate / 1e9),
            rate if rate >= 1e6 => write!(f, "{} MB/s", rate / 1e6),
            rate => write!(f, "{} kB/s", rate / 1e3),
        }
    }
}

impl FromStr for Rate {
    type Err = Error;

    /// Links and speeds are counted in powers of ten, as `zstd -b` and network cards do.
    fn from_str(given: &str) -> Result<Self, Error> {
        let text = given.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let unit = unit(text[digits..].trim());
        let rate = text[..digits].parse::<f64>().ok().zip(unit).map(|(number, unit)| number * unit);
        rate.filter(|rate| (1e3..=1e13).contains(rate)).map(Self).ok_or_else(|| Error::Choice {
            what: "rate",
            given: given.to_owned(),
            allowed: "a number with kB/s, MB/s, GB/s, Mbit/s or Gbit/s, such as 200MB/s or 1Gbit/s, from 1kB/s (above 0) to 10000GB/s"
                .to_owned(),
        })
    }
}

/// Bytes a second of one of a unit. Links are named by bits, also in short: `10Gbit`, `1Gbps`, `1Gb/s`. Bytes without a second are an
/// amount.
fn unit(text: &str) -> Option<f64> {
    let prefix = text.chars().next()?;
    let factor = match prefix.to_ascii_lowercase() {
        'k' => 1e3,
        'm' => 1e6,
        'g' => 1e9,
        _ => return None,
    };
    let rest = &text[1..];
    match rest.to_ascii_lowercase().as_str() {
        "bit/s" | "bit" | "bits/s" | "bps" if !rest.starts_with("Bps") => Some(factor / 8.0),
        // Who writes the prefix as it should be means bits by a small letter.
        "b/s" if prefix.is_ascii_uppercase() && rest.starts_with('b') => Some(factor / 8.0),
        "b/s" | "bps" => Some(factor),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_and_written() {
        for (given, told, bytes) in
            [("4K", "4K", 4096), ("65536", "64K", 65_536), ("1 MiB", "1M", 1 << 20), ("100", "100", 100)]
        {
            let block: Block = given.parse().unwrap();
            assert_eq!((block.to_string().as_str(), block.bytes(7)), (told, bytes));
        }
        assert_eq!("ALL".parse::<Block>().unwrap().bytes(7), 7);
        for wrong in ["", "0", "4T", "2G", "-4K", "K", "63"] {
            let error = wrong.parse::<Block>().unwrap_err().to_string();
            assert!(error.contains("such as 4K or 64K, or all"), "{error}");
        }
    }

    #[test]
    fn rates_are_read_and_written() {
        for (given, told) in [
            ("200MB/s", "200 MB/s"),
            ("1.5 GB/s", "1.5 GB/s"),
            ("1Gbit/s", "125 MB/s"),
            ("100mbit/s", "12.5 MB/s"),
            ("64 kB/s", "64 kB/s"),
            ("1Gbps", "125 MB/s"),
            ("1Gb/s", "125 MB/s"),
            ("10Gbit", "1.25 GB/s"),
            ("10 Gbits/s", "1.25 GB/s"),
            ("5MBps", "5 MB/s"),
            ("200mb/s", "200 MB/s"),
        ] {
            assert_eq!(given.parse::<Rate>().unwrap().to_string(), told);
        }
        for wrong in [
            "",
            "200",
            "200MB",
            "MB/s",
            "0MB/s",
            "-5MB/s",
            "nanMB/s",
            "1e3MB/s",
            "1.2.3MB/s",
            "1Tbit/s",
            "1 µb/s",
        ] {
            let error = wrong.parse::<Rate>().unwrap_err().to_string();
            assert!(error.contains("such as 200MB/s") && error.contains("above 0"), "{error}");
        }
    }
}
