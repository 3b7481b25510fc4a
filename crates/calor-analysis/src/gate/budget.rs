//! Budgets: what a scope, a function or the whole program may take at most, as people write them: `attention=50ms`,
//! `model::forward:total=2s`, `peak=200MB`.

use std::fmt;
use std::str::FromStr;

use crate::quantity::{bytes, count, duration};

/// What may be taken at most.
#[derive(Clone, PartialEq, Debug)]
pub struct Budget {
    /// What it is about.
    pub(super) of: Subject,
    /// The most that is allowed, in the unit of its subject.
    pub limit: f64,
}

/// What a budget is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    /// A scope or a function, and which of its figures.
    Named(String, Figure),
    /// The whole program.
    Whole(Whole),
}

/// A figure of a scope or a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Figure {
    /// The mean of its calls; where calls are not known, what it takes in a run.
    Mean,
    /// What it takes in a run, with what it calls.
    Total,
    /// What so many of a hundred calls do not exceed.
    Percentile(u8),
    /// The longest call.
    Max,
}

/// A figure of the whole program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whole {
    Wall,
    Cpu,
    Peak,
    Allocated,
    Leaked,
    Allocations,
}

/// What a limit is counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BudgetUnit {
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
    /// Things that are counted.
    Count,
}

const EXPECTED: &str = "expected a name and a limit, such as attention=50ms, attention:total=2s, wall=10s, cpu=8s, peak=200MB \
                        or allocations=5000";

impl Budget {
    /// What it is called in lists: the name, and the figure where it is not the usual one.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.of {
            Subject::Named(name, Figure::Mean) => name.clone(),
            Subject::Named(name, figure) => format!("{name}:{}", figure.word()),
            Subject::Whole(whole) => whole.word().to_owned(),
        }
    }

    /// What its limit is counted in.
    #[must_use]
    pub fn unit(&self) -> BudgetUnit {
        match &self.of {
            Subject::Named(..) => BudgetUnit::Nanos,
            Subject::Whole(whole) => whole.unit(),
        }
    }

    /// Whether it can only be told of a heap that was watched.
    #[must_use]
    pub fn needs_heap(&self) -> bool {
        matches!(&self.of, Subject::Whole(whole) if whole.unit() != BudgetUnit::Nanos)
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        // The name may have such a sign in it, as that of an operator has.
        let (name, limit) = given.rsplit_once('=').ok_or_else(|| EXPECTED.to_owned())?;
        Self::new(name, limit)
    }
}

impl Budget {
    /// From its two sides.
    ///
    /// # Errors
    /// When the limit is none, or not one of what is named; the message says what was expected.
    pub fn new(name: &str, limit: &str) -> Result<Self, String> {
        let name = name.trim();
        let (limit, unit) =
            amount(limit).ok_or_else(|| format!("{EXPECTED}; found the limit `{}`", limit.trim()))?;
        if name.is_empty() {
            return Err(EXPECTED.to_owned());
        }
        let (plain, figure) = split(name);
        let whole = Whole::named(plain).filter(|_| figure.is_none());
        let of = match (unit, whole) {
            // A scope may have such a name; its limit is a time.
            (unit, Some(whole)) if whole.unit() == unit => Subject::Whole(whole),
            // Nothing has no unit.
            (BudgetUnit::Count, Some(whole)) if limit == 0.0 => Subject::Whole(whole),
            (BudgetUnit::Nanos, _) => Subject::Named(plain.to_owned(), figure.unwrap_or(Figure::Mean)),
            (BudgetUnit::Bytes, _) => {
                return Err(format!(
                    "a size is a limit of peak, allocated or leaked, not of `{name}`; {EXPECTED}"
                ));
            }
            (BudgetUnit::Count, _) => {
                return Err(format!("the limit of `{name}` has no unit, such as ms or MB; {EXPECTED}"));
            }
        };
        Ok(Self { of, limit })
    }
}

/// A name and the figure behind it, where there is one. Names of functions have colons, too.
fn split(name: &str) -> (&str, Option<Figure>) {
    match name.rsplit_once(':') {
        Some((plain, word)) if !plain.is_empty() && !plain.ends_with(':') => match Figure::of(word) {
            Some(figure) => (plain, Some(figure)),
            None => (name, None),
        },
        _ => (name, None),
    }
}

/// A number with its unit. A thousand bytes are a kB and 1024 a KiB.
fn amount(given: &str) -> Option<(f64, BudgetUnit)> {
    let given = given.trim();
    let at = given.find(|letter: char| letter.is_alphabetic()).unwrap_or(given.len());
    let (number, unit) = given.split_at(at);
    let number: f64 = number.trim().replace('_', "").parse().ok()?;
    let (scale, unit) = match unit.trim() {
        "ns" => (1.0, BudgetUnit::Nanos),
        "us" | "µs" | "μs" => (1e3, BudgetUnit::Nanos),
        "ms" => (1e6, BudgetUnit::Nanos),
        "s" => (1e9, BudgetUnit::Nanos),
        "m" | "min" => (60e9, BudgetUnit::Nanos),
        "h" => (3600e9, BudgetUnit::Nanos),
        "B" => (1.0, BudgetUnit::Bytes),
        "kB" | "KB" | "k" | "K" => (1e3, BudgetUnit::Bytes),
        "MB" | "M" => (1e6, BudgetUnit::Bytes),
        "GB" | "G" => (1e9, BudgetUnit::Bytes),
        "TB" => (1e12, BudgetUnit::Bytes),
        "KiB" => (1024.0, BudgetUnit::Bytes),
        "MiB" => (1024.0 * 1024.0, BudgetUnit::Bytes),
        "GiB" => (1024.0 * 1024.0 * 1024.0, BudgetUnit::Bytes),
        "" => (1.0, BudgetUnit::Count),
        _ => return None,
    };
    let amount = number * scale;
    (amount.is_finite() && amount >= 0.0).then_some((amount, unit))
}

