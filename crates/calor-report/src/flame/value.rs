//! Values of a metric in words.

use calor_analysis::FlameUnit;

use calor_analysis::quantity;

pub(super) fn text(unit: FlameUnit, value: u64) -> String {
    match unit {
        FlameUnit::Nanos => quantity::duration(value as f64),
        FlameUnit::Bytes => quantity::bytes(value),
        _ => quantity::count(value),
    }
}

/// The word by which the script of a page knows the unit.
pub(super) fn word(unit: FlameUnit) -> &'static str {
    match unit {
        FlameUnit::Nanos => "nanos",
        FlameUnit::Bytes => "bytes",
        _ => "count",
    }
}

/// A part of a whole, in percent.
pub(super) fn share(part: u64, whole: u64) -> String {
    quantity::percent(if whole == 0 { 0.0 } else { part as f64 / whole as f64 })
}
