//! Why Python functions wait. A view of Python alone has none of the calls that tell, so the reasons are taken from the
//! profile it was made of.

use calor_model::{Profile, StackId, ThreadId};

use crate::{ThreadChoice, Wait, WaitCause, waits, waits_by_site};

/// The waits of a `view` of Python alone with their reasons; `whole` is the profile with all its functions.
pub(super) fn explained<'p>(whole: &'p Profile, view: &'p Profile, threads: &ThreadChoice) -> Vec<Wait<'p>> {
    let found = waits(whole, threads);
    let stacks: Vec<StackId> = found.iter().map(|wait| wait.stack).collect();
    let (_, shown) = whole.python_only_with(&stacks);
    let explained: Vec<Wait<'p>> = found
        .iter()
        .zip(shown)
        .map(|(wait, stack)| Wait {
            stack,
            cause: WaitCause { site: stack, ..wait.cause },
            threads: wait.threads.iter().filter_map(|thread| same_thread(whole, *thread, view)).collect(),
            ..*wait
        })
        .collect();
    // Paths that differed in compiled code alone are one.
    waits_by_site(view, &explained)
}

/// The thread of another profile that has the same numbers and the same name.
fn same_thread(from: &Profile, thread: ThreadId, into: &Profile) -> Option<ThreadId> {
    let wanted = from.threads.get(thread);
    let name = from.strings.get(wanted.name);
    let mut threads = into.threads.iter();
    let is_same = |id: &calor_model::Thread| {
        (id.pid, id.tid) == (wanted.pid, wanted.tid) && into.strings.get(id.name) == name
    };
    threads.find(|(_, thread)| is_same(thread)).map(|(id, _)| id)
}
