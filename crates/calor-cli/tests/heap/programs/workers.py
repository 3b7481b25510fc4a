"""Workers of a pool that allocate. The first word is how they are started."""

import multiprocessing
import sys


def work(count):
    return sum(len(bytes(count)) for _ in range(1000))


if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    with multiprocessing.Pool(2) as pool:
        print(sum(pool.map(work, [700, 800, 900])))
        pool.close()
        pool.join()
