//! What the machine can do, for operations that are held against it. Only what was measured before is taken: a report does
//! not stop the program for half a second to measure.

use calor::model::Profile;
use calor_machine::{Cache, Processor};
use calor_report::{MachineRoof, machine_roof};

/// The roofs of this machine, if it was measured and the profile is of such a one.
pub(super) fn roof_of(profile: &Profile) -> Option<MachineRoof> {
    let cpu = profile.runs.first().map(|run| run.host.cpu.as_str()).filter(|cpu| !cpu.is_empty())?;
    let has_work = profile.scopes.iter().any(|(_, scope)| scope.work.bytes > 0 || scope.work.flops > 0);
    if !has_work || cpu != Processor::this().cpu {
        return None;
    }
    Some(machine_roof(&Cache::of_user()?.kept()?))
}
