//! What a sample of a running thread was doing for memory: working in the allocator, waiting for the kernel to hand out pages,
//! or counting blocks for Calor. The last is no part of the program: it is taken out before shares are told.

use calor_model::{FrameKind, FunctionKey, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::{CpuSite, Facts, HeapPlace, Owner, Share};
use crate::heap::is_allocator;
use crate::wait_reason::{bare, reason_of};

/// The library that watches a heap.
const WATCHER: &str = "libcalor_preload";
/// Bare names of functions that allocators have beside those that memory is asked of, and beginnings of such names.
const ALLOCATOR_CALLS: [&str; 9] = [
    "malloc",
    "calloc",
    "realloc",
    "memalign",
    "free",
    "cfree",
    "operator delete",
    "operator delete[]",
    "PyObject_Free",
];
const ALLOCATOR_INSIDES: [&str; 14] = [
    "int_malloc",
    "int_free",
    "int_realloc",
    "int_memalign",
    "malloc_consolidate",
    "sysmalloc",
    "systrim",
    "tcache_",
    "unlink_chunk",
    "je_malloc",
    "je_free",
    "mi_malloc",
    "mi_free",
    "mi_page_",
];
/// Calls by which memory comes from the kernel and goes back.
const MAPPING_CALLS: [&str; 7] = ["mmap", "munmap", "mremap", "madvise", "brk", "sbrk", "morecore"];

/// What a block and its release cost at least, about, and at most: blocks of the thread's own cache took 2 to 8 ns more than
/// none in loops of a machine of 2023, as their work runs beside that of the loop, and those that have to be joined and split
/// ten times that.
const PAIR_NANOS: [f64; 3] = [3.0, 15.0, 70.0];
/// Fewer samples in the allocator say less than the number of blocks.
const LEAST_SAMPLES: u64 = 20;
/// Of so many of the blocks, the rest take nothing that matters.
const NEARLY_ALL: f64 = 0.9;
/// Watching every block disturbs caches, so that the allocator looks a little slower than it is.
const UNDISTURBED: f64 = 0.7;
/// Beginnings of the names of files that functions which call the kernel are in.
const SYSTEM_FILES: [&str; 5] = ["libc.", "libc-", "ld-", "libpthread", "[vdso]"];
/// Parts of the names of functions that make a container of Rust larger.
const GROWING_OF_RUST: [&str; 5] =
    ["::grow_one", "::grow_amortized", "::grow_exact", "::finish_grow", "do_reserve_and_handle"];
/// Calls that take a block which replaces none.
const NEW_BLOCKS: [&str; 6] = ["alloc", "allocate", "alloc_zeroed", "malloc", "calloc", "rust_alloc"];
/// And of all: of Rust's vectors, of C++'s, and of Python's lists, bytes and strings.
const GROWING: [&str; 19] = [
    "::grow_one",
    "::grow_amortized",
    "::grow_exact",
    "::finish_grow",
    "do_reserve_and_handle",
    "_Realloc",
    "_M_realloc_insert",
    "_M_realloc_append",
    "_M_default_append",
    "_M_range_insert",
    "_M_mutate",
    "_M_reallocate_map",
    "list_resize",
    "_PyBytes_Resize",
    "bytearray_resize",
    "PyByteArray_Resize",
    "PyList_Append",
    "PySequence_List",
    "resize_compact",
];

/// What a sample was doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemoryWork {
    /// Work of the allocator, copies of `realloc` among it.
    Allocator,
    /// The kernel made pages ready or took them back.
    Pages,
    /// Calor counted a block.
    Watching,
    /// Nothing for memory.
    None,
}

/// What samples that end on a path were doing.
pub(super) fn memory_work(facts: &Facts<'_>, stack: StackId) -> MemoryWork {
    let profile = facts.profile();
    // Whether the innermost function outside the kernel went there by touching memory, and not by a call.
    let (mut is_kernel, mut touches) = (false, None);
    let mut at = Some(stack);
    while let Some(path) = at {
        let row = profile.stacks.get(path);
        let frame = profile.frames.get(row.frame);
        let name = profile.strings.get(frame.name);
        at = row.parent;
        if frame.kind == FrameKind::Kernel {
            is_kernel = true;
            if name.to_ascii_lowercase().contains("syscall") {
                touches = Some(false);
            }
            continue;
        }
        let call = bare(name);
        let module = frame.module.map_or("", |module| profile.strings.get(module));
        touches = touches.or(Some(is_touch(name, module)));
        if module.contains(WATCHER) {
            return MemoryWork::Watching;
        }
        if is_kernel && MAPPING_CALLS.contains(&call) {
            return MemoryWork::Pages;
        }
        if is_allocator(profile, frame) || is_of_allocator(call) {
            return MemoryWork::Allocator;
        }
        if facts.owner(path) != Owner::System {
            return if is_kernel && touches == Some(true) { MemoryWork::Pages } else { MemoryWork::None };
        }
    }
    MemoryWork::None
}

