//! The allocator where work goes from thread to thread: in the pools of rayon, in tasks of tokio, from a thread that makes
//! to one that uses up. What a scope allocated and freed is right wherever it ran.

#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

mod support;

use std::hint::black_box;
use std::sync::mpsc;

use calor::InScope;
use calor::model::{Profile, ScopeMemory};
use rayon::prelude::*;
use support::{ReadyAfter, alone};

#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::exact(std::alloc::System);

fn memory_of(profile: &Profile, name: &str) -> ScopeMemory {
    let mut sum = ScopeMemory::default();
    for (key, stats) in profile.scopes.iter() {
        if profile.path_names(key.stack).last() == Some(&name) {
            sum.add(&stats.memory.unwrap_or_default());
        }
    }
    sum
}

/// Bytes and blocks, allocated and freed.
fn figures(memory: &ScopeMemory) -> [u64; 4] {
    [memory.allocated_bytes, memory.allocated_count, memory.freed_bytes, memory.freed_count]
}

/// Bytes and blocks, allocated and held, of the paths through one function.
fn through(profile: &Profile, name: &str) -> [u64; 4] {
    let is_through = |names: &[&str]| names.iter().any(|part| part.rsplit("::").next() == Some(name));
    let rows = profile.heap.iter().filter(|(key, _)| is_through(&profile.path_names(key.stack)));
    rows.map(|(_, site)| [site.allocated_bytes, site.allocated_count, site.live_bytes(), site.live_count()])
        .fold([0; 4], |sum, row| std::array::from_fn(|at| sum[at] + row[at]))
}

#[inline(never)]
fn block_in_pool(size: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(size))
}

#[inline(never)]
fn block_in_task(size: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(size))
}

#[inline(never)]
fn block_in_queue(size: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(size))
}

#[test]
fn work_in_a_pool_of_rayon_adds_up() {
    let _alone = alone();
    calor::enable();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    pool.install(|| {
        (0..1000).into_par_iter().for_each(|_| {
            calor::scope!("item");
            let kept = block_in_pool(100);
            {
                calor::scope!("part of an item");
                drop(block_in_pool(1000));
            }
            drop(kept);
        });
    });
    let profile = calor::snapshot();
    let item = memory_of(&profile, "item");
    assert_eq!(figures(&item), [1_100_000, 2000, 1_100_000, 2000]);
    assert_eq!(item.peak_bytes, 1100, "the most of one call, not of all at once");
    let part = memory_of(&profile, "part of an item");
    assert_eq!((figures(&part), part.peak_bytes), ([1_000_000, 1000, 1_000_000, 1000], 1000));
    assert_eq!(through(&calor::heap::snapshot().unwrap(), "block_in_pool"), [1_100_000, 2000, 0, 0]);
}

#[test]
fn tasks_of_tokio_may_free_on_another_thread_than_they_allocated_on() {
    let _alone = alone();
    calor::enable();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    runtime.block_on(async {
        let task = |_| {
            let work = async {
                for _ in 0..10 {
                    let kept = {
                        calor::scope!("allocates in a task");
                        block_in_task(500)
                    };
                    ReadyAfter(3).await;
                    calor::scope!("frees in a task");
                    drop(kept);
                }
            };
            tokio::spawn(work.in_scope(calor::site!("task")))
        };
        for task in (0..100).map(task).collect::<Vec<_>>() {
            task.await.unwrap();
        }
    });
    let profile = calor::snapshot();
    assert_eq!(figures(&memory_of(&profile, "allocates in a task")), [500_000, 1000, 0, 0]);
    assert_eq!(figures(&memory_of(&profile, "frees in a task")), [0, 0, 500_000, 1000]);
    // The runtime allocates now and then while it is asked to wake a task.
    let task = memory_of(&profile, "task");
    assert!(task.allocated_bytes >= 500_000 && task.allocated_count >= 1000, "{task:?}");
    assert_eq!([task.freed_bytes, task.freed_count], [500_000, 1000]);
    assert!(task.peak_bytes >= 500, "{task:?}");
    assert_eq!(through(&calor::heap::snapshot().unwrap(), "block_in_task"), [500_000, 1000, 0, 0]);
}

