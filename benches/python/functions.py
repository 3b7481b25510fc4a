"""What tracing each call of a Python function costs: Calor and its peers on one call-heavy program, in one process.

The program is `fib` and three tiny functions that call one another: nothing but calls, the worst there is. All tools take
turns in every round, so that a busy machine slows all of them; figures are CPU time of the thread for one call. Peers that
are not installed are left out.

    python functions.py [--rounds 40] [--json]

Calor has to be importable. `calor-eval` needs a recursion limit that the interpreter can hold on the machine's stack, so the
limit is lowered here; the program needs twenty calls.
"""

import argparse
import gc
import importlib
import json
import sys
import time

import calor

RECURSION_LIMIT = 600
FIB, CHAINS = 19, 12_000
N_CALLS = 13_529 + 3 * CHAINS


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def innermost(n):
    return n


def middle(n):
    return innermost(n) + 1


def outermost(n):
    return middle(n) + 1


def work():
    fib(FIB)
    for n in range(CHAINS):
        outermost(n)


class Bare:
    name = "bare"

    def start(self):
        pass

    def stop(self):
        pass


class Calor:
    def __init__(self, mode):
        self.mode, self.name = mode, f"calor-{mode}"

    def start(self):
        calor.enable_profiling(functions=self.mode, numpy=False, torch=False)

    def stop(self):
        calor.disable_profiling()
        calor.clear_profile()


class CProfile:
    name = "cProfile"

    def __init__(self):
        self.module = importlib.import_module("cProfile")

    def start(self):
        self.profiler = self.module.Profile()
        self.profiler.enable()

    def stop(self):
        self.profiler.disable()


class VizTracer:
    name = "VizTracer"

    def __init__(self):
        self.tracer = importlib.import_module("viztracer").VizTracer(verbose=0, tracer_entries=1_000_000)

    def start(self):
        self.tracer.start()

    def stop(self):
        self.tracer.stop()
        self.tracer.clear()


class Yappi:
    def __init__(self, clock):
        self.module, self.clock, self.name = importlib.import_module("yappi"), clock, f"yappi-{clock}"

    def start(self):
        self.module.set_clock_type(self.clock)
        self.module.start()

    def stop(self):
        self.module.stop()
        self.module.clear_stats()


class Pyinstrument:
    name = "pyinstrument"

    def __init__(self):
        self.module = importlib.import_module("pyinstrument")

    def start(self):
        self.profiler = self.module.Profiler()
        self.profiler.start()

    def stop(self):
        self.profiler.stop()


def tools():
    makers = [
        Bare,
        lambda: Calor("trace"),
        lambda: Calor("eval"),
        lambda: Calor("sample"),
        CProfile,
        VizTracer,
        Pyinstrument,
        lambda: Yappi("wall"),
        lambda: Yappi("cpu"),
    ]
    for make in makers:
        try:
            yield make()
        except ImportError as missing:
            print(f"left out: {missing}", file=sys.stderr)


def measure(tool):
    tool.start()
    try:
        begin = time.thread_time_ns()
        work()
        return (time.thread_time_ns() - begin) / N_CALLS
    finally:
        tool.stop()


def at(values, share):
    return sorted(values)[int(len(values) * share)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json", action="store_true", help="one object for each tool instead of a table")
    arguments = parser.parse_args()
    sys.setrecursionlimit(RECURSION_LIMIT)
    gc.disable()
    found = list(tools())
    figures = {tool.name: [] for tool in found}
    for tool in found:
        measure(tool)
    for _ in range(arguments.rounds):
        for tool in found:
            figures[tool.name].append(measure(tool))
    version = sys.version.split()[0]
    rows = []
    for name, values in figures.items():
        ratios = [own / bare for own, bare in zip(values, figures["bare"])]
        added = [own - bare for own, bare in zip(values, figures["bare"])]
        rows.append(
            {
                "part": "functions",
                "python": version,
                "tool": name,
                "ns_per_call_p10": round(at(values, 0.1), 1),
                "ns_per_call_median": round(at(values, 0.5), 1),
                "added_ns_median": round(at(added, 0.5), 1),
                "slowdown_median": round(at(ratios, 0.5), 2),
                "rounds": len(values),
            }
        )
    if arguments.json:
        for row in rows:
            print(json.dumps(row))
        return
    print(f"Python {version}, {len(figures['bare'])} rounds of {N_CALLS:,} calls\n")
    print("| tool | ns a call, p10 | median | added, ns | slowdown |\n|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['tool']} | {row['ns_per_call_p10']:.1f} | {row['ns_per_call_median']:.1f} "
            f"| {row['added_ns_median']:+.1f} | x{row['slowdown_median']:.2f} |"
        )
    for code, message in calor._calor.warnings():
        if code.startswith("functions"):
            print(f"\n{message}")


if __name__ == "__main__":
    main()
