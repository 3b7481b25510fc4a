# A Python program of which it is known where it runs: it says so itself.
import sys
import threading
import time


def key_of(number):
    return -number


def sort_by_key(count):
    return sorted(range(count), key=key_of)


def squares(count):
    for number in range(count):
        yield number * number


def add_squares(count):
    return sum(squares(count))


def deep(level, count):
    return deep(level - 1, count) if level else count_up(count)


def count_up(count):
    total = 0
    for number in range(count):
        total += number
    return total


class Model:
    def __call__(self, count):
        return self.forward(count)

    def forward(self, count):
        return sum(map(self.step, range(count)))

    def step(self, number):
        return number + 1


KINDS = {
    "sort_by_key": lambda: sort_by_key(2000),
    "add_squares": lambda: add_squares(3000),
    "count_up": lambda: deep(30, 20000),
    "Model": lambda: Model()(3000),
}


def work(seconds):
    spent = dict.fromkeys(KINDS, 0.0)
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for name, run in KINDS.items():
            before = time.thread_time()
            run()
            spent[name] += time.thread_time() - before
    return spent


def main(what, seconds):
    if what == "work":
        spent = work(seconds)
        print("shares", *(f"{name}={part / sum(spent.values()):.4f}" for name, part in spent.items()))
    elif what == "threads":
        threads = [threading.Thread(target=work, args=(seconds,), name=f"worker-{n}") for n in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    elif what == "processes":
        import multiprocessing
        with multiprocessing.Pool(2) as pool:
            pool.map(work, [seconds] * 2)
    elif what == "ready":
        print("ready", flush=True)
        work(seconds)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
