"""Forks, children, sub-interpreters and the end of the program: each in a process of its own."""

import os
import subprocess
import sys
import textwrap

import pytest

ROWS = """
from calor import _calor
def calls():
    return {"/".join(row["path"]): row["calls"] for row in _calor.scope_rows() if row["calls"]}
"""


def run(program, *arguments, **options):
    """Runs a program and returns what it said; it has to end well."""
    done = subprocess.run(
        [sys.executable, "-c", ROWS + textwrap.dedent(program), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=120,
        universal_newlines=True,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_a_forked_child_begins_afresh_and_goes_on():
    out, _ = run("""
        import os, sys, calor
        calor.enable_profiling()
        with calor.scope("parent"):
            child = os.fork()
            if child == 0:
                with calor.scope("child"):
                    pass
                print(calls(), flush=True)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        print(calls())
    """)
    child, parent = out.splitlines()
    assert "child" in child and "'parent': 1" not in child
    assert parent == "{'parent': 1}"


def test_forks_while_threads_run():
    out, _ = run("""
        import os, threading, calor
        calor.enable_profiling()
        stop = threading.Event()
        def work():
            while not stop.is_set():
                with calor.scope("beside"):
                    pass
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads: thread.start()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                with calor.scope("child"):
                    pass
                os._exit(0 if calls() == {"child": 1} else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.set()
        for thread in threads: thread.join()
        print("done")
    """)
    assert out == "done\n"


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_children_of_multiprocessing_record_for_themselves(method, tmp_path):
    script = tmp_path / "pool.py"
    script.write_text(textwrap.dedent(f"""
        import multiprocessing, calor
        from calor import _calor

        @calor.profile
        def double(n):
            return 2 * n

        def begin():
            calor.enable_profiling()
            calor.clear_profile()

        def counted(n):
            double(n)
            return sum(row["calls"] for row in _calor.scope_rows() if row["path"][-1] == "double")

        if __name__ == "__main__":
            calor.enable_profiling()
            with multiprocessing.get_context("{method}").Pool(1, begin) as pool:
                print(pool.map(double, [1, 2]), pool.map(counted, [3, 4]))
            print(len(_calor.scope_rows()))
    """))
    done = subprocess.run(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, universal_newlines=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[2, 4] [3, 4]", "0"]


@pytest.mark.parametrize(
    "end",
    [
        "pass",
        "sys.exit(0)",
        "import threading, time; threading.Thread(target=lambda: kept.__enter__() and time.sleep(60), daemon=True).start(); time.sleep(0.1)",
        "generator = produce(); next(generator)",
        "import asyncio; asyncio.run(asyncio.wait_for(wait(), 0.01))",
    ],
)
def test_the_program_may_end_with_scopes_open(end):
    program = f"""
        import sys, asyncio, calor
        calor.enable_profiling()
        kept = calor.scope("kept")
        def produce():
            with calor.scope("generator"):
                yield
        async def wait():
            task = asyncio.ensure_future(forever())
            await asyncio.sleep(0)
        async def forever():
            with calor.scope("forever"):
                await asyncio.sleep(60)
        calor.scope("open at the end").__enter__()
        {end}
    """
    _, err = run(program)
    assert err == ""


def test_scopes_in_finalizers_at_the_end():
    _, err = run("""
        import calor
        calor.enable_profiling()
        class Late:
            def __del__(self, scope=calor.scope):
                with scope("late"):
                    pass
        late = Late()
        late.itself = late
    """)
    assert err == ""


def test_sub_interpreters_are_refused_with_a_reason():
    out, _ = run("""
        import calor
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            try:
                import _interpreters as interpreters
            except ImportError:
                interpreters = None
        if interpreters is None:
            print("refused: there are none here")
        else:
            program = (
                "import sys; sys.path = %r\\n"
                "try:\\n    import calor\\nexcept ImportError as error:\\n    print('refused:', error, flush=True)\\n"
            ) % (__import__("sys").path,)
            # Since 3.13 what goes wrong is returned, before it is raised.
            failed = interpreters.run_string(interpreters.create(), program)
            if failed is not None:
                print("refused:", failed)
        calor.enable_profiling()
        with calor.scope("main"):
            pass
        assert calls() == {"main": 1}
    """)
    assert "cannot be imported in a sub-interpreter" in out or "there are none here" in out, out


def test_threads_that_end_lose_nothing():
    out, _ = run("""
        import threading, calor
        calor.enable_profiling()
        def work():
            for _ in range(100):
                with calor.scope("work"):
                    pass
        for _ in range(50):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        print(sum(row["calls"] for row in _calor.scope_rows()))
    """)
    assert out == "5000\n"


def test_memory_stays_where_it_is(tmp_path):
    out, _ = run("""
        import resource, calor
        kept = calor.scope("kept")
        @calor.profile
        def function(): pass
        def produce():
            with calor.scope("generator"):
                yield
        def work():
            for _ in range(20_000):
                with kept:
                    with calor.scope("fresh"):
                        function()
            for _ in range(2_000):
                for _ in produce():
                    with calor.scope("inside"): pass
        for round in range(12):
            calor.enable_profiling()
            work()
            calor.disable_profiling()
            work()
            calor.clear_profile()
            if round == 3:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """)
    assert int(out) < 2_000, f"{out} KiB more after eight rounds"


def test_it_is_there_without_numpy_and_torch():
    out, _ = run("""
        import sys, calor
        calor.enable_profiling()
        print([name for name in ("numpy", "torch") if name in sys.modules])
    """)
    assert out == "[]\n"


def test_builds_without_the_lock_are_told_so(monkeypatch):
    import sysconfig

    from calor._unsupported import explain

    error = ImportError("cannot import name '_calor'")
    assert explain(error) is error
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: 1 if name == "Py_GIL_DISABLED" else None)
    assert "free-threaded" in str(explain(error))
