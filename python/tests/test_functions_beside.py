"""Traced functions beside other tools: debuggers, coverage, profilers and those who run frames go on as they would."""

import sys

import calor
import pytest
from functions_rows import MODES, codes, in_new_process, traced

modes = pytest.mark.parametrize("mode", MODES)
since_3_12 = pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no sys.monitoring")


def leaf(n):
    return n + 1


@modes
def test_a_trace_function_sees_the_same_lines_as_without(mode):
    def lines_of(work):
        seen = []

        def trace(frame, event, argument):
            if frame.f_code is leaf.__code__:
                seen.append((event, frame.f_lineno - leaf.__code__.co_firstlineno))
            return trace

        sys.settrace(trace)
        try:
            work()
        finally:
            sys.settrace(None)
        return seen

    alone = lines_of(lambda: leaf(1))
    rows, beside = traced(mode, lambda: lines_of(lambda: leaf(1)))
    assert alone == beside == [("call", 0), ("line", 1), ("return", 1)]
    assert rows.calls_of("leaf") == 1


@modes
def test_a_profile_function_of_the_program_is_left_alone(mode):
    seen = []

    def profile(frame, event, argument):
        if event == "call" and frame.f_code is leaf.__code__:
            seen.append(event)

    def work():
        sys.setprofile(profile)
        try:
            return leaf(1)
        finally:
            sys.setprofile(None)

    rows, _ = traced(mode, work)
    assert seen == ["call"] and rows.calls_of("leaf") == 1


@modes
def test_cprofile_counts_what_it_would(mode):
    import cProfile
    import pstats

    def work():
        profiler = cProfile.Profile()
        profiler.runcall(lambda: [leaf(n) for n in range(7)])
        stats = pstats.Stats(profiler).stats
        return [calls for (_, _, name), (calls, *_) in stats.items() if name == "leaf"]

    rows, calls = traced(mode, work)
    assert calls == [7] and rows.calls_of("leaf") == 7


@modes
def test_the_debugger_stops_where_it_was_told_to(mode):
    out = in_new_process(
        """
        import io, pdb, sys
        import calor
        calor.enable_profiling(functions=sys.argv[1], numpy=False, torch=False)
        def stops():
            value = 41
            debugger = pdb.Pdb(stdin=io.StringIO("p value + 1\\nnext\\nwhere\\ncontinue\\n"), stdout=sys.stdout)
            debugger.set_trace()
            value += 1
            return value
        assert stops() == 42
        print("went on")
        """,
        mode,
    )
    assert "42" in out and "stops" in out and out.endswith("went on\n")


@modes
def test_coverage_finds_the_same_lines(mode, tmp_path):
    coverage = pytest.importorskip("coverage")
    module = tmp_path / "covered.py"
    module.write_text("def choose(n):\n    if n:\n        return 1\n    return 2\n\nchoose(1)\n")

    def lines():
        measured = coverage.Coverage(data_file=None, include=[str(module)])
        measured.start()
        exec(compile(module.read_text(), str(module), "exec"), {})
        measured.stop()
        return measured.get_data().lines(str(module))

    alone = sorted(lines())
    rows, beside = traced(mode, lines)
    assert sorted(beside) == alone == [1, 2, 3, 6]
    assert rows.calls_of("choose") == 1


@since_3_12
def test_where_other_tools_have_all_numbers_the_profile_function_is_taken_and_said():
    taken = [number for number in range(6) if sys.monitoring.get_tool(number) is None]
    for number in taken:
        sys.monitoring.use_tool_id(number, "somebody")
    try:
        rows, _ = traced("trace", lambda: [leaf(n) for n in range(5)])
        assert "functions_fallback" in codes()
        assert rows.calls_of("leaf") == 5 and sys.getprofile() is None
        sys.setprofile(lambda *_: None)
        traced("trace", lambda: leaf(1))
        assert sys.getprofile() is not None
        assert "functions_not_traced" in codes()
    finally:
        sys.setprofile(None)
        for number in taken:
            assert sys.monitoring.get_tool(number) == "somebody"
            sys.monitoring.free_tool_id(number)


def test_with_a_high_recursion_limit_frames_are_not_run_by_us_and_that_is_said():
    out = in_new_process(
        """
        import sys
        import calor
        from calor import _calor
        sys.setrecursionlimit(20_000)
        calor.enable_profiling(functions="eval", numpy=False, torch=False)
        def down(n):
            return 0 if n == 0 else 1 + down(n - 1)
        if sys.version_info >= (3, 11):
            assert down(15_000) == 15_000
        else:
            assert down(3_000) == 3_000
        calor.disable_profiling()
        (calls,) = [row["calls"] for row in _calor.scope_rows() if row["path"][-1] == "down"]
        print(calls in (15_001, 3_001), dict(_calor.warnings())["functions_fallback"])
        """
    )
    assert out.startswith("True") and "recursion limit is 20000" in out


