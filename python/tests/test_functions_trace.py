"""Traced functions: each call is counted where it belongs, whatever the program does."""

import asyncio
import subprocess
import sys
import threading

import calor
import pytest
from calor import _calor
from functions_rows import MODES, in_new_process, traced

modes = pytest.mark.parametrize("mode", MODES)


def leaf(n):
    return n + 1


def inner(n):
    return leaf(n) + leaf(n)


def outer(n):
    return inner(n) + leaf(n)


@modes
def test_calls_are_counted_by_path_with_the_place_of_the_function(mode):
    rows, result = traced(mode, lambda: [outer(1) for _ in range(10)])
    assert result == [6] * 10
    (path,) = rows.paths_of("inner")
    assert path[-2:] == ("outer", "inner")
    assert rows.calls[path] == 10 and rows.calls[path + ("leaf",)] == 20
    assert rows.calls_of("leaf") == 30
    module, file, line = rows.places[path]
    assert (module, file, line) == (__name__, __file__, inner.__code__.co_firstlineno)


@modes
def test_times_of_children_add_up_to_less_than_that_of_their_caller(mode):
    rows, _ = traced(mode, lambda: [outer(n) for n in range(1000)])
    for path, nanos in rows.nanos.items():
        inside = sum(other for child, other in rows.nanos.items() if child[:-1] == path)
        assert inside <= nanos + 10 * len(rows.nanos), path


@modes
def test_methods_lambdas_and_nested_functions_have_their_qualified_names(mode):
    class Thing:
        def method(self):
            return (lambda: leaf(1))()

        @classmethod
        def made(cls):
            return cls()

        @staticmethod
        def free():
            return 1

    rows, _ = traced(mode, lambda: (Thing.made().method(), Thing.free()))
    here = "test_methods_lambdas_and_nested_functions_have_their_qualified_names.<locals>.Thing."
    for name in ["method", "made", "free"]:
        assert rows.calls_of(here + name) == 1
    assert rows.calls_of(here + "method.<locals>.<lambda>") >= 1


class Shape:
    def area(self):
        return self.side * self.made_of()

    @property
    def side(self):
        return 2

    @staticmethod
    def made_of():
        return 3


@modes
def test_methods_of_classes_of_a_module_have_their_class_in_all_versions(mode):
    rows, area = traced(mode, lambda: Shape().area())
    assert area == 6
    (path,) = rows.paths_of("Shape.area")
    assert rows.calls[path + ("Shape.side",)] == rows.calls[path + ("Shape.made_of",)] == 1


@modes
def test_exceptions_pass_unchanged_and_close_what_they_leave(mode):
    error = KeyError("the very one")

    def fails(n):
        if n == 0:
            raise error
        return fails(n - 1)

    def catches():
        try:
            fails(3)
        except KeyError as caught:
            return caught
        finally:
            leaf(0)

    rows, caught = traced(mode, catches)
    assert caught is error and caught.__context__ is None
    assert len(list(frames(caught))) == 5
    (path,) = rows.paths_of("leaf")
    assert path[-2].endswith("catches")
    assert rows.calls_of("test_exceptions_pass_unchanged_and_close_what_they_leave.<locals>.fails") == 4


def frames(error):
    traceback = error.__traceback__
    while traceback:
        yield traceback.tb_frame.f_code.co_name
        traceback = traceback.tb_next


@modes
def test_generators_are_open_only_while_they_run(mode):
    def numbers():
        for n in range(3):
            yield leaf(n)

    def consumes():
        for _ in numbers():
            outer(1)

    rows, _ = traced(mode, consumes)
    name = "test_generators_are_open_only_while_they_run.<locals>."
    assert all(path[-2].endswith("consumes") for path in rows.paths_of("outer"))
    under = [path for path in rows.paths_of("leaf") if path[-2].endswith("numbers")]
    assert len(under) == 1 and rows.calls[under[0]] == 3
    assert rows.calls_of(name + "numbers") in (4, 5), "once a step and at its end; since 3.11 when it is made, too"


@modes
def test_what_is_thrown_into_a_generator_and_closing_it_leave_nothing_open(mode):
    def numbers():
        while True:
            try:
                yield 1
            except ValueError:
                leaf(1)

    def throws():
        generator = numbers()
        next(generator)
        assert generator.throw(ValueError("x")) == 1
        with pytest.raises(ZeroDivisionError):
            generator.throw(ZeroDivisionError("y"))
        other = numbers()
        next(other)
        other.close()
        abandoned = numbers()
        next(abandoned)
        del abandoned
        return outer(1)

    rows, result = traced(mode, throws)
    assert result == 6
    assert [path[-2] for path in rows.paths_of("outer")] == [throws_name(path) for path in rows.paths_of("outer")]


def throws_name(path):
    assert path[-2].endswith("throws"), path
    return path[-2]


