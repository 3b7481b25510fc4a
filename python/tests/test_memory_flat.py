"""What stays behind: nothing of turning profiling on and off, and little of many operations."""

import subprocess
import sys
import textwrap

import pytest


def told(program):
    """What a program of its own prints, as numbers: memory of this one is that of all tests before."""
    pytest.importorskip("numpy", reason="NumPy is not installed")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


RESIDENT = """
        def resident():
            with open("/proc/self/status") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
"""


@pytest.mark.parametrize(
    ("options", "hooks"),
    [("torch=False", "on"), ("torch=False", "off"), ("numpy=False, torch=False, functions='trace'", "on")],
)
def test_turning_profiling_on_and_off_keeps_no_objects(options, hooks):
    program = f"""
        import gc, os, sys, calor, numpy
        os.environ["CALOR_NUMPY_HOOKS"] = "{hooks}"
        a = numpy.ones(10)

        def cycles(n):
            for _ in range(n):
                calor.enable_profiling({options})
                a + a
                calor.disable_profiling()
            gc.collect()
            return sys.getallocatedblocks()

        before = cycles(60)
        print(cycles(60) - before)
        """
    (grown,) = told(program)
    # Tables of the interpreter and of NumPy grow by a few.
    assert grown < 10 * 60, grown


def test_parts_of_numpy_are_imported_where_its_functions_are_replaced():
    program = """
        import os
        os.environ["CALOR_NUMPY_HOOKS"] = "off"
        import calor, numpy
        words = numpy.arange.__doc__
        calor.enable_profiling(torch=False)
        import numpy.ma
        assert numpy.arange.__doc__ == words
        print(len(numpy.ma.arange(3)))
        """
    assert told(program) == [3]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is asked of Linux")
def test_memory_of_many_operations_is_that_of_their_rows():
    program = f"""
        import os, tempfile, calor, numpy
        from calor import _calor
        {RESIDENT}
        a = numpy.ones(10)

        def work(n):
            for _ in range(n):
                a + a
                a.copy()
                a[1:]
                numpy.maximum(a, 0.5)

        work(1000)
        calor.enable_profiling(torch=False)
        work(1000)
        before = resident()
        work(50_000)
        grown = resident() - before
        calor.disable_profiling()
        calls = sum(row["calls"] for row in _calor.operation_rows())
        file = os.path.join(tempfile.mkdtemp(), "many.calor")
        calor.export(file)
        print(grown, calls, os.path.getsize(file))
        """
    grown, calls, size = told(program)
    assert calls == 4 * 51_000
    assert grown < 512, "KiB, of a table and rows that were there before"
    assert size < 100_000
