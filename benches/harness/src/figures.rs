//! What one measurement found, and the line in which one process tells it to another.

use std::collections::BTreeMap;
use std::fmt;

/// Named figures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures(BTreeMap<String, f64>);

impl Figures {
    /// The same with one more figure.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }

    /// A figure, if it was measured.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// Reads a line that [`fmt::Display`] wrote.
    pub fn parse(line: &str) -> Result<Self, String> {
        line.split_whitespace()
            .map(|pair| {
                let (name, value) = pair.split_once('=').ok_or(pair)?;
                Ok((name.to_owned(), value.parse().map_err(|_| pair)?))
            })
            .collect::<Result<_, &str>>()
            .map(Self)
            .map_err(|pair| format!("expected 'name=number', found '{pair}' in '{line}'"))
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            write!(f, "{space}{name}={value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_survive_their_line() {
        let figures = Figures::default().with("quickest", 19.25).with("growth", -0.5);
        assert_eq!(Figures::parse(&figures.to_string()), Ok(figures));
    }

    #[test]
    fn a_line_that_is_something_else_is_refused_with_the_part_that_is_wrong() {
        assert!(Figures::parse("quickest=19 oops").unwrap_err().contains("'oops'"));
    }
}
