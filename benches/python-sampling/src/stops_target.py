"""A program that notices when it is stopped. Of its hundred threads one at a time reads the clock without pause, while
the others wait for their turn. A reading that comes late is a stop. What the scheduler says the thread waited for a
processor meanwhile is taken off, so that a busy machine does not look like a profiler that holds the program.

Its argument is how many times each thread has its turn. The line it prints tells the longest stop, percentiles of all
that are longer than an interrupt of the system, and how much of the time they took.
"""

import gc
import os
import sys
import threading
import time

N_THREADS = 100
TURN_NS = 10_000_000
# Shorter than what a stop by a profiler takes, longer than reading the clock.
LEAST_NS = 10_000

stops = []
spun_ns = 0


def waited_ns():
    """How long this thread has waited for a processor since it began."""
    with open("/proc/thread-self/schedstat") as status:
        return int(status.read().split()[1])


def take_turn():
    global spun_ns
    clock = time.perf_counter_ns
    waited = waited_ns()
    last = begin = clock()
    end = begin + TURN_NS
    while last < end:
        now = clock()
        if now - last > LEAST_NS:
            before, waited = waited, waited_ns()
            stops.append((now - last, max(0, now - last - (waited - before))))
            now = clock()
        last = now
    spun_ns += last - begin


def run(n_turns, own, following):
    for _ in range(n_turns):
        own.acquire()
        take_turn()
        following.release()


def microseconds(values, share):
    return values[min(len(values) - 1, int(len(values) * share))] / 1e3 if values else 0.0


def main(n_turns):
    gc.disable()
    turns = [threading.Lock() for _ in range(N_THREADS)]
    for turn in turns:
        turn.acquire()
    threads = [
        threading.Thread(target=run, args=(n_turns, turns[i], turns[(i + 1) % N_THREADS]))
        for i in range(N_THREADS)
    ]
    for thread in threads:
        thread.start()
    turns[0].release()
    for thread in threads:
        thread.join()


main(int(sys.argv[1]))
late = sorted(gap for gap, _ in stops)
held = sorted(stop for _, stop in stops if stop > LEAST_NS)
truth = {
    "stops": len(held),
    "longest_us": microseconds(held, 1.0),
    "p999_us": microseconds(held, 0.999),
    "p99_us": microseconds(held, 0.99),
    "p50_us": microseconds(held, 0.5),
    "over_100": sum(stop > 100_000 for stop in held) / (spun_ns / 1e9),
    "held_pct": sum(held) / spun_ns * 100,
    "late_us": microseconds(late, 1.0),
    "cpu_s": time.process_time(),
    "end_ns": time.monotonic_ns(),
}
print("truth " + " ".join(f"{name}={value!r}" for name, value in truth.items()), flush=True)
os._exit(0)
