//! The page for programs: operations as a list, sections of the program under their own names.

use std::io::Write;

use calor_analysis::ScopeSum;
use calor_wire::Warning;
use serde::Serialize;
use serde_json::{Map, Value, json, to_value};

use super::OperationsReport;
use super::wire::{Function, Operation, Sampled, Scope};
use crate::Error;
use crate::json::WireGpu;

/// The page with its profile in it, so that it can be read as one again; what it is stands first.
#[derive(Serialize)]
struct Carrying<'l> {
    schema: &'static str,
    calor_profile: Vec<&'l str>,
    #[serde(flatten)]
    page: Map<String, Value>,
}

const SCHEMA: &str = "calor/profile_report/1";

/// Writes the page; `carried` are the lines in which it carries its profile.
pub(super) fn write(
    report: &OperationsReport<'_>,
    carried: Option<String>,
    out: &mut impl Write,
) -> Result<(), Error> {
    let most = report.options.top.unwrap_or(usize::MAX);
    let mut page = Map::new();
    let mut put = |name: &str, value: Value| page.insert(name.to_owned(), value);
    put("schema", json!(SCHEMA));
    put("calor", json!(env!("CARGO_PKG_VERSION")));
    put("warnings", list(report.answer.warnings.iter().map(Warning::from))?);
    put("total_time_ns", json!(report.answer.tree.recorded_nanos()));
    if let Some(context) = &report.options.context {
        put("context", json!(context));
    }
    put("operations", list(report.answer.operations.iter().take(most).map(Operation::new))?);
    put("contexts", Value::Object(by_name(report)?));
    put("functions", list(report.answer.functions.iter().take(most).map(Function::new))?);
    if !report.answer.sampled.is_empty() {
        put("sampled_functions", list(report.answer.sampled.iter().take(most).map(Sampled::new))?);
    }
    if let Some(gpu) = &report.answer.gpu {
        put("gpu", value(WireGpu::new(report.answer.profile, gpu, report.options.top))?);
    }
    // A name that is taken stays among the contexts alone, as do those that PyTorch gives its steps back.
    for sum in report.answer.scopes.iter().filter(|sum| !sum.is_step_back()) {
        page.entry(sum.name).or_insert(value(Scope::new(report.answer.profile, sum))?);
    }
    match carried {
        Some(lines) => {
            page.remove("schema");
            let page = Carrying { schema: SCHEMA, calor_profile: lines.lines().collect(), page };
            serde_json::to_writer(&mut *out, &page).map_err(std::io::Error::from)?;
        }
        None => serde_json::to_writer(&mut *out, &page).map_err(std::io::Error::from)?,
    }
    Ok(out.write_all(b"\n")?)
}

fn by_name(report: &OperationsReport<'_>) -> Result<Map<String, Value>, Error> {
    let scope =
        |sum: &ScopeSum<'_>| Ok((sum.name.to_owned(), value(Scope::new(report.answer.profile, sum))?));
    report.answer.scopes.iter().map(scope).collect()
}

fn list<T: Serialize>(rows: impl Iterator<Item = T>) -> Result<Value, Error> {
    Ok(Value::Array(rows.map(value).collect::<Result<_, _>>()?))
}

fn value(row: impl Serialize) -> Result<Value, Error> {
    Ok(to_value(row).map_err(std::io::Error::from)?)
}
