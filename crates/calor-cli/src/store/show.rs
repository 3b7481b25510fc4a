//! `calor store show`: all that the catalogue knows of a run.

use anyhow::Result;
use calor_analysis::quantity::{bytes, count, counted, duration};
use calor_store::{Machine, SavedRun};
use calor_wire::utc;
use clap::Args;

use super::{page, place};
use crate::page::Brief;
use crate::{news, output};

const EXAMPLES: &str = "\
Examples:
  calor store show latest
  calor store show build=fast --format json";

/// Show when, where, how and of what a run was recorded
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(super) struct Arguments {
    /// The run: an id, latest, latest~1, KEY=VALUE, commit:HASH ...
    run: String,
    /// How it looks
    #[arg(long, value_enum, default_value_t = Brief::Text)]
    format: Brief,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let store = place::open()?;
    let run = store.find_one(&calor_project::selector(&arguments.run)?)?;
    match arguments.format {
        Brief::Json => {
            output::write(None, page::json(store.folder(), std::slice::from_ref(&run))?.as_bytes())
        }
        Brief::Text => {
            output::write(None, text(&run).as_bytes())?;
            let id = &run.id;
            news::say(format_args!(
                "\nNext: calor report store:{id}\n      calor convert store:{id} {id}.calor"
            ));
            Ok(())
        }
    }
}

fn text(run: &SavedRun) -> String {
    let totals = &run.totals;
    let time = |nanos: Option<u64>| nanos.map(|nanos| duration(nanos as f64));
    let pairs = |pairs: &std::collections::BTreeMap<String, String>| {
        let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join(" "))
    };
    let words = |words: &[String]| (!words.is_empty()).then(|| words.join(" "));
    let not_seen = counted(totals.warnings, "warning") + ", see `calor report`";
    let not_seen = (totals.warnings > 0).then_some(not_seen);
    let rows = [
        ("id", Some(run.id.to_string())),
        ("name", Some(run.name.clone()).filter(|name| !name.is_empty())),
        ("command", run.command.clone()),
        ("started", run.started_at_unix_nanos.and_then(utc)),
        ("saved", utc(run.saved_at_unix_nanos)),
        ("recorded", words(&run.recorders)),
        ("runs", (run.n_runs > 1).then(|| format!("{}, merged", run.n_runs))),
        ("time", time(totals.duration_nanos)),
        ("cpu time", time(totals.cpu_nanos)),
        ("samples", totals.samples.map(count)),
        ("scopes", totals.scopes.map(count)),
        ("allocated", totals.allocated_bytes.map(bytes)),
        ("peak", totals.peak_bytes.map(bytes)),
        ("not seen", not_seen),
        ("commit", commit(run)),
        ("branch", run.revision.branch.clone()),
        ("machine", run.machine.as_ref().map(machine)),
        ("settings", pairs(&run.settings)),
        ("labels", pairs(&run.labels)),
        ("baselines", words(&run.baselines)),
        ("size", Some(bytes(run.bytes))),
    ];
    rows.into_iter().filter_map(|(word, value)| Some(format!("{word:<10} {}\n", value?))).collect()
}

fn commit(run: &SavedRun) -> Option<String> {
    let changed = match run.revision.is_dirty {
        Some(true) => " and changes that were not committed",
        Some(false) => "",
        None => " (whether files were changed is not known)",
    };
    run.revision.commit.as_ref().map(|commit| format!("{commit}{changed}"))
}

fn machine(machine: &Machine) -> String {
    let kernel = format!("{} {} {}", machine.os, machine.kernel, machine.arch);
    let parts = [
        machine.name.clone(),
        machine.cpu.clone(),
        machine.cores.map(|cores| format!("{cores} cores")).unwrap_or_default(),
        machine.memory_bytes.map(bytes).unwrap_or_default(),
        kernel.trim().to_owned(),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}
