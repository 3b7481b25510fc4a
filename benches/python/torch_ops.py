"""What recording operations of PyTorch costs: Calor and PyTorch's own profiler, in one process.

A small transformer is run forward, by training layers, so that operations are many and short. All ways take turns in
every round, so that a busy machine slows all of them; the time is that of the thread on its processor.

    python torch_ops.py [--rounds 30] [--runs 20]

Calor has to be importable, and PyTorch.
"""

import argparse
import contextlib
import sys
import time

import calor

try:
    import torch
except ImportError:
    sys.exit("PyTorch is not installed: pip install torch")


def model(width, layers, length):
    """A transformer that is run forward, as in training."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True)
    encoder = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
    given = torch.randn(1, length, width)
    return lambda: encoder(given)


def by_calor(**options):
    return lambda: calor.profiling(numpy=False, **options)


def by_torch(**options):
    cpu = [torch.profiler.ProfilerActivity.CPU]
    return lambda: torch.profiler.profile(activities=cpu, **options)


WAYS = {
    "nothing recorded": contextlib.nullcontext,
    "calor, names": by_calor(torch="names"),
    "calor, names and shapes, the default": by_calor(torch=True),
    "calor, names, shapes and modules": by_calor(torch="modules"),
    "torch.profiler, names": by_torch(),
    "torch.profiler, names and shapes": by_torch(record_shapes=True),
}


def timed(way, run, n):
    """Microseconds of a run."""
    with way():
        run()
        start = time.thread_time_ns()
        for _ in range(n):
            run()
        nanos = time.thread_time_ns() - start
    return nanos / n / 1000


def operations(run):
    """How many operations PyTorch tells of in a run."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        run()
    return len(profile.events())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--runs", type=int, default=20)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    run = model(32, 2, 8)
    for way in WAYS.values():
        timed(way, run, 1)
    found = {name: [] for name in WAYS}
    for _ in range(arguments.rounds):
        for name, way in WAYS.items():
            found[name].append(timed(way, run, arguments.runs))
        calor.clear_profile()
    print(f"PyTorch {torch.__version__}, {operations(run)} operations a run, {arguments.rounds} rounds.\n")
    print("| recorded | p10, µs | median, µs | slowdown, p10 | median |\n|---|---:|---:|---:|---:|")
    plain = sorted(found["nothing recorded"])
    tenth, middle = len(plain) // 10, len(plain) // 2
    for name, micros in found.items():
        micros.sort()
        low, median = micros[tenth], micros[middle]
        slower = low / plain[tenth], median / plain[middle]
        print(f"| {name} | {low:.1f} | {median:.1f} | x{slower[0]:.2f} | x{slower[1]:.2f} |")


if __name__ == "__main__":
    main()