#[test]
fn the_peak_of_a_future_is_that_of_its_life_and_not_of_one_poll() {
    let _alone = alone();
    calor::enable();
    let holds = async {
        let mut held = Vec::with_capacity(16);
        for _ in 0..10 {
            held.push(block_in_task(1000));
            ReadyAfter(2).await;
        }
        // It grows again from less: the most is what counts.
        held.truncate(2);
        ReadyAfter(1).await;
        held.push(block_in_task(1000));
    };
    let around = async {
        let kept = block_in_task(300);
        holds.in_scope(calor::site!("holds")).await;
        drop(kept);
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).build().unwrap();
    let task = runtime.spawn(around.in_scope(calor::site!("around")));
    runtime.block_on(task).unwrap();
    let profile = calor::snapshot();
    let (holds, around) = (memory_of(&profile, "holds"), memory_of(&profile, "around"));
    let list = 16 * size_of::<Vec<u8>>() as u64;
    // The runtime allocates now and then while it is asked to wake a task.
    let least = 10_000 + list;
    assert!((least..least + 500).contains(&holds.peak_bytes), "{holds:?}");
    assert!((least + 300..least + 1000).contains(&around.peak_bytes), "{around:?}");
}

#[test]
fn a_future_that_frees_for_others_still_has_a_peak_of_its_own() {
    let _alone = alone();
    calor::enable();
    let given: Vec<Vec<u8>> = (0..50).map(|_| block_in_queue(2000)).collect();
    let uses_up = async move {
        for block in given {
            drop(block);
            ReadyAfter(2).await;
        }
        drop(block_in_task(30_000));
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(runtime.spawn(uses_up.in_scope(calor::site!("uses up for others")))).unwrap();
    let memory = memory_of(&calor::snapshot(), "uses up for others");
    // The list of what it was given goes in the last poll, before the block comes.
    assert!((28_000..31_000).contains(&memory.peak_bytes), "{memory:?}");
}

#[test]
fn calls_that_are_not_timed_are_calls_of_their_own() {
    let _alone = alone();
    calor::enable();
    let mut kept = Vec::with_capacity(200);
    {
        calor::scope!("keeps");
        for _ in 0..200 {
            {
                calor::scope!("tiny", time_one_in = 16);
                drop(block_in_task(1000));
            }
            kept.push(block_in_task(50_000));
        }
    }
    let tiny = memory_of(&calor::snapshot(), "tiny");
    assert_eq!((figures(&tiny), tiny.peak_bytes), ([200_000, 200, 200_000, 200], 1000));
    drop(kept);
}

#[test]
fn what_one_scope_allocates_another_may_free() {
    let _alone = alone();
    calor::enable();
    let (sender, receiver) = mpsc::sync_channel::<Vec<u8>>(16);
    let user = std::thread::spawn(move || {
        for block in receiver {
            calor::scope!("uses up");
            drop(black_box(block));
        }
    });
    for _ in 0..500 {
        let block = {
            calor::scope!("makes");
            block_in_queue(4096)
        };
        sender.send(block).unwrap();
    }
    drop(sender);
    user.join().unwrap();
    let profile = calor::snapshot();
    let (makes, uses) = (memory_of(&profile, "makes"), memory_of(&profile, "uses up"));
    assert_eq!((figures(&makes), makes.peak_bytes), ([500 * 4096, 500, 0, 0], 4096));
    assert_eq!((figures(&uses), uses.peak_bytes), ([0, 0, 500 * 4096, 500], 0));
    assert_eq!(through(&calor::heap::snapshot().unwrap(), "block_in_queue"), [500 * 4096, 500, 0, 0]);
}
