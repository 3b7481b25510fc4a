"""Objects that know where they were made. The words say which; what is printed is how large an empty one is."""

import os
import sys
import threading


def make(count):
    made = [None] * count
    for index in range(count):
        made[index] = bytes(1000)
    return made


def churn(count):
    for _ in range(count):
        bytes(2000)


def at_the_bottom():
    return bytes(1500)


def descend(depth):
    return descend(depth - 1) if depth else at_the_bottom()


def made_by_a_generator(count):
    for _ in range(count):
        yield bytes(3000)


def generated(number):
    """A function of its own file, whose code is gone afterwards, and what it left."""
    space = {}
    exec(compile(f"def made_{number}():\n\n    return bytes({number})\n", f"generated-{number}.py", "exec"), space)
    return space[f"made_{number}"]()


def in_a_thread(kept):
    made = bytes(4000)
    kept.append(made)


def threads():
    kept = []
    running = [threading.Thread(target=in_a_thread, args=(kept,)) for _ in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return kept


class Holder:
    __slots__ = ("held",)

    def __init__(self):
        self.held = bytes(6000)


def hold(count):
    """A class that is called often: since 3.13 the interpreter runs code of its own around `__init__` then."""
    return [Holder() for _ in range(count)]


def arrays():
    import numpy

    return numpy.ones((1000, 1000)), (numpy.arange(500_000, dtype=numpy.float64) * 2.0)


KINDS = {
    "plain": lambda: (churn(500), make(300)),
    "deep": lambda: descend(700),
    "generators": lambda: list(made_by_a_generator(200)),
    "generated": lambda: [generated(10_000 + number) for number in range(200)],
    "threads": threads,
    "classes": lambda: hold(500),
    "arrays": arrays,
}

if __name__ == "__main__":
    sys.setrecursionlimit(5000)
    kept = [KINDS[kind]() for kind in sys.argv[1:]]
    print(sys.getsizeof(bytes(0)))
    sys.stdout.flush()
    # Nothing is freed that was kept.
    os._exit(0)
