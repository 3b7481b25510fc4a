"""The Python program whose heap is profiled: numpy layers with a new array for each result, records of small objects for
every step, and a large array now and then. The line it prints tells what the steps cost, without the imports.

Its argument is the number of steps. The program runs on one thread: OPENBLAS_NUM_THREADS is 1.
"""

import sys
import time

import numpy

WIDTH = 256
N_LAYERS = 6
N_RECORDS = 300
# 20 MB of it, in every twentieth step.
N_LARGE = 2_500_000


def layer(state, weights):
    return numpy.maximum(state @ weights, 0.0) * 0.5 + state * 0.5


def records(step):
    made = []
    for number in range(N_RECORDS):
        made.append({"name": f"item-{step}-{number}", "size": number * 3, "tags": [step, number]})
    return made


def large(step):
    values = numpy.full(N_LARGE, step, dtype=numpy.float64)
    return float((values * 2.0)[::1000].sum())


def steps(n_steps):
    random = numpy.random.default_rng(0)
    weights = [random.standard_normal((WIDTH, WIDTH)) * 0.05 for _ in range(N_LAYERS)]
    state = random.standard_normal((64, WIDTH))
    kept, check = [], 0.0
    for step in range(n_steps):
        for layer_weights in weights:
            state = layer(state, layer_weights)
        kept.append(records(step))
        if len(kept) > 50:
            kept = kept[25:]
        if step % 20 == 0:
            check += large(step)
    return check + sum(len(made) for made in kept)


def status_bytes(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name)) * 1024


before = status_bytes("VmRSS:")
begin, begin_cpu = time.monotonic(), time.process_time()
check = steps(int(sys.argv[1]))
truth = {
    "part_cpu_s": time.process_time() - begin_cpu,
    "part_wall_s": time.monotonic() - begin,
    "grown_bytes": status_bytes("VmRSS:") - before,
    "peak_bytes": status_bytes("VmHWM:"),
    "check": check,
    "end_ns": time.monotonic_ns(),
}
print("truth " + " ".join(f"{name}={value!r}" for name, value in truth.items()), flush=True)