@modes
def test_coroutines_that_take_turns_keep_their_own_callers(mode):
    async def step(n):
        await asyncio.sleep(0)
        return leaf(n)

    async def main():
        return sum(await asyncio.gather(*(step(n) for n in range(5))))

    rows, result = traced(mode, lambda: asyncio.run(main()))
    assert result == 15
    assert rows.calls_of("leaf") == 5
    assert all(path[-2].endswith("step") for path in rows.paths_of("leaf"))


@modes
def test_threads_that_run_already_and_those_that_start_later_are_traced(mode):
    begin, done = threading.Event(), threading.Event()

    def early():
        begin.wait()
        for n in range(100):
            leaf(n)
        done.set()

    running = threading.Thread(target=early)
    running.start()

    def work():
        later = threading.Thread(target=lambda: [inner(n) for n in range(50)])
        later.start()
        later.join()
        begin.set()
        done.wait()

    rows, _ = traced(mode, work)
    running.join()
    assert rows.calls_of("inner") == 50
    assert rows.calls_of("leaf") == 200


@modes
def test_threads_that_start_while_functions_are_traced_have_their_names(mode):
    def work():
        thread = threading.Thread(target=leaf, args=(1,), name="a worker")
        thread.start()
        thread.join()

    traced(mode, work)
    names = {row["thread"] for row in _calor.scope_rows() if row["path"][-1] == "leaf"}
    assert names == {"a worker"}


@modes
def test_direct_recursion_is_one_path_with_all_calls_and_the_time_of_the_outermost(mode):
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    rows, result = traced(mode, lambda: fib(15))
    assert result == 610
    (path,) = rows.paths_of("test_direct_recursion_is_one_path_with_all_calls_and_the_time_of_the_outermost.<locals>.fib")
    assert rows.calls[path] == 1973
    assert rows.nanos[path] <= rows.nanos[path[:-1]]


@modes
def test_mutual_recursion_over_data_does_not_grow_the_tree(mode):
    def visit(tree):
        return [visit_list, visit_dict][isinstance(tree, dict)](tree) if tree else 1

    def visit_list(tree):
        return sum(visit(child) for child in tree)

    def visit_dict(tree):
        return sum(visit(child) for child in tree.values())

    def tree(depth):
        return [] if depth == 0 else [tree(depth - 1), {"a": tree(depth - 1), "b": tree(depth - 1)}]

    rows, result = traced(mode, lambda: visit(tree(8)))
    assert result == 3**8
    name = "test_mutual_recursion_over_data_does_not_grow_the_tree.<locals>.visit"
    # Each list holds two children and each dict, too; a visit of its own for each of them.
    assert rows.calls_of(name) == sum(3**depth for depth in range(9)) + sum(3**depth for depth in range(8))
    assert len(rows.calls) < 100


@modes
def test_recursion_to_the_limit_ends_as_it_would_and_nothing_is_lost(mode):
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    def endless():
        return endless()

    def work():
        assert down(800) == 800
        with pytest.raises(RecursionError):
            endless()
        return True

    rows, result = traced(mode, work)
    assert result
    name = "test_recursion_to_the_limit_ends_as_it_would_and_nothing_is_lost.<locals>."
    assert rows.calls_of(name + "down") == 801
    assert rows.calls_of(name + "endless") > 500
    assert rows.calls_of("leaf") == 0 and leaf(1) == 2


@modes
def test_our_own_functions_are_left_out(mode):
    def work():
        with calor.scope("part"):
            return leaf(1)

    rows, _ = traced(mode, work)
    assert any(path[-2:] == ("part", "leaf") for path in rows.calls)
    assert not [place for place in rows.places.values() if (place[1] or "").startswith(calor.__path__[0])]


@modes
def test_on_and_off_in_the_middle_of_calls_count_what_was_seen_whole(mode):
    def begins():
        calor.enable_profiling(functions=mode, numpy=False, torch=False)
        outer(1)

    def ends():
        outer(1)
        calor.disable_profiling()
        outer(1)

    calor.clear_profile()
    begins()
    ends()
    outer(1)
    calls = {}
    for row in _calor.scope_rows():
        calls[row["path"][-1]] = calls.get(row["path"][-1], 0) + row["calls"]
    assert calls["outer"] == 2 and calls["leaf"] == 6
    assert "begins" not in calls


@modes
def test_off_leaves_nothing_behind(mode):
    traced(mode, lambda: outer(1))
    before = len(_calor.scope_rows())
    outer(1)
    assert sys.getprofile() is None and sys.gettrace() is None
    if sys.version_info >= (3, 12):
        assert [sys.monitoring.get_tool(number) for number in range(6)] == [None] * 6
    assert len(_calor.scope_rows()) == before


