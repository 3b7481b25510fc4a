//! What the library cannot see, said in words: programs that it is not loaded into, allocators that it does not stand
//! before, memory that nothing explains, and what found no room.

use std::collections::{BTreeMap, BTreeSet};

use calor_heap::Image;
use calor_model::{Profile, Warning};

use super::memory::{Resident, own_tables};
use super::own_allocator::OwnAllocators;
use super::reason::Reason;
use super::unwatched;

/// Growth below this is not looked into: stacks take some.
const NOTABLE: u64 = 32 << 20;
/// Memory that an allocator has for each byte that its program held at most, before it counts as unexplained: what lies
/// free between blocks, on many threads, is as much again or twice.
const EXPLAINED: u64 = 3;

/// How much memory a process had, beside what was counted of it.
#[derive(Clone, Copy, Debug)]
struct Growth {
    /// When the process began, in the kernel's ticks: numbers of processes are used again.
    began: u64,
    first: u64,
    most: u64,
    /// Held when it had most.
    held: u64,
    /// What of it is our own, and how much there was in all when that was asked.
    own: u64,
    asked_at: u64,
}

impl Growth {
    /// What is not explained by the most that was held.
    fn unexplained(&self, held: u64) -> Option<u64> {
        let grown = self.most.saturating_sub(self.first).saturating_sub(self.own);
        (grown > NOTABLE + EXPLAINED * held).then_some(grown)
    }
}

/// The processes that were looked at.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    growth: BTreeMap<u32, Growth>,
    /// Processes that used a CPU, by what they were called.
    seen: BTreeMap<u32, String>,
    /// Processes that counted, with the most that they held, and those that could not begin.
    watched: BTreeMap<u32, u64>,
    n_watched: u64,
    n_failed: u64,
    /// The largest peak of one of them.
    peak_bytes: u64,
    own_allocators: OwnAllocators,
    /// Processes with an allocator of their own, which says more than that memory grew.
    explained: BTreeSet<u32>,
    /// What found no room, in the order in which it is told.
    lost: [u64; 5],
}

impl Unseen {
    /// Notes a look.
    pub(super) fn see(&mut self, pid: u32, memory: Resident, held: u64) {
        let began = began(pid);
        let first = memory.anonymous.saturating_sub(held);
        let new = Growth { began, first, most: 0, held: 0, own: 0, asked_at: 0 };
        let growth = self.growth.entry(pid).or_insert(new);
        if growth.began != began {
            *growth = new;
        }
        if memory.anonymous > growth.most {
            growth.most = memory.anonymous;
            growth.held = held;
            // Rarely: the kernel has to look at every page.
            if growth.unexplained(held).is_some() && growth.most > growth.asked_at + growth.asked_at / 4 {
                growth.own = own_tables(pid);
                growth.asked_at = growth.most;
            }
        }
    }

    /// Notes which processes gave samples.
    pub(super) fn see_threads(&mut self, profile: &Profile) {
        for (key, _) in profile.samples.iter() {
            let thread = profile.threads.get(key.thread);
            self.seen.entry(thread.pid).or_insert_with(|| profile.strings.get(thread.name).to_owned());
        }
    }

    /// Notes a process of which all was counted that will be, once.
    pub(super) fn see_image(&mut self, image: &Image) {
        let most = self.watched.entry(image.region.process).or_default();
        *most = image.peak_bytes.max(*most);
        self.n_watched += 1;
        if self.own_allocators.see(image) {
            self.explained.insert(image.region.process);
        }
        self.peak_bytes = self.peak_bytes.max(image.peak_bytes);
        let nested = image.nested + image.threads.iter().map(|thread| thread.nested).sum::<u64>();
        let lost = [image.sites_lost, image.threads_lost, image.missed_frees, image.samples_lost, nested];
        for (sum, lost) in self.lost.iter_mut().zip(lost) {
            *sum += lost;
        }
    }

    /// Notes a process that could not begin to count.
    pub(super) fn see_failure(&mut self) {
        self.n_failed += 1;
    }

    /// How many processes counted, and the largest peak of one of them.
    pub(super) fn watched(&self) -> (u64, u64) {
        (self.n_watched, self.peak_bytes)
    }

    /// How many of them had a peak that is not small beside the largest.
    pub(super) fn n_large(&self) -> usize {
        self.watched.values().filter(|most| **most > self.peak_bytes / 4).count()
    }

