"""What was cleared, and what was done while profiling was off, is no part of what is told."""

import re
import subprocess
import sys
import threading
import time

import calor
import pytest

numpy = pytest.importorskip("numpy")


@pytest.fixture(autouse=True)
def off_before_and_after():
    calor.disable_profiling()
    calor.clear_profile()
    yield
    calor.disable_profiling()
    calor.clear_profile()


def repeated(matrix):
    total = 0.0
    for i in range(60):
        total += numpy.linalg.inv(matrix).sum() + i
    return total


def rules():
    return {told["rule"] for told in calor.get_recommendations()}


MATRIX = numpy.random.default_rng(0).normal(size=(200, 200)) + 200 * numpy.eye(200)


def test_a_run_ends_with_profiling():
    with calor.profiling():
        repeated(MATRIX)
    first = calor.get_recommendations()
    assert first and first[0]["rule"] == "ARRAY-REPEATED-COMPUTATION", first
    end = time.process_time() + 1.0
    while time.process_time() < end:
        pass
    assert calor.get_recommendations()[0]["estimated_speedup"] == first[0]["estimated_speedup"]


def test_time_between_two_parts_of_a_run_does_not_count(tmp_path):
    for pause in (0.5, 0.0):
        with calor.profiling():
            with calor.scope("work"):
                time.sleep(0.02)
        time.sleep(pause)
    path = tmp_path / "run.html"
    calor.export(path)
    assert calor.profile_report(format="json")["work"]["count"] == 2
    # The page's summary has the wall time of the run.
    (wall,) = re.findall(r"<dt>wall time</dt><dd>([0-9.]+) (ms|s)</dd>", path.read_text())
    assert wall[1] == "ms" and float(wall[0]) < 450, wall


def test_the_same_work_is_told_again_after_it_was_cleared():
    for _ in range(3):
        calor.clear_profile()
        with calor.profiling():
            repeated(MATRIX)
        assert "ARRAY-REPEATED-COMPUTATION" in rules()


def test_shapes_that_were_met_before_a_clear_do_not_count():
    def line(array):
        return array + array

    with calor.profiling():
        for n in range(1, 60):
            line(numpy.ones(n * 100 + 1))
    assert "numpy_shapes_rounded" in {warning["code"] for warning in calor.profile_report(format="json")["warnings"]}
    calor.clear_profile()
    with calor.profiling():
        array = numpy.ones(12345)
        for _ in range(5):
            line(array)
    report = calor.profile_report(format="json")
    added = [row for row in report["operations"] if row["operation"] == "add"]
    assert [(row["shapes"], row["count"]) for row in added] == [([[12345], [12345]], 5)]
    assert "numpy_shapes_rounded" not in {warning["code"] for warning in report["warnings"]}


def warnings():
    return {warning["code"]: warning["count"] for warning in calor.profile_report(format="json")["warnings"]}


def test_rows_for_several_shapes_that_another_thread_goes_on_with_are_told():
    begun, cleared = threading.Event(), threading.Event()

    def work():
        for turn in range(2):
            for n in range(1, 60):
                numpy.ones(n * 100 + 1) + 1
            begun.set()
            assert turn == 1 or cleared.wait(60)

    thread = threading.Thread(target=work)
    with calor.profiling():
        thread.start()
        assert begun.wait(60)
        assert warnings()["numpy_shapes_rounded"] > 0
        calor.clear_profile()
        cleared.set()
        thread.join()
    assert warnings()["numpy_shapes_rounded"] > 0


FULL = r"""
import calor, numpy
from calor import _calor

def line(array):
    return array + array

def added():
    rows = [row for row in _calor.operation_rows() if row["path"][-1] == "add" and row["calls"]]
    codes = {warning["code"]: warning["count"] for warning in calor.profile_report(format="json")["warnings"]}
    return rows, codes.get("numpy_shapes_rounded"), codes.get("numpy_lines_over_limit")

array, other = numpy.ones(3), numpy.ones(4)
with calor.profiling():
    line(array)
    exec(compile("array + array\n" * 2100, "many.py", "exec"))
for _ in range(3):
    calor.clear_profile()
    with calor.profiling():
        line(array)
        line(other)
    rows, n_shapes, n_lines = added()
    assert {row["line"] for row in rows} == {line.__code__.co_firstlineno + 1}, rows
    assert {row["labels"].get("shapes") for row in rows} == {None, "various"} and (n_shapes, n_lines) == (1, None), rows
    calor.clear_profile()
    with calor.profiling():
        exec(compile("\n" * 5000 + "array + array\n", "more.py", "exec"))
    rows, n_shapes, n_lines = added()
    assert sum(row["calls"] for row in rows) == 1 and (n_shapes, n_lines) == (None, 1), rows
"""


def test_lines_keep_their_rows_when_all_was_cleared_and_there_is_no_room():
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


CLEARED_INSIDE = r"""
import gc
import calor, numpy

class Cycle:
    def __init__(self):
        self.own = self

    def __del__(self):
        calor.clear_profile()

array = numpy.ones(3)
with calor.profiling():
    gc.set_threshold(1)
    for n in range(300):
        Cycle()
        exec(compile("\n" * n + "array + array", "many.py", "exec"))
"""


def test_what_is_collected_while_an_operation_is_new_may_clear():
    done = subprocess.run([sys.executable, "-c", CLEARED_INSIDE], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_what_could_not_be_judged_is_told():
    with calor.profiling(numpy=False):
        with calor.scope("work"):
            pass
    assert "had not enough data to judge" in calor.profile_report()
