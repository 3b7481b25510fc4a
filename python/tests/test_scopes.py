"""Scopes: what is nested, counted and labelled, and what happens when they end in another order."""

import contextlib
import sys
import threading

import calor
import pytest
from calor import _calor
from scope_rows import calls, rows


@pytest.fixture(autouse=True)
def recorder():
    calor.enable_profiling(numpy=False, torch=False)
    calor.clear_profile()
    yield
    calor.disable_profiling()
    calor.clear_profile()


def line():
    return sys._getframe(1).f_lineno


def test_scopes_nest_and_are_counted():
    for _ in range(3):
        with calor.scope("outer"):
            with calor.scope("inner"):
                pass
            with calor.scope("inner"):
                pass
    assert calls() == {"outer": 3, "outer/inner": 6}


def test_a_scope_has_the_place_it_is_opened_at():
    with calor.scope("placed"): here = line()
    (row,) = rows()["placed"]
    assert (row["file"], row["line"], row["module"]) == (__file__, here, __name__)


def test_a_name_at_a_place_is_one_object_and_at_another_place_another():
    objects = [calor.scope("same") for _ in range(3)]
    assert objects[0] is objects[1] is objects[2]
    assert calor.scope("same") is not objects[0]


def test_one_object_may_be_open_many_times():
    scope = calor.scope("recursive")

    def descend(depth):
        with scope:
            if depth:
                descend(depth - 1)

    descend(4)
    descend(0)
    assert calls() == {"/".join(["recursive"] * n): 2 if n == 1 else 1 for n in range(1, 6)}


def test_deeper_than_the_recorder_goes_nothing_breaks():
    scope = calor.scope("deep")

    def descend(depth):
        with scope:
            if depth:
                descend(depth - 1)

    descend(400)
    with calor.scope("after"):
        pass
    assert calls()["after"] == 1
    assert calls()["deep"] == 1


def test_threads_share_an_object():
    scope = calor.scope("shared")
    start = threading.Barrier(4)

    def work():
        start.wait()
        for _ in range(1000):
            with scope:
                with calor.scope("inside"):
                    pass

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls() == {"shared": 4000, "shared/inside": 4000}


def test_figures_are_told_to_the_scope_that_is_open():
    for n in (1, 2):
        with calor.scope("told") as scope:
            scope.bytes(10)
            scope.flops(20)
            scope.elements(30)
            scope.add("rows", n)
            scope.backend("avx2")
            with calor.scope("inside"):
                scope.bytes(1)
    (row,) = rows()["told"]
    assert (row["bytes"], row["flops"], row["elements"]) == (22, 40, 60)
    assert (row["counters"], row["backends"]) == ({"rows": 3}, {"avx2": 2})
    assert rows()["told/inside"][0]["bytes"] == 0


def test_figures_outside_of_a_scope_are_nobodys():
    scope = calor.scope("closed")
    with scope:
        pass
    scope.bytes(10)
    assert rows()["closed"][0]["bytes"] == 0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda scope: scope.bytes(-1), ValueError, "from 0"),
        (lambda scope: scope.bytes(1.5), TypeError, "1.5"),
        (lambda scope: scope.flops("many"), TypeError, "many"),
        (lambda scope: scope.add("rows"), TypeError, "add(counter, n)"),
        (lambda scope: scope.add(3, 4), TypeError, "is a str, not 3"),
        (lambda scope: scope.add("rows", 2**70), ValueError, "to 2**63 - 1, got 1180591620717411303424"),
        (lambda scope: scope.backend(None), TypeError, "is a str, not None"),
        (lambda scope: calor.scope(), TypeError, "calor.scope("),
        (lambda scope: calor.scope("a", "b"), TypeError, "got 2"),
        (lambda scope: calor.scope(7), TypeError, "not 7"),
        (lambda scope: calor.ProfileContext("a", n=1), TypeError, "no labels"),
        (lambda scope: type(scope)("x"), TypeError, "calor.scope("),
        (lambda scope: scope(print), TypeError, "@calor.profile"),
        (lambda scope: type(scope).__enter__(3), TypeError, "expected a scope"),
        (lambda scope: type(scope).__exit__(), TypeError, "expected a scope"),
    ],
)
def test_wrong_arguments_are_told(call, error, words):
    with calor.scope("strict") as scope:
        with pytest.raises(error) as raised:
            call(scope)
    assert words in str(raised.value)
    assert calls() == {"strict": 1}