    /// Says what was not seen.
    pub(super) fn warn(&self, profile: &mut Profile) {
        let is_watched = |pid: &u32| self.watched.contains_key(pid);
        let others: Vec<&str> =
            self.seen.iter().filter(|(pid, _)| !is_watched(pid)).map(|(_, name)| name.as_str()).collect();
        if self.n_failed > 0 {
            profile.warn(Warning::counted(
                "heap_not_begun",
                "processes could not be watched: there was too little memory or address space for the tables, as \
                 under `ulimit -v` or `ulimit -f`; raise the limit",
                self.n_failed,
            ));
        }
        // Reasons that were found say more.
        let is_explained =
            self.n_failed > 0 || profile.warnings.iter().any(|warning| warning.code == unwatched::CODE);
        if self.n_watched > 0 && !others.is_empty() && !is_explained {
            let names = others.iter().take(5).copied().collect::<Vec<_>>().join(", ");
            profile.warn(Warning::counted(
                "heap_partly_watched",
                format!(
                    "processes that ran did not load the library that watches the heap, or had no block before they \
                     ended ({names}): they are linked statically, run with more rights, or were started without \
                     LD_PRELOAD"
                ),
                others.len() as u64,
            ));
        }
        if self.n_watched == 0 && !is_explained {
            profile.warn(Warning::new(unwatched::CODE, not_watched(profile)));
        }
        self.own_allocators.warn(profile);
        for (pid, growth) in self.growth.iter().filter(|(pid, _)| !self.explained.contains(pid)) {
            // What was freed before may still be with the allocator, which keeps it for what comes.
            let held = self.watched.get(pid).map_or(growth.held, |most| growth.held.max(*most));
            if let Some(grown) = growth.unexplained(held) {
                let (grown, held) = (grown >> 20, held >> 20);
                profile.warn(Warning::new(
                    "heap_untracked",
                    format!(
                        "the memory of process {pid} grew by {grown} MiB, of which allocations that were seen explain \
                         {held} MiB: it takes memory in another way (`sbrk`, system calls of its own, or an allocator \
                         that is linked into it and not known here); let it allocate with malloc, or in a Rust program \
                         wrap the allocator as calor::Alloc"
                    ),
                ));
            }
        }
        let words = [
            ("heap_paths_lost", "allocations were not counted: there was no room for their call paths"),
            ("heap_threads_lost", "allocations were not counted: there was no room for their threads"),
            (
                "heap_frees_missed",
                "blocks were handed out again although their free was not seen; they count as freed then",
            ),
            ("heap_samples_lost", "sampled blocks found no room"),
            (
                "heap_nested",
                "allocations were not counted: they were made inside the counting itself, as handlers of signals do",
            ),
        ];
        for ((code, text), count) in words.into_iter().zip(self.lost).filter(|(_, count)| *count > 0) {
            profile.warn(Warning::counted(code, text, count));
        }
    }
}

/// Why nothing was watched, as far as the file of the program tells.
fn not_watched(profile: &Profile) -> String {
    let command = profile.runs.iter().find_map(|run| run.command.as_deref()?.split(' ').next());
    let reason = command.and_then(|name| Some((name, Reason::of_command(name)?)));
    match reason {
        Some((name, reason)) => {
            // As programs are called that were found while they ran, so that one is not named twice.
            let name = name.rsplit('/').next().unwrap_or(name);
            unwatched::sentence(&format!("`{name}`"), &reason)
        }
        None => "no process of the program loaded the library that watches the heap: it is linked statically, runs with \
                 more rights than its caller (setuid), or clears LD_PRELOAD; in a Rust program use calor::Alloc"
            .to_owned(),
    }
}

/// When a process began; 0 when it is gone.
fn began(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Its name is in parentheses and may hold anything.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    fields.split_whitespace().nth(19).and_then(|field| field.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(unseen: &Unseen) -> Vec<(String, String)> {
        let mut profile = Profile::default();
        unseen.warn(&mut profile);
        profile.warnings.into_iter().map(|warning| (warning.code, warning.message)).collect()
    }

    #[test]
    fn a_process_without_room_for_the_tables_is_not_guessed_at() {
        let mut unseen = Unseen::default();
        assert_eq!(told(&unseen)[0].0, unwatched::CODE);
        unseen.see_failure();
        unseen.seen.insert(7, "train".to_owned());
        let told = told(&unseen);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0].0, "heap_not_begun");
        assert!(told[0].1.ends_with("raise the limit"), "{told:?}");
    }

    #[test]
    fn memory_that_nothing_explains_is_not_said_to_be_an_allocators() {
        let mut unseen = Unseen { n_watched: 1, ..Unseen::default() };
        let grown = Growth { began: 1, first: 0, most: 1 << 30, held: 0, own: 0, asked_at: 0 };
        unseen.growth.insert(7, grown);
        let [(code, message)] = &told(&unseen)[..] else { panic!("one warning") };
        assert_eq!(code, "heap_untracked");
        assert!(message.contains("`sbrk`") && !message.contains("jemalloc"), "{message}");
    }
}
