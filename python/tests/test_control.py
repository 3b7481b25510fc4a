"""On, off and clear: said twice, changed on the way, and with what is wrong."""

import sys

import calor
import pytest
from calor import _calor


@pytest.fixture(autouse=True)
def off_before_and_after():
    calor.disable_profiling()
    calor.clear_profile()
    yield
    calor.disable_profiling()
    calor.clear_profile()


def calls():
    return {"/".join(row["path"]): row["calls"] for row in _calor.scope_rows() if row["calls"]}


def work(name):
    with calor.scope(name):
        pass


def test_only_what_runs_while_it_is_on_is_recorded():
    work("before")
    calor.enable_profiling()
    work("on")
    calor.disable_profiling()
    work("after")
    assert calls() == {"on": 1}


def test_on_and_off_twice_is_once():
    calor.enable_profiling()
    calor.enable_profiling()
    assert calor.is_enabled()
    calor.disable_profiling()
    assert not calor.is_enabled()
    calor.disable_profiling()
    assert not calor.is_enabled()


def test_cleared_is_gone():
    calor.enable_profiling()
    work("early")
    calor.clear_profile()
    work("late")
    assert calls() == {"late": 1}


def test_a_scope_that_is_open_when_all_is_cleared_is_not_counted():
    calor.enable_profiling()
    with calor.scope("around"):
        calor.clear_profile()
    work("after")
    assert calls() == {"after": 1}


def test_a_scope_that_is_open_when_it_is_turned_off_is_counted():
    calor.enable_profiling()
    with calor.scope("around"):
        calor.disable_profiling()
        work("inside")
    assert calls() == {"around": 1}


def test_the_same_scope_inside_itself_while_off_does_not_close_the_outer_one():
    calor.enable_profiling()
    scope = calor.scope("nested")
    with scope:
        calor.disable_profiling()
        with scope:
            pass
        calor.enable_profiling()
        work("inside")
    assert calls() == {"nested": 1, "nested/inside": 1}


def test_a_scope_that_was_opened_while_off_is_not_counted():
    scope = calor.scope("opened off")
    with scope:
        calor.enable_profiling()
        with scope:
            pass
    work("after")
    assert calls() == {"opened off": 1, "after": 1}


def test_one_in_n_is_timed_and_all_are_counted():
    calor.enable_profiling(sample_every=10)
    for _ in range(1000):
        work("often")
    (row,) = [row for row in _calor.scope_rows() if row["path"] == ["often"]]
    assert row["calls"] == 1000
    assert row["timed"] < 500
    calor.enable_profiling(sample_every=None)
    calor.clear_profile()
    for _ in range(1000):
        work("often")
    assert [row["timed"] for row in _calor.scope_rows() if row["path"] == ["often"]] == [1000]


def test_a_block_is_on_and_then_as_it_was():
    with calor.profiling(numpy=False):
        work("block")
        assert calor.is_enabled()
    assert not calor.is_enabled()
    calor.enable_profiling(sample_every=7)
    before = _calor.options()
    with calor.profiling():
        assert _calor.options() != before
    assert _calor.options() == before


def test_a_block_that_raises_is_off_too():
    with pytest.raises(ZeroDivisionError):
        with calor.profiling():
            1 / 0
    assert not calor.is_enabled()


def test_a_context_is_on_while_it_runs():
    work("before")
    with calor.ProfileContext("part"):
        assert calor.is_enabled()
        work("inside")
        with calor.ProfileContext("inner"):
            pass
        assert calor.is_enabled()
    assert not calor.is_enabled()
    work("after")
    assert calls() == {"part": 1, "part/inside": 1, "part/inner": 1}


def test_a_context_leaves_on_what_was_on():
    calor.enable_profiling()
    with calor.ProfileContext("part"):
        pass
    assert calor.is_enabled()
    with calor.ProfileContext("part"):
        calor.disable_profiling()
    assert not calor.is_enabled()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"numpy": 1}, TypeError, "numpy is True or False"),
        ({"torch": None}, TypeError, "torch is True or False"),
        ({"memory": "yes"}, ValueError, "no way 'yes' to record memory"),
        ({"memory": 3}, TypeError, "memory is True or False"),
        ({"functions": "all"}, ValueError, "'trace', 'program', 'eval' or 'sample'"),
        ({"functions": 3}, ValueError, "'trace', 'program', 'eval' or 'sample'"),
        ({"functions": []}, ValueError, "'trace', 'program', 'eval' or 'sample'"),
        ({"sample_every": 0}, ValueError, "between 1 and 65536"),
        ({"sample_every": 1.5}, TypeError, "whole number"),
        ({"sample_every": True}, TypeError, "whole number"),
        ({"depth": 3}, TypeError, "depth"),
    ],
)
def test_wrong_options_are_told_and_change_nothing(options, error, words):
    with pytest.raises(error) as raised:
        calor.enable_profiling(**options)
    assert words in str(raised.value)
    assert not calor.is_enabled()


def test_what_an_earlier_profile_could_not_record_is_forgotten_with_it():
    before = sys.getrecursionlimit()
    # Frames are not run by us where recursion may be that deep, and that is told.
    sys.setrecursionlimit(4000)
    try:
        calor.enable_profiling(numpy=False, torch=False, functions="eval")
    finally:
        sys.setrecursionlimit(before)
    told = _calor.warnings()
    calor.clear_profile()
    assert _calor.warnings() == told != []
    calor.disable_profiling()
    assert _calor.warnings() == told
    calor.clear_profile()
    assert _calor.warnings() == []
