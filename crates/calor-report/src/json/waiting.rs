//! Where threads wait.

use calor_analysis::Wait;
use serde::Serialize;

use crate::report::Report;

#[derive(Serialize)]
pub(super) struct Waiting<'r> {
    /// The function that waited: the innermost of the path that does not belong to the system or the language.
    name: &'r str,
    path: Vec<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    blocked_ns: u64,
    count: u64,
    reason: &'static str,
    /// The call that tells the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'r str>,
    /// The thread, where it was one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    tid: Option<u64>,
    /// How many threads waited there.
    threads: usize,
}

impl<'r> Waiting<'r> {
    pub(super) fn new(report: &'r Report<'_>, wait: &Wait<'r>) -> Self {
        let profile = report.answer.profile;
        let site = profile.frames.get(profile.stacks.get(wait.cause.site).frame);
        let tid = match wait.threads[..] {
            [one] => Some(profile.threads.get(one).tid).filter(|tid| *tid != 0),
            _ => None,
        };
        Self {
            name: profile.strings.get(site.name),
            path: profile.path_names(wait.stack),
            file: site.file.map(|file| profile.strings.get(file)),
            line: site.line,
            blocked_ns: wait.blocked_nanos,
            count: wait.count,
            reason: wait.cause.reason.word(),
            call: wait.cause.call,
            tid,
            threads: wait.threads.len(),
        }
    }
}
