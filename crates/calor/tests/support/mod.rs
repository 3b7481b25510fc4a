//! What the tests of the SDK share. The recorder is one for the process, and tests of a file may run side by
//! side in it: each uses names of its own and looks at its own rows only.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use calor::model::{Profile, ScopeStats, StackId};

/// Holds off other tests of the file, for those that change how everything is recorded.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of a call path, added up over threads; `path` as `outer/inner`.
pub(crate) fn find(profile: &Profile, path: &str) -> Option<ScopeStats> {
    let mut sum: Option<ScopeStats> = None;
    for (key, stats) in profile.scopes.iter() {
        if profile.path_names(key.stack).join("/") == path {
            sum.get_or_insert_default().add(stats);
        }
    }
    sum
}

/// The same, of a path that has to be there.
pub(crate) fn get(profile: &Profile, path: &str) -> ScopeStats {
    find(profile, path).unwrap_or_else(|| panic!("no scope {path}; there are {:?}", paths(profile)))
}

/// All call paths of a profile.
pub(crate) fn paths(profile: &Profile) -> Vec<String> {
    let mut paths: Vec<_> =
        profile.scopes.iter().map(|(key, _)| profile.path_names(key.stack).join("/")).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Self time of a call path: its own time less that of the paths one step below.
pub(crate) fn self_nanos(profile: &Profile, path: &str) -> i64 {
    let children: u64 = paths(profile)
        .iter()
        .filter(|other| {
            other
                .strip_prefix(path)
                .is_some_and(|rest| rest.matches('/').count() == 1 && rest.starts_with('/'))
        })
        .map(|child| get(profile, child).inclusive_nanos())
        .sum();
    get(profile, path).inclusive_nanos().cast_signed() - children.cast_signed()
}

/// The count of a warning, 0 when it is not there.
pub(crate) fn warned(profile: &Profile, code: &str) -> u64 {
    profile
        .warnings
        .iter()
        .filter(|warning| warning.code == code)
        .map(|warning| warning.count.unwrap_or(1))
        .sum()
}

/// The innermost name of a stack.
pub(crate) fn name(profile: &Profile, stack: StackId) -> String {
    profile.stack_name(stack).to_owned()
}

/// Is ready at its n-th poll, and asks for each.
pub(crate) struct ReadyAfter(pub(crate) u32);

impl Future for ReadyAfter {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0 -= 1;
        if self.0 == 0 {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Whether there is such a warning, counted or not.
pub(crate) fn warned_at_all(profile: &Profile, code: &str) -> bool {
    profile.warnings.iter().any(|warning| warning.code == code)
}