@modes
def test_of_imports_only_the_modules_and_that_they_are_imported_are_told(mode, tmp_path, monkeypatch):
    for number in range(4):
        following = f"import calor_imported_{number + 1}" if number < 3 else "n = 3"
        (tmp_path / f"calor_imported_{number}.py").write_text(following + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    names = [f"calor_imported_{number}" for number in range(4)]
    for name in names:
        sys.modules.pop(name, None)
    rows, module = traced(mode, lambda: __import__(names[0]))
    for name in names:
        del sys.modules[name]
    assert module.calor_imported_1.calor_imported_2.calor_imported_3.n == 3
    modules = [row for row in _calor.scope_rows() if row["module"] in names]
    assert sorted(row["module"] for row in modules) == names
    assert all(row["path"][-2:] == ["_find_and_load", "<module>"] for row in modules)
    machinery = {path[-1] for path, place in rows.places.items() if (place[1] or "").startswith("<frozen importlib")}
    assert machinery == {"_find_and_load"}


@modes
def test_functions_made_without_end_share_a_bounded_table(mode):
    def work():
        total = 0
        for n in range(20_000):
            names = {}
            exec(f"def made(): return {n % 7}", names)
            total += names["made"]()
        return total

    rows, result = traced(mode, work)
    assert result == sum(n % 7 for n in range(20_000))
    assert rows.calls_of("made") == 20_000
    assert len(rows.paths_of("made")) == 1


LARGE = """
import sys, calor
sys.path.insert(0, sys.argv[1])
calor.enable_profiling(functions="trace", numpy=False, torch=False)
import large
large.all_of_them()

def own(n):
    return inner(n) + 1

def inner(n):
    return n

def called_back(n):
    return n

assert own(1) == 2
large.back(called_back)
report = calor.profile_report("json")
calor.disable_profiling()
names = {row["name"]: row["count"] for row in report["functions"]}
assert (names["own"], names["inner"], names["called_back"]) == (1, 1, 1), names
codes = {warning["code"] for warning in report["warnings"]}
assert {"call_paths_over_limit", "functions_of_libraries"} <= codes, codes
"""


def test_functions_of_the_program_have_room_after_a_large_library(tmp_path):
    package = tmp_path / "site-packages"
    package.mkdir()
    functions = [f"def f{n}(): return {n}" for n in range(4000)]
    calls = ["def all_of_them():", *(f"    f{n}()" for n in range(4000))]
    (package / "large.py").write_text("\n".join([*functions, *calls, "def back(call):", "    return call(1)"]))
    subprocess.run([sys.executable, "-c", LARGE, str(package)], check=True, timeout=120)


FIRST_SCOPE = """
import calor
from calor import _calor

calor.enable_profiling(numpy=False, torch=False, functions="trace")
with calor.scope("first"):
    pass
calor.disable_profiling()
paths = [row["path"] for row in _calor.scope_rows() if row["calls"]]
assert paths == [["first"]], paths
"""


def test_what_the_package_loads_is_none_of_the_programs():
    subprocess.run([sys.executable, "-c", FIRST_SCOPE], check=True, timeout=120)


@pytest.mark.parametrize("mode", MODES)
def test_a_program_that_raises_the_recursion_limit_runs_as_deep_as_without(mode):
    program = f"""
        import sys, threading
        import calor

        def deep(n):
            return 0 if n == 0 else 1 + deep(n - 1)

        calor.enable_profiling(functions={mode!r}, numpy=False, torch=False)
        sys.setrecursionlimit(30_000)
        results = [deep(12_000), deep(10)]
        calor.disable_profiling()
        report = calor.profile_report(format="json")
        (row,) = [row for row in report["functions"] if row["name"] == "deep"]
        print(results, row["count"] > 400)
    """
    out = in_new_process(program)
    assert out.startswith("[12000, 10] True"), out


@pytest.mark.parametrize("mode", MODES)
def test_deep_recursion_that_is_not_traced_is_told_and_tracing_goes_on_after_it(mode):
    program = f"""
        import sys, threading
        import calor

        def deep(n):
            return end() if n == 0 else deep(n - 1)

        def after():
            return 1

        def codes():
            return {{warning["code"] for warning in calor.profile_report(format="json")["warnings"]}}

        def on():
            calor.enable_profiling(functions={mode!r}, numpy=False, torch=False)

        end = int
        on()
        sys.setrecursionlimit(30_000)
        deep(12_000)
        [after() for _ in range(7)]
        calor.disable_profiling()
        report = calor.profile_report(format="json")
        counts = {{row["name"]: row["count"] for row in report["functions"]}}
        assert counts["after"] == 7, counts
        is_told = "deep_recursion_untraced" in codes()
        assert is_told == (counts["deep"] < 12_001), (is_told, counts)
        assert not {{"functions_hidden", "recursion_cut_short"}} & codes(), codes()
        calor.clear_profile()
        assert "deep_recursion_untraced" not in codes()

        # Turned off in the midst of it, nobody has hidden anything.
        sys.setrecursionlimit(1_000)
        on()
        sys.setrecursionlimit(30_000)
        end = calor.disable_profiling
        deep(12_000)
        assert "functions_hidden" not in codes(), codes()
        print("done")
    """
    assert in_new_process(program).startswith("done")
