//! Where the threads of a side wait, and for what.

use calor_model::{Profile, SampleKind};

use super::part::Chosen;
use crate::{ThreadChoice, WaitReason, waits, waits_by_site};

/// Calls that wait for the end of a thread: whoever starts threads does that, and it is no lock.
const JOINS: [&str; 4] = ["pthread_join", "pthread_clockjoin_ex", "pthread_timedjoin_np", "clockjoin"];

/// Waiting at one place.
#[derive(Clone, PartialEq, Debug)]
pub struct WhyStay {
    /// The function that waited.
    pub function: String,
    /// What for.
    pub reason: WaitReason,
    /// How long, all threads added up, as a part of the recording's time.
    pub part: f64,
    /// How often.
    pub count: u64,
}

/// The longest first; `None` where waiting was not recorded.
pub(super) fn stays(profile: &Profile, chosen: &Chosen) -> Option<Vec<WhyStay>> {
    profile.samples.iter().any(|(key, _)| key.kind == SampleKind::OffCpu).then(|| {
        let all = waits(profile, &ThreadChoice::All);
        let nanos = profile.duration_nanos().max(1) as f64;
        let sites = waits_by_site(profile, &all);
        let inside = sites.iter().filter(|wait| chosen.has(wait.stack));
        inside
            .filter(|wait| {
                !wait.cause.call.is_some_and(|call| JOINS.contains(&call)) && !joins(profile, wait.stack)
            })
            .map(|wait| WhyStay {
                function: profile.stack_name(wait.cause.site).to_owned(),
                reason: wait.cause.reason,
                part: wait.blocked_nanos as f64 / nanos,
                count: wait.count,
            })
            .collect()
    })
}

/// Whether a path leads through a function that waits for the end of a thread.
fn joins(profile: &Profile, stack: calor_model::StackId) -> bool {
    let is_join = |name: &&str| {
        let name = name.split(['<', '(']).next().unwrap_or(name);
        name.contains("pthread_join") || name.contains("clockjoin") || name.ends_with("::join")
    };
    profile.path_names(stack).iter().any(is_join)
}