def test_threads_are_traced_by_the_profile_function_and_all_is_as_before_afterwards():
    out = in_new_process(
        """
        import sys, threading
        import calor
        from calor import _calor
        sys.setrecursionlimit(20_000)
        if sys.version_info >= (3, 12):
            for number in range(6):
                sys.monitoring.use_tool_id(number, "somebody")
        def leaf(n):
            return n
        go = threading.Event()
        profiles = []
        def early():
            go.wait()
            [leaf(n) for n in range(10)]
        def late():
            [leaf(n) for n in range(20)]
        first = threading.Thread(target=early)
        first.start()
        calor.enable_profiling(functions="trace", numpy=False, torch=False)
        second = threading.Thread(target=late)
        second.start(); second.join()
        go.set(); first.join()
        calor.disable_profiling()
        third = threading.Thread(target=lambda: (leaf(0), profiles.append(sys.getprofile())))
        third.start(); third.join()
        print(sum(row["calls"] for row in _calor.scope_rows() if row["path"][-1] == "leaf"), profiles, sys.getprofile())
        """
    )
    assert out == "30 [None] None\n"


def test_the_program_may_end_or_fork_while_functions_are_traced():
    for mode in MODES:
        out = in_new_process(
            """
            import atexit, os, sys
            import calor
            from calor import _calor
            def leaf(n):
                return n
            atexit.register(lambda: print("bye", leaf(1)))
            calor.enable_profiling(functions=sys.argv[1], numpy=False, torch=False)
            leaf(1)
            child = os.fork()
            if child == 0:
                leaf(2); leaf(3)
                print(sum(row["calls"] for row in _calor.scope_rows() if row["path"][-1] == "leaf"), flush=True)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            """,
            mode,
        )
        assert out == "2\nbye 1\n"


@modes
def test_trace_and_profile_functions_of_the_program_stay_where_they_are(mode):
    out = in_new_process(
        """
        import sys
        import calor
        calls = []
        def trace(frame, event, argument):
            calls.append(frame.f_code.co_filename)
            return trace
        def profile(frame, event, argument):
            calls.append(frame.f_code.co_filename)
        sys.settrace(trace)
        calor.enable_profiling(functions=sys.argv[1], numpy=False, torch=False)
        print(sys.gettrace() is trace)
        calor.disable_profiling()
        sys.settrace(None)
        sys.setprofile(profile)
        calor.enable_profiling(functions=sys.argv[1], numpy=False, torch=False)
        print(sys.getprofile() is profile)
        calor.disable_profiling()
        sys.setprofile(None)
        print(calls.count("<string>") < 100)
        """,
        mode,
    )
    assert out == "True\nTrue\nTrue\n"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="the interpreter counts calls on the machine's stack itself")
@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames are on the machine's stack there, and endless recursion ends the process")
def test_endless_recursion_with_a_limit_that_is_raised_later_ends_as_without_tracing():
    out = in_new_process(
        """
        import sys
        import calor
        from calor import _calor
        calor.enable_profiling(functions="eval", numpy=False, torch=False)
        sys.setrecursionlimit(1_000_000)
        def endless(n):
            return endless(n + 1)
        try:
            endless(0)
        except RecursionError as error:
            print(error)
        calor.disable_profiling()
        print(sum(row["calls"] for row in _calor.scope_rows() if row["path"][-1] == "endless") > 500)
        """
    )
    assert out.startswith("maximum recursion depth exceeded") and out.endswith("True\n")


def test_small_stacks_of_threads_are_not_filled_with_frames():
    out = in_new_process(
        """
        import sys, threading
        import calor
        from calor import _calor
        threading.stack_size(256 << 10)
        calor.enable_profiling(functions="eval", numpy=False, torch=False)
        def down(n):
            return 0 if n == 0 else 1 + down(n - 1)
        depth = 900 if sys.version_info >= (3, 11) else 200
        result = []
        thread = threading.Thread(target=lambda: result.append(down(depth)))
        thread.start(); thread.join()
        calor.disable_profiling()
        calls = sum(row["calls"] for row in _calor.scope_rows() if row["path"][-1] == "down")
        print(result == [depth], calls == depth + 1, dict(_calor.warnings())["functions_fallback"])
        """
    )
    assert out.startswith("True True") and "stacks of threads are too small" in out


@pytest.mark.skipif(sys.version_info[:2] == (3, 12), reason="frames are not run by us where recursion would end early")
def test_somebody_who_takes_over_the_frames_is_left_alone_and_that_is_said():
    import ctypes

    current = ctypes.pythonapi.PyInterpreterState_Get
    current.restype = ctypes.c_void_p
    take_over = ctypes.pythonapi._PyInterpreterState_SetEvalFrameFunc
    take_over.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    default = ctypes.cast(ctypes.pythonapi._PyEval_EvalFrameDefault, ctypes.c_void_p)

    def work():
        leaf(1)
        take_over(current(), default)
        return leaf(2)

    rows, result = traced("eval", work)
    assert result == 3 and rows.calls_of("leaf") == 1
    assert "functions_hidden" in codes()
