"""A program to watch live: one thread counts in the interpreter, another multiplies in numpy's compiled code, until it is
ended. Its argument is not used."""

import threading

import numpy


def count():
    counts = {}
    i = 0
    while True:
        key = (i * 7919) % 1009
        counts[key] = counts.get(key, 0) + 1
        i += 1


def multiply():
    matrix = numpy.random.default_rng(0).random((192, 192))
    while True:
        matrix @ matrix


threading.Thread(target=multiply, daemon=True).start()
print("ready", flush=True)
count()
