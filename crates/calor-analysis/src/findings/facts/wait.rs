//! Where threads waited, as a part of the whole.

use std::collections::BTreeMap;

use calor_model::{Profile, SampleKind, StackId, ThreadId};

use super::Facts;
use crate::findings::Share;
use crate::{ThreadChoice, Wait, WaitCause, waits_by_site};

/// Waiting in one function for one reason.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitFacts<'p> {
    /// How long, how often, why, and which threads.
    pub wait: Wait<'p>,
    /// The path to the nearest function of the program; the whole path where there is none.
    pub site: StackId,
    /// The part of the whole that the thread waited there that waited longest: what its work would at most begin earlier.
    pub share: Share,
    /// How long that thread waited there.
    pub longest_nanos: u64,
}

pub(super) fn waits<'p>(facts: &Facts<'p>) -> Vec<WaitFacts<'p>> {
    let profile = facts.profile();
    let by_thread = by_thread(profile);
    let list = waits_by_site(profile, &crate::waits(profile, &ThreadChoice::All));
    let told = list.into_iter().map(|wait| {
        let longest_nanos = longest(facts, &wait, &by_thread).min(wait.blocked_nanos);
        let whole = facts.share(longest_nanos as f64);
        WaitFacts {
            site: facts.program_site(wait.stack).unwrap_or(wait.stack),
            share: Share::between(0.0, whole.estimate, whole.estimate),
            longest_nanos,
            wait,
        }
    });
    told.collect()
}

/// How long one thread waited in one place, for one cause.
struct Waited<'p> {
    cause: WaitCause<'p>,
    thread: ThreadId,
    nanos: u64,
}

/// Waits by path and thread. What a path waits for is found once, however many threads and sites ask.
fn by_thread(profile: &Profile) -> Vec<Waited<'_>> {
    let mut sums: BTreeMap<(StackId, ThreadId), u64> = BTreeMap::new();
    for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::OffCpu) {
        *sums.entry((key.stack, key.thread)).or_default() += weight.nanos;
    }
    let mut last: Option<(StackId, WaitCause<'_>)> = None;
    let waited = sums.into_iter().map(|((stack, thread), nanos)| {
        let cause = match last {
            Some((known, cause)) if known == stack => cause,
            _ => crate::wait_cause(profile, stack),
        };
        last = Some((stack, cause));
        Waited { cause, thread, nanos }
    });
    waited.collect()
}

/// How long the thread waited that waited longest, as far as the waits of one site tell.
fn longest(facts: &Facts<'_>, wait: &Wait<'_>, by_thread: &[Waited<'_>]) -> u64 {
    let profile = facts.profile();
    if let [_] = wait.threads[..] {
        return wait.blocked_nanos;
    }
    let mut sums: BTreeMap<ThreadId, u64> = BTreeMap::new();
    for Waited { cause, thread, nanos } in by_thread {
        let is_same = (cause.reason, cause.call) == (wait.cause.reason, wait.cause.call)
            && profile.stack_name(cause.site) == profile.stack_name(wait.cause.site);
        if is_same && wait.threads.contains(thread) {
            *sums.entry(*thread).or_default() += nanos;
        }
    }
    sums.into_values().max().unwrap_or(wait.blocked_nanos)
}

#[cfg(test)]
mod tests {
    use crate::WaitReason;
    use crate::findings::Facts;
    use crate::findings::draft::Draft;

    #[test]
    fn waiting_of_several_threads_counts_as_that_of_the_longest() {
        let path = ["app::main@src/main.rs:3", "app::get@src/pool.rs:9", "pthread_mutex_lock!libc.so.6"];
        let profile = Draft::new()
            .seconds(1.0)
            .cpu_on("a", &path[..2], 600)
            .wait_on("a", &path, 10, 300_000_000)
            .wait_on("b", &path, 10, 200_000_000)
            .wait_on("a", &["app::main@src/main.rs:5", "read!libc.so.6"], 1, 100_000_000)
            .profile();
        let facts = Facts::new(&profile, None);
        let [lock, read] = facts.waits() else { panic!("two waits: {:?}", facts.waits()) };
        assert_eq!((lock.wait.cause.reason, read.wait.cause.reason), (WaitReason::Lock, WaitReason::Io));
        assert_eq!((lock.longest_nanos, lock.wait.blocked_nanos), (300_000_000, 500_000_000));
        assert_eq!((lock.share.low, lock.share.high), (0.0, 0.3));
        assert_eq!(facts.place(lock.site).source().as_deref(), Some("src/pool.rs:9"));
    }
}
