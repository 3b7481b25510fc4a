"""How large a profile of many operations is, and how long its report takes.

Operations of NumPy are recorded from lines that differ and on arrays of several shapes, so that the profile has as many rows
as a large program's. Then every page is made some times.

    python report.py [--rounds 9] [--operations 10000000]

Calor and NumPy have to be importable.
"""

import argparse
import os
import resource
import tempfile
import time

import calor

#: Lines that operate, and shapes that each of them sees.
LINES, SHAPES = 200, 5
OPERATIONS = ("a + a", "a * a", "a - a", "a.sum()", "a.copy()")
GOAL_SECONDS = 1.0


def program():
    """Functions of five operations each, every one at a line of its own."""
    parts = []
    for at in range(LINES // len(OPERATIONS)):
        body = "\n".join(f"        {operation}" for operation in OPERATIONS)
        parts.append(f"def work_{at}(a, n):\n    for _ in range(n):\n{body}\n")
    names = {}
    exec(compile("\n".join(parts), "many_lines.py", "exec"), names)
    return [names[f"work_{at}"] for at in range(LINES // len(OPERATIONS))]


def record(n_operations):
    import numpy

    arrays = [numpy.ones(4 + shape) for shape in range(SHAPES)]
    functions = program()
    each = max(1, n_operations // (LINES * SHAPES))
    for function in functions:
        for array in arrays:
            function(array, 1)
    calor.enable_profiling()
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for function in functions:
        with calor.ProfileContext(function.__name__):
            for array in arrays:
                function(array, each)
    seconds = time.perf_counter() - begun
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    calor.disable_profiling()
    return seconds, grown * 1024


def timed(run, rounds):
    took = []
    for _ in range(rounds):
        begun = time.perf_counter()
        run()
        took.append(time.perf_counter() - begun)
    took.sort()
    return took[len(took) // 10], took[len(took) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--operations", type=int, default=10_000_000)
    arguments = parser.parse_args()
    calor.clear_profile()
    seconds, grown = record(arguments.operations)
    told = calor.profile_report("json")
    recorded = sum(row["count"] for row in told["operations"])
    file = os.path.join(tempfile.mkdtemp(), "run.calor")
    calor.export(file)
    print(f"{recorded:,} operations in {len(told['operations']):,} rows, recorded in {seconds:.1f} s.\n")
    print("| size | bytes |\n|---|---:|")
    print(f"| the profile as a `.calor` file | {os.path.getsize(file):,} |")
    print(f"| memory of the process while it was recorded, more than before | {grown:,} |\n")
    print("| page | p10, ms | median, ms |\n|---|---:|---:|")
    ways = [(f"`profile_report({name!r})`", lambda name=name: calor.profile_report(name)) for name in ("text", "json", "html", "csv")]
    ways += [("`get_recommendations()`", calor.get_recommendations), ("`snapshot()` alone", calor.snapshot)]
    slowest = 0.0
    for name, run in ways:
        low, median = timed(run, arguments.rounds)
        slowest = max(slowest, median)
        print(f"| {name} | {low * 1e3:.1f} | {median * 1e3:.1f} |")
    verdict = "met" if slowest < GOAL_SECONDS else "missed"
    print(f"\nThe goal, every page in less than {GOAL_SECONDS:.0f} s, is {verdict}.")


if __name__ == "__main__":
    main()
