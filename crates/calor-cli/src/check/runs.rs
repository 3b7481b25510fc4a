//! The runs that are checked, and those that they are held against.

use std::path::PathBuf;

use anyhow::{Context, Result};
use calor_analysis::comparison::ComparedRun;
use calor_model::{Profile, Warning};

use calor_store::Baseline;

use super::Demand;
use crate::compare::sides;
use crate::store::place;

pub(super) use self::recording::{again, more_turns};

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
    recording::recorded(demand, held)
}

fn found(name: &str) -> Result<Baseline> {
    let read = || -> Result<Baseline> { Ok(place::open()?.baseline(name)?) };
    read().with_context(|| format!("cannot check against baseline {name}"))
}

#[cfg(not(target_os = "linux"))]
mod recording {
    use super::*;

    const REFUSED: &str =
        "commands are recorded on Linux only: record the program in another way, and give its profiles";

    pub(super) fn recorded(_: &Demand<'_>, _: Held) -> Result<Held> {
        anyhow::bail!(REFUSED)
    }

    pub(in crate::check) fn again(_: &Demand<'_>, _: &Before, _: usize) -> Result<Vec<ComparedRun>> {
        anyhow::bail!(REFUSED)
    }

    pub(in crate::check) fn more_turns(_: &Demand<'_>, _: usize) -> Result<[Vec<ComparedRun>; 2]> {
        anyhow::bail!(REFUSED)
    }
}

#[cfg(target_os = "linux")]
mod recording {
    use calor_analysis::gate::Budget;
    use calor_analysis::quantity::counted;
    use calor_record::{HeapWay, Options};

    use super::super::advice::Asked;
    use super::super::manner;
    use super::super::recorded::Plan;
    use super::super::repeated::{self, Against};
    use super::*;
    use crate::{ab, command_line, launch, news};

    pub(super) fn recorded(demand: &Demand<'_>, mut held: Held) -> Result<Held> {
        let command = &demand.arguments.command;
        let shown = launch::shown(command);
        let against = demand.arguments.against.as_ref().map(ab::words).transpose()?;
        let options = options(demand, held.before.as_ref())?;
        let own_profile = demand.own_profile();
        let other = against.as_deref().map(Against::Command).or(demand.baseline.map(Against::Baseline));
        if let Some(other) = other.filter(|_| own_profile.is_none()) {
            let asked = Asked { line: Some(command_line::typed().to_vec()), has_policy: true };
            repeated::refuse(&asked, other, command)?;
        }
        let watches_heap = options.heap.is_some() || own_profile.is_some();
        let commands: Vec<Vec<_>> = against.iter().cloned().chain([command.clone()]).collect();
        let (n_runs, warmup) = (demand.n_runs(), demand.warmup());
        let turns = if against.is_some() { ", in turns with the other" } else { "" };
        news::say_wrapped(&format!("running `{shown}`: {}{turns}", counted(n_runs as u64, "run")));
        let plan = Plan { commands: &commands, n_runs, warmup, options, own_profile };
        let mut recorded = plan.record()?;
        held.after = named(recorded.pop().unwrap_or_default(), 1);
        if let Some(former) = recorded.pop() {
            let shown = demand.arguments.against.as_ref().map(|line| line.to_string_lossy().into_owned());
            let kind = Kind::Command(shown.unwrap_or_default());
            held.before = Some(Before { kind, runs: named(former, 1) });
            held.is_interleaved = true;
        }
        if !watches_heap && demand.budgets.iter().any(Budget::needs_heap) {
            let options = Options { heap: Some(HeapWay::Exact), ..plan.options.clone() };
            let commands = std::slice::from_ref(command);
            let plan = Plan { commands, n_runs: 1, warmup: 0, options, own_profile: None };
            held.heap = plan.record()?.pop().and_then(|mut runs| runs.pop());
        }
        held.command = Some(shown);
        Ok(held)
    }

    /// Records the command as often again as it was.
    pub(in crate::check) fn again(
        demand: &Demand<'_>,
        before: &Before,
        n_runs: usize,
    ) -> Result<Vec<ComparedRun>> {
        let plan = Plan {
            commands: std::slice::from_ref(&demand.arguments.command),
            n_runs,
            warmup: 0,
            options: options(demand, Some(before))?,
            own_profile: demand.own_profile(),
        };
        Ok(named(plan.record()?.pop().unwrap_or_default(), n_runs + 1))
    }

    /// Lets both commands take so many turns more: the runs of the other one, and of the one that is checked.
    pub(in crate::check) fn more_turns(demand: &Demand<'_>, n_runs: usize) -> Result<[Vec<ComparedRun>; 2]> {
        let against = demand.arguments.against.as_ref().map(ab::words).transpose()?.unwrap_or_default();
        let plan = Plan {
            commands: &[against, demand.arguments.command.clone()],
            n_runs,
            warmup: 0,
            options: options(demand, None)?,
            own_profile: demand.own_profile(),
        };
        let mut recorded = plan.record()?;
        let latter = named(recorded.pop().unwrap_or_default(), n_runs + 1);
        Ok([named(recorded.pop().unwrap_or_default(), n_runs + 1), latter])
    }

    fn options(demand: &Demand<'_>, before: Option<&Before>) -> Result<Options> {
        let saved = before.and_then(Before::baseline).and_then(|baseline| baseline.runs.first());
        manner::options(&demand.settings.record, saved.map(|run| &run.settings))
    }

    fn named(profiles: Vec<Profile>, first: usize) -> Vec<ComparedRun> {
        let runs = profiles.into_iter().zip(first..);
        runs.map(|(profile, number)| ComparedRun::new(format!("run {number}"), profile)).collect()
    }
}
