"""A recorder that begins empty and is left off, and work that looks like that of NumPy."""

import contextlib

import calor

MATMUL = {"op": "numpy", "shape": "512x512,512x512", "dtype": "float32,float32->float32"}


@contextlib.contextmanager
def recording():
    calor.disable_profiling()
    calor.clear_profile()
    calor.enable_profiling(numpy=False, torch=False)
    try:
        yield
    finally:
        calor.disable_profiling()
        calor.clear_profile()


def matmul(calls=3):
    for _ in range(calls):
        with calor.scope("matmul", **MATMUL) as scope:
            scope.flops(2 * 512**3)
            scope.bytes(3 * 512 * 512 * 4)
            scope.backend("blas")
            sum(range(2_000))
