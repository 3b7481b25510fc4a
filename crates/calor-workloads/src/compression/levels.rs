//! The levels to measure, as they are written: `1,3,19` for every algorithm, or `zstd:1..5,19,lz4:1,9` for each its own.

use std::str::FromStr;

use super::{Algorithm, Setting};
use crate::Error;

/// What was written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Levels {
    /// In the order given: whose they are, if that was said, and the levels.
    parts: Vec<(Option<Algorithm>, Vec<i32>)>,
}

impl Levels {
    /// The settings of these algorithms: the levels that were asked for, or else the usual ones. A level that an algorithm
    /// does not have is refused, and so are levels of an algorithm that is not measured.
    ///
    /// # Errors
    ///
    /// A message that tells the levels there are.
    pub fn settings(&self, algorithms: &[Algorithm], is_quick: bool) -> Result<Vec<Setting>, Error> {
        for (named, _) in &self.parts {
            if let Some(named) = named.filter(|named| !algorithms.contains(named)) {
                return Err(Error::Choice {
                    what: "algorithm to measure",
                    given: format!("{named}, which has levels"),
                    allowed: format!("one of those in --algo: {}", told(algorithms)),
                });
            }
        }
        let mut settings = Vec::new();
        for algorithm in algorithms {
            settings.extend(self.of(*algorithm, is_quick)?);
        }
        Ok(settings)
    }

    fn of(&self, algorithm: Algorithm, is_quick: bool) -> Result<Vec<Setting>, Error> {
        if algorithm.levels().is_none() {
            let is_named = self.parts.iter().any(|(named, _)| *named == Some(algorithm));
            return if is_named {
                Err(Error::Choice {
                    what: "algorithm with levels",
                    given: algorithm.to_string(),
                    allowed: format!("one that has them: leave {algorithm} out of --levels"),
                })
            } else {
                Ok(vec![Setting { algorithm, level: None }])
            };
        }
        let asked = |whose: Option<Algorithm>| {
            let parts = self.parts.iter().filter(move |(named, _)| *named == whose);
            parts.flat_map(|(_, levels)| levels.iter().copied()).collect::<Vec<i32>>()
        };
        // Its own, or else those for all.
        let mut levels = asked(Some(algorithm));
        if levels.is_empty() {
            levels = asked(None);
        }
        if levels.is_empty() {
            levels = algorithm.usual_levels(is_quick).to_vec();
        }
        levels.sort_unstable();
        levels.dedup();
        if let Some(wrong) = levels.iter().find(|level| !algorithm.has(**level)) {
            return Err(Error::Choice {
                what: "level",
                given: format!("{algorithm} {wrong}"),
                allowed: format!(
                    "{} for {algorithm}; levels of one algorithm alone are written as {algorithm}:{}",
                    algorithm.told_levels(),
                    algorithm.usual_levels(false)[0],
                ),
            });
        }
        Ok(levels.into_iter().map(|level| Setting { algorithm, level: Some(level) }).collect())
    }
}

fn told(algorithms: &[Algorithm]) -> String {
    algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Levels {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        let mut levels = Self::default();
        for item in given.split(',').map(str::trim) {
            let text = match item.split_once(':') {
                Some((name, rest)) => {
                    levels.parts.push((Some(name.parse()?), Vec::new()));
                    rest.trim()
                }
                None => {
                    if levels.parts.is_empty() {
                        levels.parts.push((None, Vec::new()));
                    }
                    item
                }
            };
            let (_, numbers) = levels.parts.last_mut().expect("one was pushed above");
            numbers.extend(range(text).ok_or_else(|| Error::Choice {
                what: "level",
                given: item.to_owned(),
                allowed: reversed(text).unwrap_or_else(|| {
                    "numbers such as 1,3,19, ranges such as 1..9, or those of one algorithm such as zstd:1,19"
                        .to_owned()
                }),
            })?);
        }
        Ok(levels)
    }
}

/// What a range that begins with its larger end was meant to be.
fn reversed(text: &str) -> Option<String> {
    let (from, to) = text.split_once("..")?;
    let to = to.trim_start_matches('=');
    let turned = range(&format!("{to}..{from}"))?;
    (turned.len() > 1).then(|| format!("the smaller level first: {}..{}", to.trim(), from.trim()))
}

/// A number, or all from one to another. No algorithm has anything beyond some dozens.
fn range(text: &str) -> Option<Vec<i32>> {
    let number = |text: &str| text.trim().parse::<i32>().ok().filter(|level| (-200..=200).contains(level));
    match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (number(from)?, number(to.trim_start_matches('='))?);
            (from <= to).then(|| (from..=to).collect())
        }
        None => number(text).map(|level| vec![level]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &str, algorithms: &[Algorithm], expect: &str) {
        let settings = given.parse::<Levels>().and_then(|levels| levels.settings(algorithms, false));
        let told = match settings {
            Ok(settings) => settings.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            Err(error) => error.to_string(),
        };
        assert!(told.contains(expect), "{given}: {told}");
    }

    #[test]
    fn levels_are_for_all_or_for_one() {
        use Algorithm::{Deflate, Lz4, Snappy, Zstd};
        check("1,3", &[Zstd, Lz4, Snappy], "zstd 1, zstd 3, lz4 1, lz4 3, snappy");
        check("zstd:-1..1,19,lz4:9", &[Zstd, Lz4], "zstd -1, zstd 0, zstd 1, zstd 19, lz4 9");
        check("5,zstd:19,19", &[Zstd, Deflate], "zstd 19, deflate 5");
        check("zstd:3", &[Zstd, Deflate], "zstd 3, deflate 1, deflate 6, deflate 9");
    }

    #[test]
    fn levels_that_there_are_not_are_told_with_those_there_are() {
        use Algorithm::{Deflate, Lz4, Snappy, Zstd};
        check("19", &[Zstd, Deflate], "no such level: deflate 19; expected 0 to 9 for deflate");
        check("0", &[Lz4], "expected -9 to -1 and 1 to 12 for lz4");
        check(
            "snappy:1",
            &[Snappy],
            "no such algorithm with levels: snappy; expected one that has them: leave snappy out",
        );
        check("lz4:1", &[Zstd], "one of those in --algo: zstd");
        check("zstd:9..1", &[Zstd], "no such level: zstd:9..1; expected the smaller level first: 1..9");
        for wrong in ["", "x", "1..", "9..1", "1,,2", "1..99999", "zip:1"] {
            check(wrong, &[Zstd], "expected");
        }
    }
}
