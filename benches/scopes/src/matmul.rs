//! Real work with scopes inside: a 66 x 66 f32 matrix multiplication of some 66 µs, cut into 20 parts. The parts
//! are one function that is never inlined, so that the plain and the instrumented one run the same instructions at
//! the same addresses and differ by nothing but the scopes around them.

use std::hint::black_box;

use harness::Figures;
use harness::clock::thread_cpu_nanos;

use crate::peer::Peer;
use crate::peers::empty::Empty;

const SIDE: usize = 66;
/// Scopes inside one multiplication, beside the one around it.
pub(crate) const PARTS: usize = 20;
/// Short blocks, so that many of them lie between two disturbances.
const TIMES_A_BLOCK: u64 = 10;
const WARM_UP_PAIRS: usize = 5;

/// Two factors and their product.
pub(crate) struct Matrices {
    left: Vec<f32>,
    /// Transposed: both factors are read along their rows.
    right: Vec<f32>,
    product: Vec<f32>,
}

impl Matrices {
    pub(crate) fn new() -> Self {
        let numbers = |step: usize| (0..SIDE * SIDE).map(|i| (i * step % 17) as f32 / 17.0).collect();
        Self { left: numbers(3), right: numbers(5), product: vec![0.0; SIDE * SIDE] }
    }

    /// One of [`PARTS`] parts of the product: three rows, or four.
    #[inline(never)]
    pub(crate) fn part(&mut self, part: usize) {
        let (from, to) = (part * SIDE / PARTS, (part + 1) * SIDE / PARTS);
        for (row, out) in self.product.chunks_exact_mut(SIDE).enumerate().take(to).skip(from) {
            let left = &self.left[row * SIDE..][..SIDE];
            for (right, out) in self.right.chunks_exact(SIDE).zip(out) {
                let mut sums = [0.0; 2];
                for (left, right) in left.chunks_exact(2).zip(right.chunks_exact(2)) {
                    for lane in 0..2 {
                        sums[lane] += left[lane] * right[lane];
                    }
                }
                *out = sums.iter().sum();
            }
        }
        black_box(&self.product);
    }
}

/// What the scopes add to a multiplication. Plain and instrumented blocks alternate, each pair in the other order
/// than the one before. What disturbs a block only ever makes it longer, so the block at the end of the quickest
/// tenth is compared: from run to run it varies by a tenth of a percent where the median varies by two.
pub(crate) fn measure(peer: &dyn Peer, pairs: u64) -> Figures {
    let mut matrices = Matrices::new();
    let mut block = |peer: &dyn Peer| {
        let start = thread_cpu_nanos();
        peer.matmul(&mut matrices, TIMES_A_BLOCK);
        (thread_cpu_nanos() - start) as f64 / TIMES_A_BLOCK as f64
    };
    for _ in 0..WARM_UP_PAIRS {
        block(&Empty);
        block(peer);
    }
    let (mut plain, mut instrumented) = (Vec::new(), Vec::new());
    for pair in 0..pairs {
        if pair % 2 == 0 {
            plain.push(block(&Empty));
            instrumented.push(block(peer));
        } else {
            instrumented.push(block(peer));
            plain.push(block(&Empty));
        }
    }
    let (plain, instrumented) = (quickest_tenth(plain), quickest_tenth(instrumented));
    let added = instrumented - plain;
    Figures::default().with("plain", plain).with("added", added).with("percent", added / plain * 100.0)
}

fn quickest_tenth(mut nanos: Vec<f64>) -> f64 {
    nanos.sort_by(f64::total_cmp);
    nanos[nanos.len() / 10]
}
