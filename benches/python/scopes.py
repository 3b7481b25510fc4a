"""What one scope costs: Calor and its peers, in one process.

Each way is timed over batches of the same loop. All of them take turns in every round, so that a busy machine slows all of
them; the loop alone is taken off. Peers that are not installed are left out.

    python scopes.py [--rounds 60]

Calor has to be importable.
"""

import argparse
import contextlib
import functools
import gc
import importlib
import sys
import time

import calor

BATCH = 2_000
#: Of those that take microseconds.
SLOW_BATCH = 200


def loop(n):
    for _ in range(n):
        pass


def reused(manager):
    def run(n):
        for _ in range(n):
            with manager:
                pass

    return run


def fresh(make):
    def run(n):
        for _ in range(n):
            with make("x"):
                pass

    return run


def called(function):
    def run(n):
        for _ in range(n):
            function()

    return run


def nothing():
    pass


class Plain:
    """A context manager as it is usually written by hand."""

    total = count = 0

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.begin = time.perf_counter_ns()
        return self

    def __exit__(self, *_):
        Plain.total += time.perf_counter_ns() - self.begin
        Plain.count += 1


@contextlib.contextmanager
def generator(name):
    begin = time.perf_counter_ns()
    try:
        yield
    finally:
        Plain.total += time.perf_counter_ns() - begin


def by_hand(function):
    @functools.wraps(function)
    def timed(*args, **kwargs):
        begin = time.perf_counter_ns()
        try:
            return function(*args, **kwargs)
        finally:
            Plain.total += time.perf_counter_ns() - begin

    return timed


def calor_ways():
    kept = calor.scope("x")
    yield "calor, `with` of a kept scope", reused(kept), BATCH
    yield "calor, `with calor.scope(\"x\")`", fresh(calor.scope), BATCH

    def labelled(n):
        for _ in range(n):
            with calor.scope("x", codec="zstd"):
                pass

    yield "calor, with a label", labelled, BATCH

    def told(n):
        for _ in range(n):
            with kept as scope:
                scope.bytes(4096)

    yield "calor, and bytes told", told, BATCH


def peers():
    yield "nullcontext, which does nothing", reused(contextlib.nullcontext()), BATCH
    yield "a class by hand, in Python", fresh(Plain), BATCH
    yield "`@contextmanager`, in Python", fresh(generator), BATCH

    def nvtx():
        module = importlib.import_module("nvtx")
        return "nvtx.annotate, no tool attached", fresh(module.annotate), BATCH

    def viztracer():
        tracer = importlib.import_module("viztracer").VizTracer(verbose=0, log_sparse=True)
        tracer.start()
        tracer.pause()
        return "VizTracer log_event", fresh(tracer.log_event), BATCH

    def opentelemetry():
        sdk = importlib.import_module("opentelemetry.sdk.trace")
        tracer = sdk.TracerProvider().get_tracer("bench")
        return "OpenTelemetry span, no exporter", fresh(tracer.start_as_current_span), SLOW_BATCH

    for make in (nvtx, viztracer, opentelemetry):
        try:
            yield make()
        except ImportError as missing:
            print(f"left out: {missing}", file=sys.stderr)


def functions():
    yield "the function alone", called(nothing), BATCH
    yield "calor, `@calor.profile`", called(calor.profile(nothing)), BATCH
    yield "a decorator by hand, in Python", called(by_hand(nothing)), BATCH


def measure(run, n):
    begin = time.thread_time_ns()
    run(n)
    return (time.thread_time_ns() - begin) / n


def at(values, share):
    return sorted(values)[int(len(values) * share)]


def table(title, rows):
    print(f"| {title} | p10, ns | median, ns |\n|---|---:|---:|")
    for name, p10, median in rows:
        print(f"| {name} | {p10:.0f} | {median:.0f} |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    gc.disable()
    calor.disable_profiling()
    scopes = [("the loop", loop, BATCH), *calor_ways(), *peers()]
    off = [(f"{name}, off", run, n) for name, run, n in calor_ways()]
    calls = list(functions())
    calls_off = [("calor, `@calor.profile`, off", called(calor.profile(nothing)), BATCH)]
    figures = {}

    def take(ways):
        for name, run, n in ways:
            figures.setdefault(name, []).append(measure(run, n))

    for at_round in range(rounds + 1):
        calor.enable_profiling(numpy=False, torch=False)
        take(scopes + calls)
        calor.disable_profiling()
        take(off + calls_off)
        calor.clear_profile()
        if at_round == 0:
            # The first round makes what the others find.
            figures.clear()

    def row(name, base):
        return name, *(at(figures[name], share) - at(figures[base], share) for share in (0.1, 0.5))

    table("a scope, without the loop", [row(name, "the loop") for name, _, _ in scopes[1:] + off])
    table(
        "a call, without the loop",
        [row(name, "the loop") for name, _, _ in calls + calls_off],
    )
    added = row("calor, `@calor.profile`", "the function alone")
    print(f"A decorated call takes {added[1]:.0f} ns (p10) more than a plain one; {rounds} rounds of {BATCH:,}.")


if __name__ == "__main__":
    main()
