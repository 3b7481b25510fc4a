//! The fields of a span that tell what work it does: `elements`, `bytes` and `flops`.

use std::fmt::Debug;

use tracing_core::Field;
use tracing_core::field::{FieldSet, Visit};

/// Work that a span was told of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ToldWork {
    pub(crate) elements: u64,
    pub(crate) bytes: u64,
    pub(crate) flops: u64,
}

/// Whether any of these fields can tell work.
pub(crate) fn tell_work(fields: &FieldSet) -> bool {
    let mut work = ToldWork::default();
    fields.iter().any(|field| work.figure(&field).is_some())
}

impl ToldWork {
    /// The figure that a field is about.
    fn figure(&mut self, field: &Field) -> Option<&mut u64> {
        match field.name() {
            "elements" => Some(&mut self.elements),
            "bytes" => Some(&mut self.bytes),
            "flops" => Some(&mut self.flops),
            _ => None,
        }
    }

    fn add(&mut self, field: &Field, n: u64) {
        if let Some(figure) = self.figure(field) {
            *figure = figure.saturating_add(n);
        }
    }
}

impl Visit for ToldWork {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        // Less than nothing cannot have been done.
        self.add(field, u64::try_from(value).unwrap_or(0));
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.add(field, u64::try_from(value).unwrap_or(u64::MAX));
    }

    fn record_i128(&mut self, field: &Field, value: i128) {
        self.record_u128(field, u128::try_from(value).unwrap_or(0));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // Rounds towards zero, keeps within range, and takes "not a number" for zero.
        self.add(field, value as u64);
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn Debug) {}
}