/// Sites of the program where samples were doing one kind of work, as parts of the program without what watching it cost.
pub(super) fn memory_sites(facts: &Facts<'_>, work: MemoryWork) -> Vec<CpuSite> {
    sites_without_watching(facts, |stack| memory_work(facts, stack) == work)
}

/// The same for samples that are told by their paths.
pub(super) fn sites_without_watching(facts: &Facts<'_>, is_wanted: impl Fn(StackId) -> bool) -> Vec<CpuSite> {
    let (factor, watching) = watching(facts);
    let rest = facts.cpu().samples.saturating_sub(watching);
    let mut sites = facts.cpu_sites(is_wanted);
    for site in &mut sites {
        let counted = Share::counted(site.samples.min(rest), rest);
        let estimate = factor * site.share.estimate;
        site.share = counted.scaled(estimate / counted.estimate.max(f64::MIN_POSITIVE));
    }
    sites
}

/// By how much parts of the time are larger without what watching the heap cost.
pub(super) fn unwatched(facts: &Facts<'_>) -> f64 {
    watching(facts).0
}

/// That, and the samples that watching took.
fn watching(facts: &Facts<'_>) -> (f64, u64) {
    let whole = facts.whole().nanos.max(1) as f64;
    let cpu = facts.cpu();
    let watching = cpu.stacks().filter(|stack| memory_work(facts, *stack) == MemoryWork::Watching);
    let (samples, nanos) = watching.fold((0, 0.0), |sum, stack| {
        let own = cpu.own(stack);
        (sum.0 + own.0, sum.1 + own.1)
    });
    // Where nearly all is watching, nothing is known of the rest.
    (whole / (whole - nanos).max(0.05 * whole), samples)
}

/// What the allocator took for the blocks of each function, by samples and by number.
pub(super) struct AllocatorWork {
    sampled: IndexMap<FunctionKey, CpuSite, RandomState>,
    blocks: IndexMap<FunctionKey, u64, RandomState>,
    /// Of all functions together.
    all: Share,
    n_blocks: u64,
    /// By how much parts of the time are larger without what watching the heap cost.
    unwatched: f64,
}

impl AllocatorWork {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let sites = memory_sites(facts, MemoryWork::Allocator);
        let all = sites.iter().fold(Share::default(), |sum, site| {
            Share::between(
                sum.low + site.share.low,
                sum.estimate + site.share.estimate,
                sum.estimate + site.share.high,
            )
        });
        let mut blocks: IndexMap<FunctionKey, u64, RandomState> = IndexMap::default();
        for place in facts.heap().map_or(&[][..], |heap| &heap.places) {
            *blocks.entry(function_of(facts, place.stack)).or_default() += place.site.allocated_count;
        }
        Self {
            sampled: sites.into_iter().map(|site| (function_of(facts, site.stack), site)).collect(),
            n_blocks: blocks.values().sum(),
            blocks,
            all,
            unwatched: unwatched(facts),
        }
    }

    /// The part of the time that the allocator took for so many blocks of a place and their release: by the samples of its
    /// function where those are enough, and otherwise by what a block usually costs.
    pub(super) fn share(&self, facts: &Facts<'_>, place: &HeapPlace, count: f64) -> Share {
        let function = function_of(facts, place.stack);
        let Some(sampled) = self.sampled.get(&function).filter(|site| site.samples >= LEAST_SAMPLES) else {
            let [low, estimate, high] =
                PAIR_NANOS.map(|nanos| self.unwatched * facts.share(nanos * count).estimate);
            return Share::between(low, estimate, high);
        };
        // Several lines of a function have its samples together.
        let of_function = self.blocks.get(&function).copied().unwrap_or(0);
        let own = sampled.share.scaled(count / of_function.max(1) as f64);
        // Blocks may be freed in another function, which has its part of all samples in the allocator.
        let of_blocks = count / self.n_blocks.max(1) as f64;
        let estimate = own.estimate.max(UNDISTURBED * self.all.estimate * of_blocks);
        // Where nearly all blocks are of this place, so is nearly all that the allocator does.
        let least = if of_blocks >= NEARLY_ALL { own.low.max(self.all.low * of_blocks) } else { own.low };
        Share::between(UNDISTURBED * least, estimate, own.high.max(self.all.high * of_blocks.sqrt()))
    }
}

fn function_of(facts: &Facts<'_>, stack: StackId) -> FunctionKey {
    let profile = facts.profile();
    profile.frames.get(profile.stacks.get(stack).frame).function()
}

