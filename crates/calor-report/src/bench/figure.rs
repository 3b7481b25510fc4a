//! One measured figure: a median, where it lies, and of how many repetitions.

use std::collections::BTreeMap;

use calor_analysis::Median;
use serde_json::Value;

/// What a case was run with: `size` and 512.
pub type Params = BTreeMap<String, Value>;

/// One of the `results` of `bench/1`.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// What was run, such as `matmul blocked`.
    pub case: String,
    /// With what.
    pub params: Params,
    /// What the numbers are in, such as `GFLOP/s`.
    pub unit: String,
    /// The median of all repetitions.
    pub median: f64,
    /// The low end of the median's interval of 95 %; of fewer than six repetitions, the least.
    pub low: f64,
    /// The high end; of fewer than six, the most.
    pub high: f64,
    /// Repetitions.
    pub n: u64,
    /// Whether the result was the right one; `None` where nothing can be checked.
    pub verified: Option<bool>,
}

impl Figure {
    /// Of the values of all repetitions; `None` without any.
    #[must_use]
    pub fn of(
        case: impl Into<String>,
        params: Params,
        unit: impl Into<String>,
        values: &[f64],
    ) -> Option<Self> {
        let Median { value, low, high } = Median::of(values)?;
        let n = values.len() as u64;
        let (case, unit) = (case.into(), unit.into());
        Some(Self { case, params, unit, median: value, low, high, n, verified: None })
    }

    /// The same with whether its result was the right one.
    #[must_use]
    pub fn verified(self, is_right: bool) -> Self {
        Self { verified: Some(is_right), ..self }
    }
}