impl Figure {
    const ALL: [Self; 6] = [
        Self::Mean,
        Self::Total,
        Self::Percentile(50),
        Self::Percentile(95),
        Self::Percentile(99),
        Self::Max,
    ];

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|figure| figure.word() == word)
    }

    /// The words for all of them.
    pub(super) fn words() -> Vec<String> {
        Self::ALL.into_iter().map(Self::word).collect()
    }

    pub(super) fn word(self) -> String {
        match self {
            Self::Mean => "mean".to_owned(),
            Self::Total => "total".to_owned(),
            Self::Percentile(part) => format!("p{part}"),
            Self::Max => "max".to_owned(),
        }
    }
}

impl Whole {
    const ALL: [Self; 6] =
        [Self::Wall, Self::Cpu, Self::Peak, Self::Allocated, Self::Leaked, Self::Allocations];

    /// The one that a word stands for.
    pub(super) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|whole| whole.words().contains(&word))
    }

    /// A budget of it.
    pub(super) fn example(self) -> &'static str {
        match self {
            Self::Wall => "wall=10s",
            Self::Cpu => "cpu=8s",
            Self::Peak => "peak=200MB",
            Self::Allocated => "allocated=2GB",
            Self::Leaked => "leaked=0",
            Self::Allocations => "allocations=50000",
        }
    }

    /// What it is asked for by, the usual word first.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Wall => &["wall", "total", "duration"],
            Self::Cpu => &["cpu"],
            Self::Peak => &["peak"],
            Self::Allocated => &["allocated"],
            Self::Leaked => &["leaked"],
            Self::Allocations => &["allocations"],
        }
    }

    pub(super) fn word(self) -> &'static str {
        self.words()[0]
    }

    fn unit(self) -> BudgetUnit {
        match self {
            Self::Wall | Self::Cpu => BudgetUnit::Nanos,
            Self::Peak | Self::Allocated | Self::Leaked => BudgetUnit::Bytes,
            Self::Allocations => BudgetUnit::Count,
        }
    }
}

impl BudgetUnit {
    /// The word for it in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Nanos => "ns",
            Self::Bytes => "bytes",
            Self::Count => "count",
        }
    }

    /// A figure with its unit.
    #[must_use]
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Nanos => duration(value),
            Self::Bytes => bytes(value.round() as u64),
            Self::Count => count(value.round() as u64),
        }
    }
}

/// As it is typed, with the limit as it is read.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name(), self.unit().text(self.limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, figure: Figure, limit: f64) -> Result<Budget, String> {
        Ok(Budget { of: Subject::Named(name.to_owned(), figure), limit })
    }

    fn whole(whole: Whole, limit: f64) -> Result<Budget, String> {
        Ok(Budget { of: Subject::Whole(whole), limit })
    }

    #[test]
    fn budgets_are_read_as_people_write_them() {
        for (given, expected) in [
            ("attention=50ms", named("attention", Figure::Mean, 50e6)),
            (" attention = 1.5 s ", named("attention", Figure::Mean, 1.5e9)),
            ("a::b=5us", named("a::b", Figure::Mean, 5e3)),
            ("a::b:total=2min", named("a::b", Figure::Total, 120e9)),
            ("a::total=1s", named("a::total", Figure::Mean, 1e9)),
            ("a:p95=10ns", named("a", Figure::Percentile(95), 10.0)),
            ("a:max=10ns", named("a", Figure::Max, 10.0)),
            ("operator===1ms", named("operator==", Figure::Mean, 1e6)),
            ("wall=2s", whole(Whole::Wall, 2e9)),
            ("total=2s", whole(Whole::Wall, 2e9)),
            ("cpu=1h", whole(Whole::Cpu, 3600e9)),
            ("peak=200MB", whole(Whole::Peak, 200e6)),
            ("peak=1KiB", whole(Whole::Peak, 1024.0)),
            ("peak=5ms", named("peak", Figure::Mean, 5e6)),
            ("leaked=0", whole(Whole::Leaked, 0.0)),
            ("allocations=1_000", whole(Whole::Allocations, 1000.0)),
        ] {
            assert_eq!(given.parse(), expected, "{given}");
        }
    }

    #[test]
    fn what_is_no_budget_is_answered_with_examples() {
        for wrong in
            ["", "attention", "=5ms", "a=", "a=5", "a=5parsecs", "a=-5ms", "a=5MB", "a=nanms", "peak=1e999MB"]
        {
            let error = wrong.parse::<Budget>().unwrap_err();
            assert!(error.contains("attention=50ms"), "{wrong}: {error}");
        }
    }

    #[test]
    fn budgets_are_shown_as_they_are_typed() {
        for (given, shown) in
            [("a=50000us", "a=50.0 ms"), ("a:p99=1s", "a:p99=1.00 s"), ("peak=1MiB", "peak=1.00 MiB")]
        {
            assert_eq!(given.parse::<Budget>().unwrap().to_string(), shown);
        }
    }
}
