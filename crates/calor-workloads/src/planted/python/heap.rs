//! Memory that need not be held, or not be taken anew: numbers in a block each, a whole file at once, a cache that keeps
//! all, and large blocks that come from the kernel and go back to it.

use super::program;
use crate::planted::{Case, Language, Saves, Twins, Words};

/// Numbers that are an object each.
pub(super) const SMALL_BLOCKS: Case = Case {
    name: "python-an-object-for-each-number",
    rule: "HEAP-HOTSPOT",
    also_right: &[],
    language: Language::Python,
    flags: &[],
    options: &["--heap"],
    saves: Saves::Memory,
    write: small_blocks,
};

/// A file that is read whole where its lines would do.
pub(super) const SPIKE: Case = Case { name: "python-whole-file-at-once", write: spike, ..SMALL_BLOCKS };

/// A cache that nothing bounds.
pub(super) const GROWTH: Case = Case {
    name: "python-cache-without-bound",
    rule: "HEAP-GROWTH",
    also_right: &["HEAP-LEAK"],
    write: growth,
    ..SMALL_BLOCKS
};

/// Blocks of many megabytes, made anew for each frame.
pub(super) const LARGE_BLOCKS: Case = Case {
    name: "python-large-blocks-made-anew",
    rule: "HEAP-PAGE-FAULTS",
    also_right: &["CPU-MEMORY-COPIES"],
    saves: Saves::Cpu,
    write: large_blocks,
    ..SMALL_BLOCKS
};

fn small_blocks(words: &mut Words) -> Twins {
    let work = words.function();
    let template = "
import array
$surroundings


def $work(count):
    return $body


def main():
    answer = $around
    values = $work($count)
    for _ in range($rounds):
        answer += int(max(values) + sum(values[::100]))
    print(answer + len(array.array('d')))


main()
";
    let (count, rounds) = (words.between(3_600_000, 4_000_000), words.between(14, 18));
    let scale = words.one_of(&["0.5", "1.5", "0.25"]);
    let values =
        &[("work", &work as _), ("count", &count as _), ("rounds", &rounds as _), ("scale", &scale as _)];
    let ways = (
        "list(map(($scale).__mul__, range(count)))",
        "array.array('d', map(($scale).__mul__, range(count)))",
    );
    program(words, template, ways, Some(work.clone()), values)
}

fn spike(words: &mut Words) -> Twins {
    let work = words.function();
    let slow = "with open(path, 'rb') as file:\n        lines = file.read().split(b'\\n')\n    for line in lines:\n        total += len(line) * (line[:1] == b'1')";
    let fast = "with open(path, 'rb') as file:\n        for line in file:\n            total += (len(line) - line.endswith(b'\\n')) * (line[:1] == b'1')";
    let template = r#"
import os
import tempfile
import time
import zlib
$surroundings


def $work(path):
    total = 0
    $body
    return total


def main():
    answer = $around
    with tempfile.NamedTemporaryFile(delete=False) as file:
        for number in range(96):
            file.write((b"%03d " % number + b"$filler" * 400 + b"\n") * $lines)
    answer += $work(file.name)
    os.unlink(file.name)
    block = bytes(range(256)) * 4000
    for _ in range($rounds):
        time.sleep(0.015)  # until the next one comes
        answer += len(zlib.compress(block, 6))
    print(answer)


main()
"#;
    let filler = words.one_of(&["heat ", "time ", "path "]);
    let (lines, rounds) = (words.between(500, 600), words.between(90, 110));
    let values =
        &[("work", &work as _), ("filler", &filler as _), ("lines", &lines as _), ("rounds", &rounds as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}

fn growth(words: &mut Words) -> Twins {
    let work = words.function();
    let template = r#"
import functools
import time
import zlib
$surroundings


@functools.lru_cache(maxsize=$body)
def $work(key):
    return zlib.compress(b"%d," % key * 3000, 1) + bytes($bytes)


def main():
    answer = $around
    for request in range($requests):
        time.sleep(0.01)  # until the next one comes
        answer += len($work(request)) + len($work(request // 2 * 2))
    print(answer)


main()
"#;
    let (bytes, requests) = (words.between(80_000, 100_000), words.between(420, 460));
    let values = &[("work", &work as _), ("bytes", &bytes as _), ("requests", &requests as _)];
    program(words, template, ("None", "128"), Some(work.clone()), values)
}

fn large_blocks(words: &mut Words) -> Twins {
    let work = words.function();
    let slow = "return zlib.adler32(source.translate(table))";
    let fast = "sum_of_all = 1\n    for first in range(0, len(source), 65536):\n        sum_of_all = zlib.adler32(source[first:first + 65536].translate(table), sum_of_all)\n    return sum_of_all";
    let template = r#"
import zlib
$surroundings


def $work(source, table):
    $body


def main():
    answer = $around
    source = bytes(range(256)) * $size
    for frame in range($frames):
        table = bytes((value + frame) % 256 for value in range(256))
        answer += $work(source, table)
    print(answer)


main()
"#;
    let (size, frames) = (words.between(140_000, 170_000), words.between(12, 15));
    let values = &[("work", &work as _), ("size", &size as _), ("frames", &frames as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}
