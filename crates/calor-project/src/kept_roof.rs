//! What this machine can reach, for work of profiles that is held against it.

use calor_machine::{Cache, Processor};
use calor_model::Profile;
use calor_report::{MachineRoof, machine_roof};

/// The roofs of this machine, if it was measured before and the profile can be held against them: nobody waits for a
/// measurement.
#[must_use]
pub fn kept_roof(profile: &Profile) -> Option<MachineRoof> {
    let kept = || Some(machine_roof(&Cache::of_user()?.kept()?));
    if holds_against_this_machine(profile) { kept() } else { None }
}

/// Whether a profile was recorded on a machine like this one and has work that can be held against it.
#[must_use]
pub fn holds_against_this_machine(profile: &Profile) -> bool {
    let has_work = || profile.scopes.iter().any(|(_, scope)| scope.work.bytes > 0 || scope.work.flops > 0);
    let cpu = profile.runs.first().map(|run| run.host.cpu.as_str()).filter(|cpu| !cpu.is_empty());
    cpu.is_some_and(|cpu| has_work() && cpu == Processor::this().cpu)
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, Host, LabelTable, Run, ScopeKey};

    use super::*;

    #[test]
    fn a_profile_of_another_machine_or_without_work_is_held_against_nothing() {
        let of = |cpu: &str| {
            let host = Host { cpu: cpu.to_owned(), ..Host::default() };
            Profile { runs: vec![Run { host, ..Run::default() }], ..Profile::default() }
        };
        let working = |mut profile: Profile| {
            let stack = profile.intern_named_path(&["run"], FrameKind::Scope).expect("it has a frame");
            let thread = profile.intern_thread(1, 1, "main");
            profile.scopes.row_mut(ScopeKey { stack, thread, labels: LabelTable::none() }).work.bytes = 1;
            profile
        };
        assert!(!holds_against_this_machine(&of(&Processor::this().cpu)));
        assert!(!holds_against_this_machine(&working(of("a processor that nobody has"))));
        assert_eq!(kept_roof(&working(of("a processor that nobody has"))), None);
    }
}
