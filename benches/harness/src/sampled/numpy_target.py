"""The Python program that is sampled: two stages in the interpreter and two in numpy's compiled code, with the CPU
time of each by the thread's own clock. The line it prints is the truth that samples are compared with.

Its argument is how many turns it takes. The program runs on one thread: OPENBLAS_NUM_THREADS is 1.
"""

import os
import sys
import time

import numpy


def stage_fib(n):
    return n if n < 2 else stage_fib(n - 1) + stage_fib(n - 2)


def stage_count(n):
    counts = {}
    for i in range(n):
        key = (i * 7919) % 1009
        counts[key] = counts.get(key, 0) + 1
    return counts


def stage_matmul(left, right):
    for _ in range(4):
        product = left @ right
    return product


def stage_sort(values):
    return numpy.sort(values)


def turns(n_turns):
    random = numpy.random.default_rng(0)
    left, right = random.random((192, 192)), random.random((192, 192))
    values = random.random(60_000)
    stages = [
        ("stage_fib", lambda: stage_fib(19)),
        ("stage_count", lambda: stage_count(8_000)),
        ("stage_matmul", lambda: stage_matmul(left, right)),
        ("stage_sort", lambda: stage_sort(values)),
    ]
    seconds = dict.fromkeys((name for name, _ in stages), 0.0)
    last = time.thread_time()
    for _ in range(n_turns):
        for name, stage in stages:
            stage()
            now = time.thread_time()
            seconds[name] += now - last
            last = now
    return seconds


def peak_megabytes():
    with open("/proc/self/status") as status:
        kibibytes = next(line.split()[1] for line in status if line.startswith("VmHWM:"))
    return int(kibibytes) * 1024 / 1e6


begin = time.monotonic()
truth = turns(int(sys.argv[1]))
truth["wall_s"] = time.monotonic() - begin
truth["peak_mb"] = peak_megabytes()
truth["cpu_s"] = time.process_time()
truth["end_ns"] = time.monotonic_ns()
print("truth " + " ".join(f"{name}={value!r}" for name, value in truth.items()), flush=True)
# Without the interpreter's own end, which would count as time that the tool takes.
os._exit(0)