/// Whether a function that is in the kernel is there for memory that it touched: functions of the C library call the kernel, but
/// for those that set, copy and compare.
fn is_touch(name: &str, module: &str) -> bool {
    let call = bare(name);
    let file = module.rsplit('/').next().unwrap_or(module);
    let is_of_system = SYSTEM_FILES.iter().any(|system| file.starts_with(system));
    let is_on_memory = call.starts_with("mem") || call.starts_with("str");
    // A program that holds the C library itself has such functions under their plain names.
    let is_call = !name.contains("::") && reason_of(call, false).is_some();
    is_on_memory || (!is_of_system && !is_call)
}

/// Whether a path makes a container larger on behalf of the nearest function that is not the system's.
pub(super) fn is_growing(facts: &Facts<'_>, stack: StackId) -> bool {
    let profile = facts.profile();
    let mut at = Some(stack);
    while let Some(path) = at {
        let name = facts.name(path);
        if GROWING.iter().any(|part| name.contains(part)) || bare(name) == "realloc" {
            return true;
        }
        if facts.owner(path) >= Owner::Library {
            return false;
        }
        at = profile.stacks.get(path).parent;
    }
    false
}

/// Whether a path on which a container of Rust grows takes its first block: an empty one has nothing to move, and making room
/// beforehand takes that block as well.
pub(super) fn is_first_block(facts: &Facts<'_>, stack: StackId) -> bool {
    let profile = facts.profile();
    let mut is_new = false;
    let mut at = Some(stack);
    while let Some(path) = at {
        let name = facts.name(path);
        let call = bare(name);
        if call.contains("realloc") || facts.owner(path) >= Owner::Library {
            return false;
        }
        if GROWING_OF_RUST.iter().any(|part| name.contains(part)) {
            return is_new;
        }
        is_new |= NEW_BLOCKS.contains(&call);
        at = profile.stacks.get(path).parent;
    }
    false
}

fn is_of_allocator(call: &str) -> bool {
    ALLOCATOR_CALLS.contains(&call) || ALLOCATOR_INSIDES.iter().any(|inside| call.starts_with(inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    fn work(path: &[&str]) -> MemoryWork {
        let profile = Draft::new().cpu(path, 1).profile();
        let stack = profile.samples.iter().next().expect("one sample").0.stack;
        memory_work(&Facts::new(&profile, None), stack)
    }

    #[test]
    fn samples_are_told_apart_by_what_is_nearest_to_where_they_ended() {
        let load = "app::load@src/load.rs:7";
        for (path, expected) in [
            (&[load, "malloc!libc.so.6", "_int_malloc!libc.so.6"][..], MemoryWork::Allocator),
            (&[load, "cfree!libc.so.6"], MemoryWork::Allocator),
            (&[load, "realloc!libc.so.6", "memmove!libc.so.6"], MemoryWork::Allocator),
            (&[load, "malloc!libcalor_preload.so", "[calor]!libcalor_preload.so"], MemoryWork::Watching),
            (&[load, "malloc!libcalor_preload.so", "__libc_malloc!libc.so.6"], MemoryWork::Allocator),
            (&[load, "kernel:[kernel]"], MemoryWork::Pages),
            (&[load, "__memset_avx2!libc.so.6", "kernel:asm_exc_page_fault"], MemoryWork::Pages),
            (&[load, "free!libc.so.6", "__munmap!libc.so.6", "kernel:[kernel]"], MemoryWork::Pages),
            (&[load, "core::ptr::write!app", "kernel:[kernel]"], MemoryWork::Pages),
            (&[load, "read!libc.so.6", "kernel:[kernel]"], MemoryWork::None),
            (&[load, "__libc_read!app", "kernel:[kernel]"], MemoryWork::None),
            (&[load, "kernel:entry_SYSCALL_64", "kernel:do_syscall_64"], MemoryWork::None),
            (&[load], MemoryWork::None),
            (&[load, "app::free_slots@src/slots.rs:9"], MemoryWork::None),
            (&[load, "memcpy!libc.so.6"], MemoryWork::None),
        ] {
            assert_eq!(work(path), expected, "{path:?}");
        }
    }

    #[test]
    fn what_watching_cost_is_no_part_of_the_program() {
        let load = "app::load@src/load.rs:7";
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&[load], 300)
            .cpu(&[load, "malloc!libc.so.6"], 200)
            .cpu(&[load, "[calor]!libcalor_preload.so"], 500)
            .profile();
        let facts = Facts::new(&profile, None);
        assert!((unwatched(&facts) - 2.0).abs() < 1e-9);
        let sites = memory_sites(&facts, MemoryWork::Allocator);
        assert!((sites[0].share.estimate - 0.4).abs() < 1e-9, "{sites:?}");
        let work = AllocatorWork::of(&facts);
        assert_eq!(work.sampled.get(&function_of(&facts, sites[0].stack)), Some(&sites[0]));
    }
}
