//! The options that every area knows, and the choice among its cases and participants by name.

use std::path::PathBuf;

/// What was asked for, with names as they were typed.
#[derive(Debug, Default)]
pub struct Arguments {
    /// `--rounds N`.
    pub rounds: Option<usize>,
    /// `--quick`.
    pub is_quick: bool,
    /// `--help`.
    pub is_help: bool,
    /// `--only case,case`.
    pub only: Option<String>,
    /// `--who name,name`.
    pub who: Option<String>,
    /// `--case X`: measure this one in this process.
    pub case: Option<String>,
    /// `--inputs FOLDER`: where the runner put what a measurement needs.
    pub inputs: Option<PathBuf>,
}

impl Arguments {
    /// Reads the arguments after the program's name.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut parsed = Self::default();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument} expects a value; see --help"));
            match argument.as_str() {
                "--quick" => parsed.is_quick = true,
                "--help" | "-h" => parsed.is_help = true,
                "--rounds" => parsed.rounds = Some(parse_rounds(&value()?)?),
                "--only" => parsed.only = Some(value()?),
                "--who" => parsed.who = Some(value()?),
                "--case" => parsed.case = Some(value()?),
                "--inputs" => parsed.inputs = Some(PathBuf::from(value()?)),
                other => return Err(format!("'{other}' is not an option of this benchmark; see --help")),
            }
        }
        Ok(parsed)
    }

    /// The number of rounds: as asked for, two when quick, else what the area takes.
    #[must_use]
    pub fn n_rounds(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(if self.is_quick { 2 } else { usual })
    }
}

fn parse_rounds(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(rounds) if rounds > 0 => Ok(rounds),
        _ => Err(format!("--rounds expects a whole number from 1, found '{text}'")),
    }
}

/// Those of `all` that a list of names asks for, in the order of `all`; all of them without a list. `what` says what
/// they are, in the plural.
pub fn choose<'t, T>(
    all: &'t [T],
    asked: Option<&str>,
    what: &str,
    name: fn(&T) -> &str,
) -> Result<Vec<&'t T>, String> {
    let Some(asked) = asked else { return Ok(all.iter().collect()) };
    let asked: Vec<&str> = asked.split(',').collect();
    for asked in &asked {
        find(all, asked, what, name)?;
    }
    Ok(all.iter().filter(|one| asked.contains(&name(one))).collect())
}

/// The one of that name.
pub fn find<'t, T>(all: &'t [T], asked: &str, what: &str, name: fn(&T) -> &str) -> Result<&'t T, String> {
    all.iter().find(|one| name(one) == asked).ok_or_else(|| {
        let known: Vec<_> = all.iter().map(name).collect();
        format!("'{asked}' is none of the {what}, which are {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn rounds_are_as_asked_for_or_two_when_quick_or_the_usual_number() {
        for (line, expect) in [("", 7), ("--quick", 2), ("--rounds 3", 3), ("--quick --rounds 3", 3)] {
            assert_eq!(parse(line).unwrap().n_rounds(7), expect, "{line}");
        }
    }

    #[test]
    fn a_choice_keeps_the_order_of_the_tables() {
        let all = ["flat", "wide", "deep"];
        assert_eq!(choose(&all, Some("deep,flat"), "cases", |name| name), Ok(vec![&"flat", &"deep"]));
        assert_eq!(choose(&all, None, "cases", |name| name), Ok(vec![&"flat", &"wide", &"deep"]));
        assert!(choose(&all, Some("deep,flatt"), "cases", |name| name).unwrap_err().contains("'flatt'"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, part) in [("--rounds 0", "'0'"), ("--rounds", "--rounds expects"), ("-x", "'-x'")] {
            assert!(parse(line).unwrap_err().contains(part), "{line}");
        }
    }
}
