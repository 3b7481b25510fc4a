//! The allocator: what scopes allocate, and who holds what, in a program that knows it.

use std::hint::black_box;

use calor::model::{Profile, ScopeMemory};

#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::exact(std::alloc::System);

fn memory_of(profile: &Profile, name: &str) -> ScopeMemory {
    let mut sum: Option<ScopeMemory> = None;
    for (key, stats) in profile.scopes.iter() {
        if profile.path_names(key.stack).last() == Some(&name) {
            let memory = stats.memory.unwrap_or_default();
            match &mut sum {
                Some(sum) => sum.add(&memory),
                None => sum = Some(memory),
            }
        }
    }
    sum.unwrap_or_else(|| panic!("no scope {name}"))
}

#[inline(never)]
fn held_block(size: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(size))
}

#[inline(never)]
fn leaked_block(size: usize) -> &'static mut [u8] {
    black_box(vec![1; size]).leak()
}

#[test]
fn a_scope_knows_what_was_allocated_and_freed_in_it_and_below() {
    calor::enable();
    for _ in 0..3 {
        calor::scope!("outer");
        let kept = held_block(1000);
        {
            calor::scope!("inner");
            drop(held_block(5000));
            drop(held_block(5000));
        }
        drop(kept);
    }
    let profile = calor::snapshot();
    let inner = memory_of(&profile, "inner");
    assert_eq!((inner.allocated_bytes, inner.allocated_count), (30_000, 6));
    assert_eq!((inner.freed_bytes, inner.freed_count, inner.peak_bytes), (30_000, 6, 5000));
    let outer = memory_of(&profile, "outer");
    assert_eq!((outer.allocated_bytes, outer.allocated_count), (33_000, 9));
    assert_eq!((outer.freed_bytes, outer.freed_count, outer.peak_bytes), (33_000, 9, 6000));
}

#[test]
fn the_peak_of_a_call_is_above_what_was_held_when_it_began() {
    calor::enable();
    let before = held_block(1 << 20);
    {
        calor::scope!("frees first");
        drop(before);
        drop(held_block(1000));
    }
    {
        calor::scope!("grows");
        let blocks: Vec<Vec<u8>> = (0..10).map(|_| held_block(100)).collect();
        drop(blocks);
    }
    let profile = calor::snapshot();
    assert_eq!(memory_of(&profile, "frees first").peak_bytes, 0);
    let of_list = 10 * size_of::<Vec<u8>>() as u64;
    assert_eq!(memory_of(&profile, "grows").peak_bytes, 1000 + of_list);
}

#[test]
fn threads_have_their_own_sums_which_add_up() {
    calor::enable();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            std::thread::spawn(|| {
                calor::scope!("on a thread");
                for _ in 0..100 {
                    drop(held_block(64));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("the thread ends well");
    }
    let memory = memory_of(&calor::snapshot(), "on a thread");
    assert_eq!((memory.allocated_bytes, memory.freed_bytes), (51_200, 51_200));
    assert_eq!((memory.allocated_count, memory.peak_bytes), (800, 64));
}

#[test]
fn a_snapshot_names_who_holds_and_a_difference_who_holds_more() {
    let before = calor::heap::snapshot().expect("the allocator is installed");
    for _ in 0..7 {
        leaked_block(12_345);
    }
    let after = calor::heap::snapshot().expect("the allocator is installed");
    let held = |profile: &Profile| {
        let rows = profile.heap.iter().filter(|(key, _)| {
            profile.path_names(key.stack).iter().any(|name| name.ends_with("leaked_block"))
        });
        rows.map(|(_, site)| (site.live_bytes(), site.live_count()))
            .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    };
    assert_eq!(held(&before), (0, 0));
    assert_eq!(held(&after), (86_415, 7));
    let change = calor::heap::diff(&before, &after);
    let grown = change.changes.iter().map(calor::heap::HeapChange::delta_bytes).max();
    assert!(grown >= Some(86_415), "{grown:?}");
    assert!(calor::heap::peak().expect("it is tracked").bytes >= 86_415);
    assert!(calor::heap::live_bytes().expect("it is tracked") >= 86_415);
}
