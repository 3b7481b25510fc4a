"""Recommendations from what was recorded: the rules of the command, in flat dicts."""

import calor
import pytest
from recorded import recording


@pytest.fixture(autouse=True)
def fresh():
    with recording():
        yield


def test_many_small_operations_are_found_with_their_gain():
    labels = {"op": "numpy", "shape": "10,10", "dtype": "float64,float64->float64", "contiguous": "true"}
    with calor.ProfileContext("loop"):
        for _ in range(30_000):
            with calor.scope("add", **labels) as scope:
                scope.elements(10)
                scope.bytes(240)
                scope.flops(10)
    found = calor.get_recommendations()
    assert found, calor.profile_report()
    first = found[0]
    assert first["priority"] in ("HIGH", "MEDIUM", "LOW") and first["rule"] and first["title"]
    low, high = first["gain"]
    assert 1.0 <= low <= high and "x" in first["estimated_speedup"]
    assert first["evidence"] and {"metric", "value"} <= set(first["evidence"][0])
    assert set(first["location"]) == {"file", "line", "function"}
    assert first["location"]["file"] == __file__
    assert first["description"] and first["code_example"]
    assert calor.get_recommendations(context="loop")


def test_nothing_recorded_is_nothing_to_change():
    assert calor.get_recommendations() == []
