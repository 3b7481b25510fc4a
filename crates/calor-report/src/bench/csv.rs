//! A run for spreadsheets: a row for each figure, and a column for everything that a case was run with.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Bench;

pub(super) fn page(bench: &Bench) -> String {
    let params: BTreeSet<&str> =
        bench.figures.iter().flat_map(|figure| figure.params.keys()).map(String::as_str).collect();
    let heads = ["case"].into_iter().chain(params.iter().copied());
    let mut page =
        line(heads.chain(["unit", "median", "low", "high", "n", "verified"]).map(ToOwned::to_owned));
    for figure in &bench.figures {
        let mut fields = vec![figure.case.clone()];
        fields.extend(params.iter().map(|name| figure.params.get(*name).map(plain).unwrap_or_default()));
        fields.push(figure.unit.clone());
        fields.extend([figure.median, figure.low, figure.high].map(number));
        fields.push(figure.n.to_string());
        fields.push(figure.verified.map(|is_right| is_right.to_string()).unwrap_or_default());
        page += &line(fields.into_iter());
    }
    page
}

/// What is no number was not measured, and its field is empty.
fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn line(fields: impl Iterator<Item = String>) -> String {
    fields.map(quoted).collect::<Vec<_>>().join(",") + "\r\n"
}

fn quoted(field: String) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}
