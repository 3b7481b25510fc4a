"""Pairs of functions that do the same, one of them with something wrong with it."""

import numpy


def arguments(shape, dtype):
    numbers = numpy.random.default_rng(7)
    return tuple((numbers.random(shape) * 100).astype(dtype) for _ in range(2))


def add_in_a_loop(a, b):
    out = numpy.empty_like(a)
    for at in range(len(a)):
        out[at] = a[at] + b[at]
    return out


def add_rows(a, b):
    out = numpy.empty_like(a)
    for row in range(a.shape[0]):
        numpy.add(a[row], b[row], out=out[row])
    return out


def add_columns(a, b):
    out = numpy.empty_like(a)
    for column in range(a.shape[1]):
        numpy.add(a[:, column], b[:, column], out=out[:, column])
    return out


BUFFERS = {}


def scaled_in_place(a, b):
    out = BUFFERS.setdefault(a.shape, numpy.empty_like(a))
    numpy.multiply(a, 2, out=out)
    numpy.add(out, b, out=out)
    return out


def scaled_by_temporaries(a, b):
    return (a * 2).copy() + b
