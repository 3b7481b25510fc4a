//! What writing tokens allocates. The rule: while tokens are written, after the first, no block is as large as the smallest
//! matrix of weights, so nothing copies or transposes weights; and on one thread none is larger than a shape, which candle
//! looks at anew in every operation.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use calor_workloads::model::{Model, Preset};

/// The sizes and steps of a tensor of a few dimensions.
const SHAPE_BYTES: u64 = 64;

struct Counting;

static IS_ON: AtomicBool = AtomicBool::new(false);
static BLOCKS: AtomicU64 = AtomicU64::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

fn count(size: usize) {
    if IS_ON.load(Relaxed) {
        BLOCKS.fetch_add(1, Relaxed);
        LARGEST.fetch_max(size, Relaxed);
    }
}

// SAFETY: every call is passed on with the same arguments, and its answer is given back as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number and largest size of the blocks that writing some tokens allocated.
fn decoded(model: &Model) -> (u64, u64) {
    let mut session = model.session().expect("there is memory");
    model.forward(&[1, 2, 3, 4], &mut session).expect("it fits");
    let mut step = |token| {
        model.forward(&[token], &mut session).expect("it fits");
        model.logits(&mut session).expect("the processor does not fail")[0]
    };
    // What is looked up once, such as the processor's features, is found with the first token.
    step(5);
    BLOCKS.store(0, Relaxed);
    LARGEST.store(0, Relaxed);
    IS_ON.store(true, Relaxed);
    (6..26).for_each(|token| {
        std::hint::black_box(step(token));
    });
    IS_ON.store(false, Relaxed);
    (BLOCKS.load(Relaxed), LARGEST.load(Relaxed) as u64)
}

// One test, since what it counts is of the whole process.
#[test]
fn writing_tokens_allocates_no_numbers_on_one_thread_and_no_weights_on_several() {
    for preset in Preset::BOTH {
        let model = Model::of_preset(preset, 1).expect("there is memory");
        let (_, largest) = decoded(&model);
        assert!(largest <= SHAPE_BYTES, "{}: {largest}", preset.name());
        let model = model.with_threads(2).expect("a thread can be started");
        let (_, largest) = decoded(&model);
        assert!(largest < model.config().smallest_matrix_bytes(), "{largest}");
        // What the rule is for: candle's own operations copy what is remembered, and here it is seen.
        let model = model.in_plain_operations();
        let (n_blocks, largest) = decoded(&model);
        assert!(n_blocks > 0 && largest > SHAPE_BYTES, "an allocator that counts nothing would find nothing");
    }
}
