//! Arrays of numpy that are used element by element, copied for each step of an expression, or multiplied by more threads
//! than there are cores.

use super::program;
use crate::planted::{Case, Language, Saves, Twins, Words};

/// Elements that are taken out one by one.
pub(super) const ELEMENTS: Case = Case {
    name: "numpy-element-by-element",
    rule: "ARRAY-SCALAR-INDEXING",
    also_right: &["PYTHON-INTERPRETED-LOOP"],
    language: Language::Numpy,
    flags: &[],
    options: &[],
    saves: Saves::Cpu,
    write: elements,
};

/// An array for each step of an expression.
pub(super) const TEMPORARIES: Case = Case {
    name: "numpy-array-for-each-step",
    rule: "HEAP-PAGE-FAULTS",
    also_right: &["ARRAY-TEMPORARIES", "HEAP-TEMPORARY-ALLOCATIONS"],
    options: &["--heap"],
    write: temporaries,
    ..ELEMENTS
};

/// Processes for every core, each of which multiplies matrices on every core.
pub(super) const ALGEBRA: Case = Case {
    name: "numpy-too-many-threads",
    rule: "ARRAY-BLAS-THREADS",
    also_right: &["THREADS-OVERSUBSCRIBED"],
    write: algebra,
    ..ELEMENTS
};

fn elements(words: &mut Words) -> Twins {
    let work = words.function();
    let (slow, fast) = [
        (
            "total = 0\n    for i in range(len(values)):\n        total += values[i] * weights[i]\n    return int(total)",
            "return int(values @ weights)",
        ),
        (
            "kept = np.zeros(len(values), dtype=np.int64)\n    for i in range(len(values)):\n        if values[i] > weights[i]:\n            kept[i] = values[i]\n    return int(kept.sum())",
            "return int(np.where(values > weights, values, 0).sum())",
        ),
    ][words.between(0, 1) as usize];
    let template = "
import numpy as np
$surroundings


def $work(values, weights):
    $body


def main():
    answer = $around
    values = np.arange($size, dtype=np.int64) * 7919 % 1009
    weights = np.arange($size, dtype=np.int64) * 104729 % 997
    for _ in range($repeats):
        answer += $work(values, weights)
    print(answer)


main()
";
    let (size, repeats) = (words.between(180_000, 220_000), words.between(16, 20));
    let values = &[("work", &work as _), ("size", &size as _), ("repeats", &repeats as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}

fn temporaries(words: &mut Words) -> Twins {
    let work = words.function();
    let slow = "scaled = frame * gain\n    moved = scaled + offset\n    masked = moved * mask\n    return masked - frame";
    let fast = "np.multiply(frame, gain, out=room)\n    np.add(room, offset, out=room)\n    np.multiply(room, mask, out=room)\n    return np.subtract(room, frame, out=room)";
    let template = "
import numpy as np
$surroundings


def $work(frame, gain, offset, mask, room):
    $body


def main():
    answer = $around
    frame = np.arange($size, dtype=np.float64) % 256
    mask = (frame > 128).astype(np.float64)
    room = np.empty_like(frame)
    for number in range($frames):
        answer += int($work(frame, number + 2.0, 3.0, mask, room).max())
    print(answer)


main()
";
    let (size, frames) = (words.between(4_600_000, 5_400_000), words.between(11, 14));
    let values = &[("work", &work as _), ("size", &size as _), ("frames", &frames as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}

fn algebra(words: &mut Words) -> Twins {
    let (work, round) = (words.function(), words.function());
    let template = r#"
import multiprocessing
import os

cores = len(os.sched_getaffinity(0))
os.environ["OPENBLAS_NUM_THREADS"] = str($body)

import numpy as np
$surroundings


def $round(matrix):
    return matrix @ matrix % 17


def $work(part):
    matrix = (np.arange($size * $size, dtype=np.float64).reshape($size, $size) + part) % 13
    for _ in range($rounds // cores):
        matrix = $round(matrix)
    return int(matrix.sum())


def main():
    answer = $around
    with multiprocessing.Pool(cores) as pool:
        answer += sum(pool.map($work, range(cores), chunksize=1))
    print(answer)


if __name__ == "__main__":
    main()
"#;
    let (size, rounds) = (words.between(380, 420), words.between(50, 60));
    let values =
        &[("work", &work as _), ("round", &round as _), ("size", &size as _), ("rounds", &rounds as _)];
    program(words, template, ("cores", "1"), None, values)
}
