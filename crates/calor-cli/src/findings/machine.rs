//! What the machine can reach, for rules that hold work against it: of this machine where the profile is of such a one.

use calor_analysis::MachineRoof;
use calor_machine::{Cache, Processor};
use calor_model::Profile;

use crate::machine;

/// The roofs of this machine, if the profile was recorded on one like it and tells of work that can be held against
/// them; measuring takes half a second, once.
pub(crate) fn roof(profile: &Profile) -> Option<MachineRoof> {
    (has_work(profile) && is_here(profile)).then(|| machine::roof(&machine::this(false).0))
}

/// The roofs of this machine, likewise, if it was measured before: a report does not wait for that.
pub(crate) fn kept_roof(profile: &Profile) -> Option<MachineRoof> {
    let kept = || Some(machine::roof(&Cache::of_user()?.kept()?));
    if has_work(profile) && is_here(profile) { kept() } else { None }
}

fn has_work(profile: &Profile) -> bool {
    profile.scopes.iter().any(|(_, scope)| scope.work.bytes > 0 || scope.work.flops > 0)
}

fn is_here(profile: &Profile) -> bool {
    let cpu = profile.runs.first().map(|run| run.host.cpu.as_str()).filter(|cpu| !cpu.is_empty());
    cpu.is_some_and(|cpu| cpu == Processor::this().cpu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::{Host, Run};

    #[test]
    fn a_profile_of_another_machine_or_without_work_is_held_against_nothing() {
        let of = |cpu: &str| {
            let host = Host { cpu: cpu.to_owned(), ..Host::default() };
            Profile { runs: vec![Run { host, ..Run::default() }], ..Profile::default() }
        };
        assert_eq!(roof(&of(&Processor::this().cpu)), None);
        let mut other = of("a processor that nobody has");
        let stack = other.intern_named_path(&["run"], calor_model::FrameKind::Scope).expect("it has a frame");
        let thread = other.intern_thread(1, 1, "main");
        let key = calor_model::ScopeKey { stack, thread, labels: calor_model::LabelTable::none() };
        other.scopes.row_mut(key).work.bytes = 1;
        assert_eq!(roof(&other), None);
    }
}
