//! What every page begins with: the name of its schema, the version that wrote it, and what was not seen.

use std::io::{Error, Write};

use serde::Serialize;
use serde_json::Value;

use crate::Warning;

/// A kind of page, by the name that scripts know it by.
pub trait Schema {
    /// Such as `calor/report/1`: the number grows when a field goes away or means something else, which is not meant to happen.
    const NAME: &'static str;
}

/// A page: what is the same of all, around what this one is about.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Envelope<'w, T> {
    schema: &'static str,
    /// The version that wrote it.
    calor: &'static str,
    /// What was not seen or not measured.
    warnings: Vec<Warning<'w>>,
    #[serde(flatten)]
    body: T,
}

impl<'w, T: Schema + Serialize> Envelope<'w, T> {
    /// Around `body`.
    pub fn new(warnings: impl IntoIterator<Item = impl Into<Warning<'w>>>, body: T) -> Self {
        Self {
            schema: T::NAME,
            calor: env!("CARGO_PKG_VERSION"),
            warnings: warnings.into_iter().map(Into::into).collect(),
            body,
        }
    }

    /// Of what has nothing to warn of.
    pub fn unwarned(body: T) -> Self {
        Self::new([] as [Warning<'w>; 0], body)
    }

    /// The page as text, indented, with a line end.
    ///
    /// # Errors
    /// None that is known: all keys are strings and all values are plain.
    pub fn text(&self) -> Result<String, Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The page as a value, for pages that have it inside.
    ///
    /// # Errors
    /// As [`Envelope::text`].
    pub fn value(&self) -> Result<Value, Error> {
        Ok(serde_json::to_value(self)?)
    }

    /// The same with all fields in the order of their names: of pages that were printed so from their beginning.
    ///
    /// # Errors
    /// As [`Envelope::text`].
    pub fn text_by_name(&self) -> Result<String, Error> {
        Ok(serde_json::to_string_pretty(&self.value()?)? + "\n")
    }

    /// Writes [`Envelope::text`].
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn write(&self, out: &mut impl Write) -> Result<(), Error> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }
}
