"""What was cleared, and what was done while profiling was off, is no part of what is told."""

import re
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


def test_what_could_not_be_judged_is_told():
    with calor.profiling(numpy=False):
        with calor.scope("work"):
            pass
    assert "had not enough data to judge" in calor.profile_report()
