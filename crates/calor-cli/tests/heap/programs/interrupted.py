"""Python whose frames come and go while a handler of a signal, from the library that is named, maps memory."""

import ctypes
import sys


class Thing:
    def __init__(self, value):
        self.value = value


def generated(count):
    for number in range(count):
        yield number


def descend(depth):
    return depth if depth <= 0 else descend(depth - 1)


ctypes.CDLL(sys.argv[1]).start()
total = 0
for turn in range(20_000):
    descend(30)
    total += sum(generated(20)) + Thing(1).value + sorted(range(9), key=lambda number: -number)[0]
print(total)
