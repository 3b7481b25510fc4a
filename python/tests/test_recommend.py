"""Recommendations from what was recorded: the rules of the command, in flat dicts."""

import calor
import pytest
from recorded import recording


@pytest.fixture(autouse=True)
def fresh():
    with recording():
        yield


def test_many_small_operations_are_found_with_their_gain():
    numpy = pytest.importorskip("numpy")
    a, b = numpy.ones(10), numpy.ones(10)
    # Real operations: what one of them takes is NumPy's own time, however slow the build is that looks on.
    calor.enable_profiling(torch=False)
    with calor.ProfileContext("loop"):
        for _ in range(30_000):
            a + b
    found = calor.get_recommendations()
    assert found, calor.profile_report()
    first = next(one for one in found if one["rule"] == "ARRAY-SMALL-OPERATIONS")
    assert first["priority"] in ("HIGH", "MEDIUM", "LOW") and first["rule"] and first["title"]
    low, high = first["gain"]
    assert 1.0 <= low <= high and "x" in first["estimated_speedup"]
    assert first["evidence"] and {"metric", "value"} <= set(first["evidence"][0])
    assert set(first["location"]) == {"file", "line", "function"}
    assert first["location"]["file"] == __file__
    assert first["description"] and first["code_example"]
    assert calor.get_recommendations(context="loop")


def test_a_loop_over_an_array_takes_its_numbers_one_by_one():
    numpy = pytest.importorskip("numpy")
    a = numpy.ones(200_000)
    calor.enable_profiling(torch=False)

    def total():
        result = 0.0
        for value in a:
            result += value * value
        return result

    total()
    [found] = [one for one in calor.get_recommendations() if one["rule"] == "ARRAY-SCALAR-INDEXING"]
    assert "200000 numbers of arrays one by one" in found["title"]


def grown(numpy):
    """Pieces joined one by one, each larger array out of the last."""
    out, piece = numpy.zeros(0), numpy.ones(2_000)
    for _ in range(400):
        out = numpy.concatenate([out, piece])


def batches(numpy):
    """Pieces of one shape, joined for each batch, and of many that do not follow each other."""
    pieces = [numpy.ones(2_000) for _ in range(32)]
    for number in range(400):
        numpy.concatenate(pieces)
        numpy.append(numpy.ones(1_000 + number * 7_919 % 60_000), pieces[0])


@pytest.mark.parametrize(("work", "is_found"), [(grown, True), (batches, False)])
def test_an_array_that_grows_in_a_loop_is_found(work, is_found):
    numpy = pytest.importorskip("numpy")
    calor.enable_profiling(torch=False)
    work(numpy)
    rules = {one["rule"]: one for one in calor.get_recommendations()}
    assert ("ARRAY-GROWN-PIECEWISE" in rules) == is_found, calor.profile_report()
    if is_found:
        one = rules["ARRAY-GROWN-PIECEWISE"]
        assert one["location"]["function"].endswith("grown") and one["gain"][0] > 1, one


def test_nothing_recorded_is_nothing_to_change():
    assert calor.get_recommendations() == []
