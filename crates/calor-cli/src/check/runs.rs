//! The runs that are checked, and those that they are held against.

use std::path::PathBuf;

use anyhow::{Context, Result};
use calor_model::{Profile, Warning};
use calor_report::ComparedRun;
use calor_store::{Baseline, SavedRun};

use super::Demand;
use crate::compare::sides;
use crate::store::place;

/// Everything that is looked at.
pub(super) struct Held {
    /// What runs are held against.
    pub(super) before: Option<Before>,
    /// The runs that are checked.
    pub(super) after: Vec<ComparedRun>,
    /// A run whose heap was watched, where that of the others was not and a budget is about it.
    pub(super) heap: Option<Profile>,
    pub(super) remarks: Vec<Warning>,
    pub(super) is_interleaved: bool,
    /// The command that was recorded, as it is typed.
    pub(super) command: Option<String>,
}

/// What runs are held against.
pub(super) struct Before {
    pub(super) kind: Kind,
    pub(super) runs: Vec<ComparedRun>,
}

pub(super) enum Kind {
    Baseline(Box<Baseline>),
    /// A command that took turns, as it is typed.
    Command(String),
}

impl Before {
    /// What readers call it.
    pub(super) fn name(&self) -> String {
        match &self.kind {
            Kind::Baseline(baseline) => format!("baseline {}", baseline.name),
            Kind::Command(shown) => format!("`{shown}`"),
        }
    }

    pub(super) fn baseline(&self) -> Option<&Baseline> {
        match &self.kind {
            Kind::Baseline(baseline) => Some(baseline),
            Kind::Command(_) => None,
        }
    }
}

/// Reads or records them.
pub(super) fn held(demand: &Demand<'_>) -> Result<Held> {
    let baseline = demand.baseline.map(found).transpose()?;
    let mut remarks = Vec::new();
    let mut before = None;
    if let Some(baseline) = baseline {
        let path = PathBuf::from(format!("baseline:{}", baseline.name));
        let runs = sides::read_one(&[path], &mut remarks)?;
        before = Some(Before { kind: Kind::Baseline(Box::new(baseline)), runs });
    }
    if demand.arguments.command.is_empty() {
        let path = before.as_ref().and_then(Before::baseline).map(|known| format!("baseline:{}", known.name));
        let sides =
            sides::read(&path.map(PathBuf::from).into_iter().collect::<Vec<_>>(), &demand.arguments.files)?;
        if let Some(before) = &mut before {
            before.runs = sides.before;
        }
        let (after, remarks) = (sides.after, sides.remarks);
        return Ok(Held { before, after, heap: None, remarks, is_interleaved: false, command: None });
    }
    let held = Held { before, after: Vec::new(), heap: None, remarks, is_interleaved: false, command: None };
    recorded(demand, held)
}

fn found(name: &str) -> Result<Baseline> {
    let read = || -> Result<Baseline> { Ok(place::open()?.baseline(name)?) };
    read().with_context(|| format!("cannot check against baseline {name}"))
}

#[cfg(not(target_os = "linux"))]
fn recorded(_: &Demand<'_>, _: Held) -> Result<Held> {
    anyhow::bail!(
        "commands are recorded on Linux only: record the program in another way, and give its profiles"
    )
}

#[cfg(target_os = "linux")]
fn recorded(demand: &Demand<'_>, mut held: Held) -> Result<Held> {
    use super::manner;
    use super::recorded::Plan;
    use crate::{ab, launch, news};
    use calor_report::quantity::counted;

    let command = &demand.arguments.command;
    let shown = launch::shown(command);
    let against = demand.arguments.against.as_ref().map(ab::words).transpose()?;
    let saved: Option<&SavedRun> =
        held.before.as_ref().and_then(Before::baseline).and_then(|baseline| baseline.runs.first());
    let options = manner::options(&demand.settings.record, saved)?;
    let own_profile = demand.own_profile();
    let watches_heap = options.heap.is_some() || own_profile.is_some();
    let commands: Vec<Vec<_>> = against.iter().cloned().chain([command.clone()]).collect();
    let (n_runs, warmup) = (demand.n_runs(), demand.warmup());
    let turns = if against.is_some() { ", in turns with the other" } else { "" };
    news::say_wrapped(&format!("running `{shown}`: {}{turns}", counted(n_runs as u64, "run")));
    let plan = Plan { commands: &commands, n_runs, warmup, options, own_profile };
    let mut recorded = plan.record()?;
    let named = |profiles: Vec<Profile>| {
        let runs = profiles.into_iter().zip(1..);
        runs.map(|(profile, number)| ComparedRun::new(format!("run {number}"), profile)).collect::<Vec<_>>()
    };
    held.after = named(recorded.pop().unwrap_or_default());
    if let Some(former) = recorded.pop() {
        let shown = demand.arguments.against.as_ref().map(|line| line.to_string_lossy().into_owned());
        held.before = Some(Before { kind: Kind::Command(shown.unwrap_or_default()), runs: named(former) });
        held.is_interleaved = true;
    }
    if !watches_heap && demand.budgets.iter().any(super::budget::Budget::needs_heap) {
        let options =
            calor_record::Options { heap: Some(calor_record::HeapWay::Exact), ..plan.options.clone() };
        let commands = std::slice::from_ref(command);
        let plan = Plan { commands, n_runs: 1, warmup: 0, options, own_profile: None };
        held.heap = plan.record()?.pop().and_then(|mut runs| runs.pop());
    }
    held.command = Some(shown);
    Ok(held)
}
