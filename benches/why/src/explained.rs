//! One explanation: what the command says in JSON.

use std::path::Path;
use std::time::Instant;

use harness::watched::calor;
use serde_json::Value;

use crate::case::Case;

pub(crate) struct Explained {
    /// Causes and their parts of the gap, the largest first.
    pub(crate) causes: Vec<(String, f64)>,
    pub(crate) unexplained: f64,
    /// How much slower, and at which size; `None` where the command found no gap to explain.
    pub(crate) gap: Option<(f64, u64)>,
    pub(crate) seconds: f64,
}

pub(crate) fn explain(case: &Case, folder: &Path, seed: u64) -> Result<Explained, String> {
    let began = Instant::now();
    let mut command = calor::command();
    command.args(["ab", "--why", "--format", "json", "--seed"]).arg(seed.to_string());
    case.name_pair(folder, &mut command);
    let output = command.output().map_err(|error| format!("cannot start calor: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().replace('\n', " "));
    }
    let page: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("no JSON: {error}"))?;
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let reasons = page["why"].as_array().ok_or("the page has no `why`")?;
    let cause =
        |reason: &Value| (reason["cause"].as_str().unwrap_or_default().to_owned(), number(&reason["share"]));
    Ok(Explained {
        causes: reasons.iter().map(cause).collect(),
        unexplained: number(&page["unexplained"]),
        gap: page["explained"].as_object().map(|at| (number(&at["ratio"]), number(&at["size"]) as u64)),
        seconds: began.elapsed().as_secs_f64(),
    })
}
