//! 50 MB of what `perf script` prints: samples of 20,000 call paths, which a program is found in again and again.

use std::fmt::Write;

use super::numbers::Numbers;

const BYTES: usize = 50_000_000;

/// The text.
pub(super) fn script() -> String {
    let mut numbers = Numbers(3);
    let paths: Vec<Vec<u64>> = (0..20_000)
        .map(|_| {
            let depth = 5 + numbers.below(36);
            numbers.path(depth, 5_000, 1)
        })
        .collect();
    let mut text = String::with_capacity(BYTES + 65_536);
    let mut at_micros = 0;
    while text.len() < BYTES {
        at_micros += numbers.below(2_000);
        let (seconds, micros, thread) = (at_micros / 1_000_000, at_micros % 1_000_000, numbers.below(16));
        let _ = writeln!(
            text,
            "worker-{thread} {} [00{}] {seconds}.{micros:06}:    1000000 cpu-clock:ppp: ",
            1001 + thread,
            thread % 8
        );
        for function in paths[numbers.below(20_000) as usize].iter().rev() {
            let offset = numbers.below(512);
            let _ = writeln!(
                text,
                "\t{:>16x} module{}::function_{function}+{offset:#x} (/usr/lib/libmodel{}.so)",
                0x1000 + function * 512 + offset,
                function % 40,
                function % 7
            );
        }
        text.push('\n');
    }
    text
}
