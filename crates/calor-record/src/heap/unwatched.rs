//! Programs of a recording into which the library is not loaded. The kernel tells of each process what it runs; a
//! program that is over before anybody looks is not among them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use calor_model::{Profile, Warning};

use super::reason::Reason;
use crate::process::{descendants, name_of, own_pid};

/// How often is looked for new processes.
const EVERY: Duration = Duration::from_millis(20);
/// How many programs are named.
const NAMED: usize = 5;

/// The code of these warnings.
pub(super) const CODE: &str = "heap_not_watched";

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Unwatched {
    looked: Option<Instant>,
    /// What the kernel told of each process that was looked at, which is another for another program in the same process;
    /// and whether all is said about it.
    known: BTreeMap<i32, (Vec<u8>, bool)>,
    /// Programs by reason, and how often each was met.
    found: BTreeMap<Reason, BTreeMap<String, u64>>,
}

impl Unwatched {
    /// Looks at what has been started since the last time.
    pub(crate) fn look(&mut self) {
        if self.looked.is_some_and(|looked| looked.elapsed() < EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        let processes = descendants(own_pid());
        self.known.retain(|pid, _| processes.contains(pid));
        let own = std::fs::read_link("/proc/self/exe").ok();
        for pid in processes.into_iter().filter(|pid| *pid != own_pid()) {
            self.look_at(pid, own.as_ref());
        }
    }

    fn look_at(&mut self, pid: i32, own: Option<&PathBuf>) {
        let auxiliary = std::fs::read(format!("/proc/{pid}/auxv")).unwrap_or_default();
        let program = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
        // Until it becomes the program, a child is a copy of us.
        let is_copy = program.is_some() && program.as_ref() == own;
        let known = self.known.get(&pid).filter(|(known, _)| *known == auxiliary);
        if is_copy || known.is_some_and(|(_, is_said)| *is_said) {
            return;
        }
        let is_second = known.is_some();
        let Ok(reason) = Reason::of_process(pid, calor_preload::FILE_NAME.as_bytes()) else { return };
        let is_said = is_second || reason.as_ref().is_none_or(Reason::is_final);
        self.known.insert(pid, (auxiliary, is_said));
        if let Some(reason) = reason.filter(|_| is_said) {
            let name = program.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
            let name = name.or_else(|| name_of(pid, pid)).unwrap_or_else(|| format!("process {pid}"));
            *self.found.entry(reason).or_default().entry(name).or_default() += 1;
        }
    }

    /// Says what was found, once.
    pub(crate) fn warn(&mut self, profile: &mut Profile) {
        for (reason, programs) in std::mem::take(&mut self.found) {
            let mut names = programs.keys().take(NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>();
            if programs.len() > NAMED {
                names.push("and others".to_owned());
            }
            profile.warn(Warning::counted(
                CODE,
                sentence(&names.join(", "), &reason),
                programs.values().sum(),
            ));
        }
    }
}

/// A program was not watched, why, and what to do.
pub(super) fn sentence(names: &str, reason: &Reason) -> String {
    format!("the heap of {names} was not watched: {}; {}", reason.what(), reason.remedy())
}
