//! `calor compare --format json`.

use calor_analysis::comparison::Comparison;
use calor_wire::Envelope;
use calor_wire::compare::{Compare, warnings};
use serde_json::Value;

use super::{CompareOptions, settling};
use crate::Error;

pub(super) fn page(compared: &Comparison, options: &CompareOptions) -> Result<String, Error> {
    Ok(enveloped(compared, options).text()?)
}

/// The same as a value, for output that has it inside.
///
/// # Errors
/// None that is known: every figure is a number.
pub fn compared_json(compared: &Comparison, options: &CompareOptions) -> Result<Value, Error> {
    Ok(enveloped(compared, options).value()?)
}

fn enveloped<'c>(compared: &'c Comparison, options: &'c CompareOptions) -> Envelope<'c, Compare<'c>> {
    let settle = settling(compared, options).map(|advice| advice.command.as_str());
    Envelope::new(warnings(compared, options.top), Compare::new(compared, options.top, settle))
}
