//! Scopes inside the program's allocator: they run while the recorder itself allocates, and must neither recurse
//! nor upset what it is building.

#![expect(unsafe_code, reason = "an allocator is an unsafe interface")]
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};

use support::{get, warned};

struct Watched;

// SAFETY: memory comes from the system's allocator, unchanged.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let scope = calor::open!("allocate");
        scope.bytes(layout.size() as u64);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        calor::scope!("free");
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// Allocates and frees under call paths that are new to the thread.
fn allocate(paths: usize) -> u64 {
    let mut boxes = 0;
    for path in 0..paths {
        let _path = calor::Scope::enter(calor::Site::named(&format!("path {path}")));
        std::hint::black_box(Box::new(path));
        boxes += 1;
    }
    boxes
}

#[test]
fn an_allocator_may_open_scopes_while_the_recorder_allocates() {
    calor::enable();
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| allocate(600))).collect();
    for i in 0..20 {
        calor::enable_with(&calor::Options::new().timeline(i % 2 == 0).time_one_in(1 + i % 3));
        allocate(5);
        let _ = calor::snapshot();
        if i == 10 {
            calor::reset();
        }
    }
    let boxes: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!(boxes, 4 * 600);
    calor::enable_with(&calor::Options::new());
    calor::reset();
    {
        let _known = calor::open!("known");
        drop(std::hint::black_box(Box::new(1_u64)));
        drop(std::hint::black_box(Box::new(2_u64)));
    }
    let profile = calor::snapshot();
    // Making room for the paths below the first time is the recorder's own work, and counted as such.
    let counted = get(&profile, "known/allocate").calls + get(&profile, "known/free").calls;
    assert!(counted >= 3, "{counted}");
    assert!(get(&profile, "known/allocate").work.bytes >= 8);
    assert!(warned(&profile, "scopes_late") < 1000);
}
