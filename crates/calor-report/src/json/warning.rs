//! A warning as programs read it, the same in every page.

use calor_model::Warning;
use serde::Serialize;

/// A warning on the wire: `code`, `message`, and how often where that is known.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WireWarning<'w> {
    code: &'w str,
    message: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

impl<'w> WireWarning<'w> {
    /// One without a count.
    #[must_use]
    pub const fn of(code: &'w str, message: &'w str) -> Self {
        Self { code, message, count: None }
    }

    /// One that came so often.
    #[must_use]
    pub const fn counted(self, count: u64) -> Self {
        Self { count: Some(count), ..self }
    }

    /// Of a warning.
    #[must_use]
    pub fn new(warning: &'w Warning) -> Self {
        Self { code: &warning.code, message: &warning.message, count: warning.count }
    }
}
