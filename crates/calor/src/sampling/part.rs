//! What was sampled, part by part: each made a part of this run, so that it adds up with the scopes, and all of them
//! kept within bounds.

use std::collections::HashMap;

use calor_model::{Profile, Run, Warning};

use crate::process;
use crate::recorder::registry;

/// Rows that are kept. Samples on further call paths are counted only.
const MAX_ROWS: usize = 1 << 20;
/// Threads of Calor's that write and are no part of the program.
const WRITER: &str = "calor-recording";

/// All that was sampled.
#[derive(Debug, Default)]
pub(super) struct Parts {
    kept: Profile,
    over_limit: u64,
}

impl Parts {
    /// Keeps a part, and returns it as one of this run.
    pub(super) fn add(&mut self, mut part: Profile) -> Profile {
        adopt_threads(&mut part);
        part.runs = part.runs.drain(..).map(of_this_process).collect();
        if self.kept.samples.len() < MAX_ROWS {
            self.kept.merge(&part);
        } else {
            self.over_limit += part.samples.iter().map(|(_, weight)| weight.count).sum::<u64>();
        }
        part
    }

    /// What parts said that does not add up, and so holds for all of them.
    pub(super) fn remarks(&self) -> impl Iterator<Item = Warning> {
        self.kept.warnings.iter().filter(|warning| warning.count.is_none()).cloned()
    }

    /// Everything, with what is to be said of it as a whole.
    pub(super) fn whole(&self, remarks: Vec<Warning>) -> Profile {
        let mut whole = self.kept.clone();
        remarks.into_iter().for_each(|remark| whole.warn(remark));
        if self.over_limit > 0 {
            whole.warn(Warning::counted(
                "samples_over_limit",
                format!("after {MAX_ROWS} different call paths, samples are counted here only; stop and start sampling anew"),
                self.over_limit,
            ));
        }
        whole
    }
}

/// The recorder's account of its run, told as one of this process's.
fn of_this_process(recorded: Run) -> Run {
    let own = process::run(recorded.recorders.iter().copied());
    Run {
        id: own.id,
        command: own.command,
        host: own.host,
        commit: own.commit,
        labels: own.labels,
        ..recorded
    }
}

/// Gives threads the names that scopes know them by, which the kernel cuts short, and leaves out Calor's own.
fn adopt_threads(part: &mut Profile) {
    let names: HashMap<u64, String> = registry::names();
    let rows = std::mem::take(&mut part.samples);
    for (mut key, weight) in rows.iter() {
        let thread = part.threads.get(key.thread);
        if part.strings.get(thread.name) == WRITER {
            continue;
        }
        if let Some(name) = names.get(&thread.tid) {
            key.thread = part.intern_thread(thread.pid, thread.tid, name);
        }
        part.samples.add(key, weight);
    }
}
