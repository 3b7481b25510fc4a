"""What recording operations of NumPy costs: each operation without and with hooks, in turns, in one process.

Between two turns hooks are put in and taken out, so that a busy machine slows both. Then how much of what people write is
seen, and what memory ten million operations take.

    python numpy_ops.py [--rounds 60] [--operations 10000000]

Calor and NumPy have to be importable.
"""

import argparse
import gc
import os
import sys
import time

import calor
import numpy as np
from calor import _calor

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "tests"))
from numpy_expressions import EXPRESSIONS, names  # noqa: E402

#: Times a hundred that hooks are put in and taken out.
HUNDREDS = 4

OPERATIONS = [
    ("a + b, 10 elements", "a + b", 4000),
    ("np.add(a, b), 10 elements", "np.add(a, b)", 4000),
    ("a * 2.0, 10 elements", "a * 2.0", 4000),
    ("a + b, 1,000 elements", "A + B", 4000),
    ("a + b, 100,000 elements", "large + large", 1000),
    ("a + b, 100,000 elements, calls 5 to 45", "large + large", 40),
    ("np.add(a, b, out=c), 1,000,000 elements", "np.add(huge, huge, out=out)", 200),
    ("a.sum(), 10 elements", "a.sum()", 2000),
    ("a.mean(), 10 elements", "a.mean()", 1000),
    ("a.copy(), 10 elements", "a.copy()", 4000),
    ("np.dot(a, b), 10 elements", "np.dot(a, b)", 4000),
    ("m @ m, 32x32", "m @ m", 1000),
    ("np.zeros(10)", "np.zeros(10)", 4000),
    ("a[5]", "a[5]", 8000),
    ("a[1:9]", "a[1:9]", 4000),
    ("a[index], 5 of 10", "a[index]", 4000),
    ("softmax of 10 elements, 5 operations", "np.exp(a - a.max()) / np.exp(a - a.max()).sum()", 500),
]


def loops():
    made = {
        "np": np,
        "a": np.random.rand(10),
        "b": np.random.rand(10),
        "A": np.random.rand(1000),
        "B": np.random.rand(1000),
        "large": np.random.rand(100_000),
        "huge": np.random.rand(1_000_000),
        "out": np.empty(1_000_000),
        "m": np.random.rand(32, 32),
        "index": np.arange(0, 10, 2),
    }
    for name, expression, n in OPERATIONS:
        found = {}
        exec(f"def run(n):\n    for _ in range(n):\n        {expression}\n", made, found)
        yield name, found["run"], n


def measure(run, n):
    begin = time.thread_time_ns()
    run(n)
    return (time.thread_time_ns() - begin) / n


def at(values, share):
    return sorted(values)[int(len(values) * share)]


def costs(rounds):
    ways = list(loops())
    without, with_hooks = {}, {}
    for turn in range(rounds + 1):
        for name, run, n in ways:
            run(n // 10 + 1)
            without.setdefault(name, []).append(measure(run, n))
        calor.enable_profiling(torch=False)
        for name, run, n in ways:
            run(n // 10 + 1)
            with_hooks.setdefault(name, []).append(measure(run, n))
        calor.disable_profiling()
        if turn == 0:
            without.clear()
            with_hooks.clear()
    print("| operation | without, ns | added p10, ns | added median, ns | part |\n|---|---:|---:|---:|---:|")
    for name, _, _ in ways:
        base = at(without[name], 0.1)
        added = [at(with_hooks[name], share) - at(without[name], share) for share in (0.1, 0.5)]
        print(f"| {name} | {base:.0f} | {added[0]:+.0f} | {added[1]:+.0f} | {100 * added[0] / base:+.1f} % |")
    print()


def coverage():
    known, seen = names(), 0
    for name, expression in EXPRESSIONS:
        calor.clear_profile()
        calor.enable_profiling(torch=False)
        eval(compile(expression, "coverage.py", "eval"), dict(known))
        calor.disable_profiling()
        found = {row["name"] for row in _calor.operation_rows() if row["calls"]}
        seen += bool(found.intersection(name.split("|")))
    print(f"Seen by their name: {seen} of {len(EXPRESSIONS)} expressions ({100 * seen / len(EXPRESSIONS):.1f} %).\n")


def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def memory(many):
    a, b = np.random.rand(10), np.random.rand(10)

    def run(n):
        for _ in range(n // 10):
            a + b
            a - b
            a * b
            a / b
            -a
            np.maximum(a, b)
            a < b
            a.copy()
            a[1:]
            a.astype(np.float32)

    run(10_000)
    calor.clear_profile()
    before = resident()
    calor.enable_profiling(torch=False)
    run(many)
    calor.disable_profiling()
    grown = resident() - before
    print(f"{many:,} operations took {grown:,} KiB of memory.")
    grown = []
    for _ in range(HUNDREDS):
        before = resident()
        for _ in range(100):
            calor.enable_profiling(torch=False)
            run(100)
            calor.disable_profiling()
        # Trying the hooks shows arrays, and what NumPy makes for that has to be collected.
        gc.collect()
        grown.append(resident() - before)
    told = ", then ".join(f"{n:,}" for n in grown)
    print(f"Putting hooks in and taking them out 100 times took {told} KiB more.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--operations", type=int, default=10_000_000, help="of the run that shows what memory they take")
    arguments = parser.parse_args()
    gc.disable()
    print(f"NumPy {np.__version__}.\n")
    costs(arguments.rounds)
    coverage()
    memory(arguments.operations)


if __name__ == "__main__":
    main()
