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


def test_nothing_recorded_is_nothing_to_change():
    assert calor.get_recommendations() == []