def test_labels_tell_calls_apart():
    for n in (1, 2, 2):
        with calor.scope("load", n=n, codec="zstd", final=n == 2):
            pass
    found = {tuple(sorted(row["labels"].items())): row["calls"] for row in rows()["load"]}
    assert found == {
        (("codec", "zstd"), ("final", "false"), ("n", "1")): 1,
        (("codec", "zstd"), ("final", "true"), ("n", "2")): 2,
    }


def test_labels_of_one_place_are_found_by_what_they_are():
    kinds = [{"a": 1}, {"b": 1}, {"a": "1", "b": 2}, {"b": 2, "a": "1"}]
    changed = []
    for n in range(3):
        changed.append(n)
        for labels in kinds + [{"list": changed}]:
            with calor.scope("anywhere", **labels):
                pass
    found = sorted((sorted(row["labels"].items()), row["calls"]) for row in rows()["anywhere"])
    assert found == [
        ([("a", "1")], 3),
        ([("a", "1"), ("b", "2")], 6),
        ([("b", "1")], 3),
        ([("list", "[0, 1, 2]")], 1),
        ([("list", "[0, 1]")], 1),
        ([("list", "[0]")], 1),
    ]


def test_numbers_of_any_kind_are_told():
    class Index:
        def __index__(self):
            return 5

    with calor.scope("numbers") as scope:
        for n in (True, Index(), 2**63):
            scope.bytes(n)
        for n in (-1, Index(), -10):
            scope.add("n", n)
    (row,) = rows()["numbers"]
    assert (row["bytes"], row["counters"]) == (2**63 + 6, {"n": -6})
    with pytest.raises(ValueError, match="from 0"):
        scope.bytes(2**64)


def test_more_labels_than_there_is_room_for_lose_only_themselves():
    for n in range(300):
        with calor.scope("sharded", shard=n):
            pass
    assert calls()["sharded"] == 300


def test_names_that_are_made_up_are_bounded():
    for n in range(20_000):
        with calor.scope(f"name {n}"):
            pass
    assert any(code == "scopes_over_limit" for code, _ in _calor.warnings())
    with calor.scope("name 3"):
        pass
    with calor.scope("after all"):
        pass


def test_what_is_raised_passes_through():
    with pytest.raises(KeyError):
        with calor.scope("raises"):
            raise KeyError("x")
    assert calls() == {"raises": 1}


def test_scopes_that_end_in_another_order_leave_the_tree_whole():
    first, second = calor.scope("first"), calor.scope("second")
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    with calor.scope("after"):
        pass
    assert calls() == {"first": 1, "first/second": 1, "after": 1}


def test_a_scope_that_was_never_opened_may_be_closed():
    calor.scope("never").__exit__(None, None, None)
    with calor.scope("after"):
        pass
    assert calls() == {"after": 1}


def test_generators_are_open_only_while_they_run():
    def produce():
        with calor.scope("produce"):
            yield 1
            with calor.scope("more"):
                pass
            yield 2

    for _ in produce():
        with calor.scope("consume"):
            pass
    found = calls()
    assert found["consume"] == 2
    assert found["produce/more"] == 1
    assert "produce/consume" not in found
    assert rows()["produce"][0]["lives"] == 1


