//! The counters of a run as groups of open events: opened before the program starts, read when it has ended.

use super::absence::Absence;
use super::catalogue::{Counter, CounterSource, EventNumber};
use super::event::{CountingEvent, Scope};
use super::pmu::{is_forbidden, kinds_of_cores, tells_cores, why};
use super::reading::Amount;
use crate::perf::SharedCount;

/// Events that are counted together. The first one leads.
#[derive(Debug)]
struct Group {
    /// Each with the place of its counter among those asked for.
    members: Vec<(usize, CountingEvent)>,
}

/// All groups of a run.
#[derive(Debug)]
pub(super) struct Groups {
    groups: Vec<Group>,
    /// By counter: why it is not open; `None` for one that is, or that is no event.
    absences: Vec<Option<Absence>>,
    /// Whether what the kernel does for the program is counted too.
    pub(super) sees_kernel: bool,
}

impl Groups {
    /// Opens what can be opened on a process. Where the kernel's part is hidden from this user, all is opened without
    /// it, so that figures go together.
    pub(super) fn open(counters: &[Counter], pid: i32) -> Self {
        match Self::open_with(counters, Scope { pid, sees_kernel: true }) {
            (groups, false) => groups,
            (refused, true) => match Self::open_with(counters, Scope { pid, sees_kernel: false }) {
                (groups, false) => groups,
                // It was not for the kernel's part.
                (_, true) => refused,
            },
        }
    }

    /// The groups, and whether any of it was forbidden.
    fn open_with(counters: &[Counter], scope: Scope) -> (Self, bool) {
        let mut opened =
            Self { groups: Vec::new(), absences: vec![None; counters.len()], sees_kernel: scope.sees_kernel };
        let mut was_forbidden = false;
        let mut numbers: Vec<u8> = counters.iter().map(|counter| counter.group).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let members: Vec<(usize, &Counter)> =
                counters.iter().enumerate().filter(|(_, counter)| counter.group == number).collect();
            let is_hardware = |(_, counter): &(usize, &Counter)| counter.source() == CounterSource::Hardware;
            let cores = if members.iter().any(is_hardware) { kinds_of_cores() } else { vec![0] };
            for kind_of_core in cores {
                was_forbidden |= opened.open_group(&members, kind_of_core, scope);
            }
        }
        (opened, was_forbidden)
    }

    /// Opens one group, as several where the processor cannot count all of it at once; whether that was forbidden.
    fn open_group(&mut self, members: &[(usize, &Counter)], kind_of_core: u64, scope: Scope) -> bool {
        let mut was_forbidden = false;
        let mut group = Group { members: Vec::new() };
        for &(at, counter) in members {
            let Some(number) = counter.event else { continue };
            let upper = if tells_cores(number.kind) { kind_of_core << 32 } else { 0 };
            let number = EventNumber { config: number.config | upper, ..number };
            let leader = group.members.first().map(|(_, leader)| leader);
            let mut attempt = CountingEvent::open(number, scope, leader);
            if attempt.is_err() && leader.is_some() {
                attempt = CountingEvent::open(number, scope, None);
                if attempt.is_ok() {
                    self.groups.push(std::mem::replace(&mut group, Group { members: Vec::new() }));
                }
            }
            match attempt {
                Ok(_) if !scope.sees_kernel && counter.is_of_kernel() => {
                    self.absences[at] = Some(Absence::KernelHidden);
                }
                Ok(event) => group.members.push((at, event)),
                Err(error) => {
                    was_forbidden |= is_forbidden(&error);
                    self.absences[at] = Some(why(&error, scope.pid, counter.source()));
                }
            }
        }
        if !group.members.is_empty() {
            self.groups.push(group);
        }
        was_forbidden
    }

    /// What each counter came to, in the order in which they were asked for; `None` for one that is no event.
    pub(super) fn read(&self, counters: &[Counter]) -> Vec<Option<Result<Amount, Absence>>> {
        let mut parts: Vec<Vec<SharedCount>> = vec![Vec::new(); counters.len()];
        for group in &self.groups {
            let Some((_, leader)) = group.members.first() else { continue };
            let Ok(reading) = leader.read(group.members.len()) else { continue };
            for (at, event) in &group.members {
                parts[*at].extend(event.id().ok().and_then(|id| reading.part(id)));
            }
        }
        let outcomes = counters.iter().zip(parts).zip(&self.absences);
        outcomes
            .map(|((counter, parts), absence)| match (counter.event, absence) {
                (None, _) => None,
                // Cores of another kind may offer what one kind does not.
                (Some(_), Some(absence)) if parts.is_empty() => Some(Err(*absence)),
                (Some(_), _) => Some(Amount::of(&parts)),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_is_open_or_says_why_not() {
        let counters = Counter::usual();
        let groups = Groups::open(&counters, crate::process::own_pid());
        let n_open: usize = groups.groups.iter().map(|group| group.members.len()).sum();
        let n_absent = groups.absences.iter().flatten().count();
        let n_events = counters.iter().filter(|counter| counter.event.is_some()).count();
        let n_kinds = kinds_of_cores().len();
        assert!(n_open + n_absent >= n_events && n_open + n_absent <= n_events * n_kinds);
        // They count from the next exec on, which never comes here: nothing has been counted, which is not 0.
        for outcome in groups.read(&counters).into_iter().flatten() {
            assert!(outcome.is_err(), "{outcome:?}");
        }
    }
}
