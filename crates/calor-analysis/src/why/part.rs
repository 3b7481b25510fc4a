//! What the samples of a side are spent on, by what they end in: copies, memory that is got and given back, locks, the
//! interpreter, and everything else, which is the operation's own code.

use calor_model::{Frame, FrameKind, Profile, SampleKind, StackId, ThreadId};

use crate::WaitReason;
use crate::heap::{Claim, is_allocator};
use crate::wait_reason::{bare, reason_of};

/// Functions that get, clear and give back memory, besides those that allocate.
const MEMORY: [&str; 12] = [
    "free",
    "cfree",
    "munmap",
    "madvise",
    "malloc_consolidate",
    "int_malloc",
    "int_free",
    "int_realloc",
    "sysmalloc",
    "systrim",
    "unlink_chunk",
    "mprotect",
];
/// Beginnings of functions of the kernel that give pages to a program, and take them back.
const KERNEL_MEMORY: [&str; 10] = [
    "asm_exc_page_fault",
    "exc_page_fault",
    "handle_mm_fault",
    "handle_pte_fault",
    "clear_page",
    "clear_huge_page",
    "unmap_",
    "mmap_",
    "vm_munmap",
    "x64_sys_m",
];
/// Beginnings of functions that copy, and one that clears.
const COPIES: [&str; 4] = ["memcpy", "memmove", "mempcpy", "memset"];

/// Parts of the CPU samples; together they are 1, unless there are none.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct WhyParts {
    /// In functions that copy memory.
    pub copying: f64,
    /// In functions that allocate, free, and give pages.
    pub memory: f64,
    /// In functions that take and give locks.
    pub locking: f64,
    /// In an interpreter.
    pub interpreter: f64,
    /// In anything else.
    pub own: f64,
}

/// The paths that count: all, or those within one function.
pub(super) struct Chosen {
    is_chosen: Vec<bool>,
}

impl Chosen {
    /// Paths that lead through a function of this name, or all where none does.
    pub(super) fn of(profile: &Profile, within: Option<&str>) -> Self {
        let name = within.and_then(|within| profile.strings.find(within));
        let mut is_chosen = Vec::with_capacity(profile.stacks.len());
        // Callers come before what they call.
        for (_, stack) in profile.stacks.iter() {
            let is_it = name.is_some_and(|name| profile.frames.get(stack.frame).name == name);
            let of_caller = stack.parent.is_some_and(|caller: StackId| is_chosen[caller.index()]);
            is_chosen.push(is_it || of_caller);
        }
        if !is_chosen.contains(&true) {
            is_chosen.fill(true);
        }
        Self { is_chosen }
    }

    pub(super) fn has(&self, stack: StackId) -> bool {
        self.is_chosen.get(stack.index()).copied().unwrap_or(false)
    }

    /// Paths of the CPU samples and how many there are.
    pub(super) fn samples<'p>(&'p self, profile: &'p Profile) -> impl Iterator<Item = (StackId, u64)> + 'p {
        self.rows(profile).map(|(stack, _, count)| (stack, count))
    }

    /// Threads of the CPU samples and how many there are.
    pub(super) fn samples_by_thread<'p>(
        &'p self,
        profile: &'p Profile,
    ) -> impl Iterator<Item = (ThreadId, u64)> + 'p {
        self.rows(profile).map(|(_, thread, count)| (thread, count))
    }

    /// Paths of the CPU samples and the threads they are of.
    pub(super) fn stacks_by_thread<'p>(
        &'p self,
        profile: &'p Profile,
    ) -> impl Iterator<Item = (StackId, ThreadId)> + 'p {
        self.rows(profile).map(|(stack, thread, _)| (stack, thread))
    }

    fn rows<'p>(&'p self, profile: &'p Profile) -> impl Iterator<Item = (StackId, ThreadId, u64)> + 'p {
        let running = profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu);
        running
            .filter(|(key, _)| self.has(key.stack))
            .map(|(key, weight)| (key.stack, key.thread, weight.count))
    }
}

/// What one sample is spent on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spent {
    Copying,
    Memory,
    Locking,
    Interpreter,
    Own,
}

