//! One tool on one program, measured in this process.

use std::path::Path;

use harness::Figures;
use harness::sampled::{Tool, Watched, watch};
use harness::watched::Program;

use crate::case::{Case, Kind, RATE};
use crate::{environment, merged, top};

/// What the program of the hundred threads says of its stops.
const STOPS: [&str; 7] = ["stops", "longest_us", "p999_us", "p99_us", "p50_us", "over_100", "held_pct"];

/// Runs the tool once and looks at what it left. The folder's inputs are shared, its files are the tool's alone.
pub(crate) fn one(case: &Case, tool: &Tool, folder: &Path) -> Result<Figures, String> {
    let program = program(case, folder);
    if case.kind == Kind::Top {
        return top::watch(tool.name, &program);
    }
    let own = folder.join(tool.name);
    std::fs::create_dir_all(&own).map_err(|error| format!("cannot create {}: {error}", own.display()))?;
    let watched = watch(tool, &program, RATE, &own)?;
    let figures = match case.kind {
        Kind::Stops => stopped(watched),
        _ => sampled(watched, tool, &own)?,
    };
    std::fs::remove_dir_all(&own).map_err(|error| format!("cannot remove {}: {error}", own.display()))?;
    Ok(figures)
}

fn program(case: &Case, folder: &Path) -> Program {
    let (script, n_turns) = case.program();
    let numpy = environment::numpy(&case.interpreter.name);
    Program::new(vec![case.interpreter.path.clone(), folder.join(script)], n_turns)
        .with_variable("PYTHONPATH", numpy)
}

fn stopped(watched: Watched) -> Figures {
    let said = STOPS.iter().filter_map(|name| Some((name, watched.truth.get(name)?)));
    said.fold(watched.figures, |figures, (name, value)| figures.with(name, value))
}

fn sampled(watched: Watched, tool: &Tool, own: &Path) -> Result<Figures, String> {
    let Watched { figures, truth, cpu_s, ended: _ } = watched;
    let wall_s = truth.get("wall_s").ok_or("the program did not say 'wall_s'")?;
    let figures = figures.with("wall_s", wall_s);
    let Some(read) = tool.read else { return Ok(figures) };
    Ok(merged::judged(figures, tool.name, &read(own)?, &truth, cpu_s))
}
