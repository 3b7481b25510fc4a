"""Scopes while nothing is recorded, and when that begins or ends in the middle of one."""

import asyncio
import contextlib
import threading
import time

import calor
import pytest
from scope_rows import calls


@pytest.fixture(autouse=True)
def recorder():
    calor.enable_profiling(numpy=False, torch=False)
    calor.clear_profile()
    yield
    calor.disable_profiling()
    calor.clear_profile()


def test_while_nothing_is_recorded_with_gives_a_scope_that_does_nothing():
    calor.disable_profiling()
    scope = calor.scope("later")
    with scope as nothing, calor.scope("other") as other:
        assert other is nothing and type(nothing) is type(scope)
        nothing.add("rows", 3)
        nothing.bytes(4096)
        with pytest.raises(TypeError):
            nothing.add("rows", "many")
    with contextlib.ExitStack() as stack:
        assert stack.enter_context(scope) is scope
    scope.__enter__()
    scope.__exit__(None, None, None)
    with pytest.raises(ZeroDivisionError), scope:
        1 / 0
    begun = scope.__enter__
    calor.enable_profiling(numpy=False, torch=False)
    begun()
    with nothing as still:
        assert still is nothing
    with scope as opened:
        assert opened is scope

    async def run():
        async with nothing:
            pass

    asyncio.run(run())
    assert calls() == {"later": 1}


def test_scopes_that_are_opened_and_closed_by_hand_are_closed_whatever_happened_meanwhile():
    scope = calor.scope("by hand")
    scope.__enter__()
    calor.disable_profiling()
    with calor.scope("not seen"):
        pass
    scope.__exit__(None, None, None)
    with scope as nothing:
        assert nothing is not scope
    calor.enable_profiling(numpy=False, torch=False)
    with calor.scope("other"):
        pass
    assert calls() == {"by hand": 1, "other": 1}


def test_scopes_of_threads_that_ended_do_not_keep_others_from_being_quick():
    scope = calor.scope("never closed")
    thread = threading.Thread(target=scope.__enter__)
    thread.start()
    thread.join()
    # What the thread leaves behind is seen to a little after Python's part of it has ended.
    for _ in range(1000):
        calor.disable_profiling()
        idle = calor.scope("idle")
        with idle as given:
            pass
        if given is not idle:
            break
        time.sleep(0.005)
    assert given is not idle


def test_attributes_of_the_package_are_quick_once_there_is_a_scope():
    calor.scope("first")
    assert "__getattr__" not in vars(calor)
    assert set(calor.__all__) <= vars(calor).keys()
    with pytest.raises(AttributeError, match="has no attribute 'scopes'"):
        calor.scopes


def test_profiling_is_turned_on_and_off_as_often_as_one_likes():
    scope = calor.scope("often")
    for _ in range(3000):
        calor.disable_profiling()
        with scope:
            pass
        calor.enable_profiling(numpy=False, torch=False)
        with scope:
            pass
    assert calls() == {"often": 3000}
    calor.disable_profiling()
    for _ in range(3):
        with scope:
            with calor.ProfileContext("block"):
                with scope:
                    pass
    assert calls() == {"often": 3000, "block": 3, "block/often": 3}