/// How many samples there are, and where.
pub(super) fn parts(profile: &Profile, chosen: &Chosen) -> (u64, WhyParts) {
    let mut counts = [0_u64; 5];
    for (stack, count) in chosen.samples(profile) {
        counts[spent(profile, stack) as usize] += count;
    }
    let n_all: u64 = counts.iter().sum();
    let part = |spent: Spent| counts[spent as usize] as f64 / n_all.max(1) as f64;
    let parts = WhyParts {
        copying: part(Spent::Copying),
        memory: part(Spent::Memory),
        locking: part(Spent::Locking),
        interpreter: part(Spent::Interpreter),
        own: part(Spent::Own),
    };
    (n_all, parts)
}

fn spent(profile: &Profile, stack: StackId) -> Spent {
    let mut at = Some(stack);
    let mut is_for_memory = false;
    while let Some(path) = at {
        let row = profile.stacks.get(path);
        let frame = profile.frames.get(row.frame);
        match frame.kind {
            FrameKind::Kernel => {
                let name = bare(profile.strings.get(frame.name));
                if reason_of(name, true) == Some(WaitReason::Lock) {
                    return Spent::Locking;
                }
                let full = profile.strings.get(frame.name).trim_start_matches('_');
                is_for_memory |= KERNEL_MEMORY.iter().any(|known| full.starts_with(known));
            }
            FrameKind::Synthetic => {}
            _ => {
                let spent = spent_in(profile, frame);
                // Pages that are touched first cost their time in the kernel, whoever touches them.
                return if is_for_memory && spent == Spent::Own { Spent::Memory } else { spent };
            }
        }
        at = row.parent;
    }
    if is_for_memory { Spent::Memory } else { Spent::Own }
}

fn spent_in(profile: &Profile, frame: Frame) -> Spent {
    if frame.kind == FrameKind::Python {
        return Spent::Interpreter;
    }
    spent_in_function(profile, frame)
}

fn spent_in_function(profile: &Profile, frame: Frame) -> Spent {
    let name = bare(profile.strings.get(frame.name));
    if COPIES.iter().any(|copy| name.starts_with(copy)) {
        Spent::Copying
    } else if MEMORY.contains(&name) || is_allocator(profile, frame) {
        Spent::Memory
    } else if reason_of(name, false) == Some(WaitReason::Lock) || name.starts_with("lll_") {
        Spent::Locking
    } else if Claim::of(profile, frame) == Claim::Interpreter {
        Spent::Interpreter
    } else {
        Spent::Own
    }
}

/// Whether code is the operation's own, by the function that it is of.
pub(super) fn is_own(profile: &Profile, frame: Frame) -> bool {
    spent_in_function(profile, frame) == Spent::Own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    #[test]
    fn samples_are_told_apart_by_what_they_end_in() {
        let call = ["app::main@src/main.rs:3", "app::add@src/add.rs:7"];
        let profile = Draft::new()
            .cpu(&call, 400)
            .cpu(&[call[0], call[1], "__memmove_avx_unaligned_erms!libc.so.6"], 200)
            .cpu(&[call[0], call[1], "_int_free!libc.so.6"], 50)
            .cpu(&[call[0], call[1], "kernel:asm_exc_page_fault", "kernel:clear_page_erms"], 50)
            .cpu(&[call[0], "pthread_mutex_lock!libc.so.6"], 100)
            .cpu(&[call[0], "_PyEval_EvalFrameDefault!python3.11"], 100)
            .cpu(&["py:add@add.py:3"], 100)
            .profile();
        let (n_samples, found) = parts(&profile, &Chosen::of(&profile, None));
        let expected = WhyParts { copying: 0.2, memory: 0.1, locking: 0.1, interpreter: 0.2, own: 0.4 };
        assert_eq!((n_samples, found), (1_000, expected));
        let (n_within, within) = parts(&profile, &Chosen::of(&profile, Some("app::add")));
        assert_eq!((n_within, within.locking), (700, 0.0));
        let (n_all, _) = parts(&profile, &Chosen::of(&profile, Some("nowhere")));
        assert_eq!(n_all, 1_000);
    }
}