def test_generators_of_one_function_are_told_apart():
    def produce():
        with calor.scope("produce"):
            yield
            yield

    first, second = produce(), produce()
    next(first), next(second), next(first), next(second)
    first.close(), second.close()
    with calor.scope("after"):
        pass
    assert sum(row["lives"] for row in rows()["produce"]) == 2
    assert calls()["after"] == 1
    assert [path for path in calls() if "/" in path] == []


def test_a_generator_may_go_on_in_another_thread():
    def produce():
        with calor.scope("produce"):
            yield 1

    generator = produce()
    thread = threading.Thread(target=next, args=(generator,))
    thread.start()
    thread.join()
    with calor.scope("meanwhile"):
        pass
    assert list(generator) == []
    with calor.scope("after"):
        pass
    assert {"meanwhile", "after"} <= set(calls())


def test_generators_that_are_dropped_close_their_scopes():
    def produce():
        with calor.scope("dropped"):
            yield

    for _ in range(100):
        next(produce())
    with calor.scope("after"):
        pass
    assert calls()["after"] == 1
    assert rows()["dropped"][0]["lives"] == 100


def test_a_scope_that_is_kept_works_in_generators_too():
    scope = calor.scope("kept")

    def produce():
        with scope:
            yield

    generators = [produce() for _ in range(3)]
    for generator in generators:
        next(generator)
    for generator in generators:
        generator.close()
    assert set(calls()) == {"kept"}
    assert rows()["kept"][0]["lives"] == 3


def test_a_scope_that_was_entered_while_on_is_closed_while_off():
    scope = calor.scope("across")
    with scope:
        calor.disable_profiling()
        with scope:
            pass
        with calor.scope("not seen"):
            pass
    with scope:
        calor.enable_profiling(numpy=False, torch=False)
        with scope:
            pass
    with scope:
        pass
    assert calls() == {"across": 3}


def test_scopes_are_closed_by_whoever_closes_context_managers():
    scope = calor.scope("stacked")
    with contextlib.ExitStack() as stack:
        assert stack.enter_context(scope) is scope
        stack.enter_context(calor.scope("inside"))
    assert isinstance(scope, contextlib.AbstractContextManager)
    close = scope.__exit__
    assert type(scope).__enter__(scope) is scope
    assert close(None, None, None) is None
    close()
    assert calls() == {"stacked": 2, "stacked/inside": 1}


def test_what_closes_a_scope_keeps_it():
    # Each scope has a reference to its type.
    kind = type(calor.scope("first"))
    before = sys.getrefcount(kind)
    for n in range(100):
        close = calor.scope("kept by its end", numbers=[n]).__exit__
        assert sys.getrefcount(kind) == before + 1
        close(None, None, None)
        del close
    assert sys.getrefcount(kind) == before
    scope = calor.scope("counted")
    before = sys.getrefcount(scope)
    for _ in range(100):
        with scope:
            pass
    assert sys.getrefcount(scope) == before


def test_contexts_are_contexts():
    with calor.ProfileContext("preprocessing"):
        with calor.scope("inside"):
            pass
    (row,) = rows()["preprocessing"]
    assert row["is_context"]
    assert not rows()["preprocessing/inside"][0]["is_context"]


def test_scopes_show_what_they_are():
    assert repr(calor.scope("load", n=3)) == 'calor.scope("load", n="3")'
    assert repr(calor.ProfileContext("part")) == 'calor.ProfileContext("part")'
    assert "with calor.scope" in calor.scope.__doc__


def test_nothing_is_left_of_objects_and_frames():
    import gc

    class Held:
        pass

    def produce(held):
        with calor.scope("frame"):
            yield held

    import weakref

    held = Held()
    gone = weakref.ref(held)
    generator = produce(held)
    next(generator)
    with calor.scope("parks it"):
        pass
    del held, generator
    gc.collect()
    assert gone() is None


def test_threads_have_their_names():
    def work():
        with calor.scope("named"):
            pass

    thread = threading.Thread(target=work, name="loader 7")
    thread.start()
    thread.join()
    assert [row["thread"] for row in rows()["named"]] == ["loader 7"]
