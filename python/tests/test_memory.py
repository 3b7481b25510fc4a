"""Memory of Python and NumPy: of scopes, operations and contexts, and who holds it."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import tracemalloc

import calor
import pytest
from calor import _calor

MIB = 1 << 20


@pytest.fixture(autouse=True)
def recorder():
    calor.clear_profile()
    yield
    tracemalloc.stop()
    calor.disable_profiling()
    calor.clear_profile()


@pytest.fixture(params=["sampled", "exact"])
def memory(request):
    return request.param


def enable(memory, **options):
    calor.enable_profiling(**{"numpy": False, "torch": False, "memory": memory, **options})


def codes():
    return {code for code, _ in _calor.warnings()}


class TestScopes:
    def test_a_scope_has_what_it_allocated_and_the_most_it_held(self, memory):
        enable(memory)
        with calor.ProfileContext("load"):
            with calor.scope("large"):
                block = bytearray(4 * MIB)
                del block
            with calor.scope("twice"):
                for _ in range(2):
                    block = bytearray(MIB)
                    del block
        calor.disable_profiling()
        report = calor.profile_report("json")
        large, twice, load = (report["contexts"][name] for name in ("large", "twice", "load"))
        for told, allocated, held in [(large, 4 * MIB, 4 * MIB), (twice, 2 * MIB, MIB), (load, 6 * MIB, 4 * MIB)]:
            assert allocated <= told["allocated_bytes"] < allocated + 20_000
            assert held <= told["peak_bytes"] < held + 20_000
            assert told["allocations"] >= 1
        assert load["freed_bytes"] >= 6 * MIB
        inside = calor.profile_report("json", context="load")
        assert inside["contexts"]["large"]["allocated_bytes"] == large["allocated_bytes"]

    def test_small_objects_count(self, memory):
        enable(memory)
        with calor.scope("many"):
            kept = [str(n) * 4 for n in range(20_000)]
        calor.disable_profiling()
        told = calor.profile_report("json")["many"]
        size = sum(map(sys.getsizeof, kept))
        assert told["allocations"] >= 20_000
        assert size <= told["allocated_bytes"]
        assert size <= told["peak_bytes"] < size * 1.5

    def test_without_memory_nothing_is_told_of_it(self):
        calor.enable_profiling(numpy=False, torch=False)
        with calor.scope("plain"):
            bytearray(MIB)
        assert "allocated_bytes" not in calor.profile_report("json")["plain"]
        assert "memory_not_recorded" not in codes()

    def test_threads_have_their_own(self, memory):
        enable(memory)

        def work(n):
            with calor.scope(f"thread {n}"):
                blocks = [bytearray(n * 100_000) for _ in range(5)]
                del blocks

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        calor.disable_profiling()
        for n in range(1, 5):
            told = calor.profile_report("json")[f"thread {n}"]
            assert n * 500_000 <= told["allocated_bytes"] < n * 500_000 + 50_000
            assert n * 500_000 <= told["peak_bytes"] < n * 500_000 + 50_000

    def test_text_csv_and_files_have_it(self, memory, tmp_path):
        enable(memory)
        with calor.scope("work"):
            bytearray(3 * MIB)
        calor.disable_profiling()
        page = calor.profile_report()
        assert "allocated" in page and "3.0" in page
        assert "allocated_bytes" in calor.profile_report("csv").splitlines()[0]
        path = tmp_path / "run.calor"
        calor.export(path)
        told = calor.profile_report("json", profile=path)["work"]
        assert told["allocated_bytes"] >= 3 * MIB


class TestArrays:
    np = None

    @pytest.fixture(autouse=True)
    def numpy(self):
        type(self).np = pytest.importorskip("numpy")

    def test_operations_have_their_memory(self, memory):
        np = self.np
        enable(memory, numpy=True)
        a = np.ones(MIB // 8 * 4)
        with calor.scope("work"):
            b = a + a
            b = b * 2
        del b
        calor.disable_profiling()
        assert "memory_numpy_not_seen" not in codes()
        report = calor.profile_report("json")
        rows = {row["operation"]: row for row in report["operations"]}
        for name in ("add", "multiply"):
            assert 4 * MIB <= rows[name]["allocated_bytes"] < 4 * MIB + 10_000, name
            assert 4 * MIB <= rows[name]["peak_bytes"] < 4 * MIB + 10_000, name
        assert 8 * MIB <= report["work"]["peak_bytes"] < 8 * MIB + 50_000

    def test_arrays_that_are_freed_after_it_was_turned_off_are_freed_rightly(self, memory):
        np = self.np
        for _ in range(20):
            enable(memory, numpy=True)
            arrays = [np.zeros(n) for n in (1, 10, 100, 1_000, 100_000)]
            arrays[2].resize(5_000, refcheck=False)
            calor.disable_profiling()
            assert all(array.sum() == 0 for array in arrays)
            arrays[3].resize(50, refcheck=False)
            del arrays
            older = np.ones(3_000)
            enable(memory, numpy=True)
            older.resize(9_000, refcheck=False)
            assert older.sum() == 3_000
            del older
        calor.disable_profiling()
        gc.collect()

    def test_numpy_that_is_imported_later_is_seen(self, memory):
        code = f"""
            import calor
            calor.enable_profiling(numpy=False, torch=False, memory={memory!r})
            import numpy as np
            with calor.scope("work"):
                a = np.zeros(1_000_000)
            print(calor.profile_report("json")["work"]["allocated_bytes"] >= 8_000_000)
        """
        assert run(code) == "True\n"

    def test_who_holds_arrays_is_told_by_line(self, memory):
        np = self.np
        enable(memory)
        before = calor.heap_snapshot()
        kept = [np.ones(MIB) for _ in range(4)]
        after = calor.heap_snapshot()
        calor.disable_profiling()
        [first, *_] = after.lines()
        assert first["file"].endswith("test_memory.py") and first["bytes"] >= 4 * 8 * MIB * 0.9
        [leak, *_] = after.leaks(before)
        assert leak["file"] == first["file"] and leak["line"] == first["line"] and leak["bytes"] > 0
        del kept


class TestSnapshots:
    def test_lines_are_exact_where_every_block_is_counted(self):
        enable("exact")
        before = calor.heap_snapshot()
        kept = [bytes(1_000 + n) for n in range(100)]
        after = calor.heap_snapshot()
        calor.disable_profiling()
        size = sum(map(sys.getsizeof, kept))
        [row] = [row for row in after.since(before) if row["blocks"] >= 100]
        assert row["function"].startswith("TestSnapshots.test_lines") or "listcomp" in row["function"]
        assert row["file"].endswith("test_memory.py") and row["is_certain"] and row["interval"] is None
        assert size <= row["bytes"] < size + 20_000
        assert after.is_exact and after.live_bytes - before.live_bytes >= size
        assert after.peak_bytes >= after.live_bytes
        assert after.lines("allocated", top=1)[0]["bytes"] >= after.lines("live", top=1)[0]["bytes"]
        assert [leak["line"] for leak in after.leaks(before)][:1] == [row["line"]]
        assert "test_memory.py" in after.report() and "test_memory.py" in after.report(since=before)
        del kept

    def test_what_is_freed_is_not_held(self, memory):
        enable(memory)
        before = calor.heap_snapshot()
        kept = [bytearray(8 * MIB) for _ in range(8)]
        between = calor.heap_snapshot()
        del kept
        after = calor.heap_snapshot()
        calor.disable_profiling()
        assert between.live_bytes - before.live_bytes > 63 * MIB
        assert after.live_bytes < before.live_bytes + MIB
        assert after.peak_bytes >= 64 * MIB

    def test_a_block_of_code_is_tracked(self):
        with calor.track_heap(exact=True) as heap:
            with pytest.raises(RuntimeError, match="not ended"):
                heap.leaks
            kept = [bytearray(100_000) for _ in range(10)]
            bytearray(500_000)
        assert not calor.is_enabled()
        assert 1_000_000 <= heap.held_bytes < 1_200_000
        assert heap.leaks[0]["blocks"] >= 10 and heap.leaks[0]["file"].endswith("test_memory.py")
        del kept

    def test_tracking_leaves_profiling_as_it_was(self):
        calor.enable_profiling(numpy=False, torch=False, sample_every=7)
        before = _calor.options()
        with calor.track_heap():
            assert _calor.options()[3] == "sampled"
        assert _calor.options() == before

    def test_a_file_of_it_is_read_by_others(self, tmp_path):
        enable("exact")
        kept = bytearray(MIB)
        path = tmp_path / "heap.calor"
        calor.heap_snapshot().save(path)
        calor.disable_profiling()
        assert not calor.load(path).is_empty
        del kept

    def test_what_is_wrong_is_told(self):
        code = "import calor\ntry: calor.heap_snapshot()\nexcept RuntimeError as error: print(error)"
        assert "enable_profiling(memory=True)" in run(code)
        enable("exact")
        exact = calor.heap_snapshot()
        enable("sampled")
        sampled = calor.heap_snapshot()
        with pytest.raises(ValueError, match="every block"):
            sampled.since(exact)
        with pytest.raises(ValueError, match="'peak'"):
            exact.lines("size")
        with pytest.raises(ValueError, match="'markdown'"):
            exact.report("pdf")
        with pytest.raises(TypeError, match="exact"):
            calor.track_heap(exact="yes")
        with pytest.raises(ValueError, match="no way 'all'"):
            calor.enable_profiling(memory="all")


class TestBeside:
    """Others that look at memory, and processes."""

    def test_tracemalloc_goes_on_whoever_came_first(self, memory):
        enable(memory)
        tracemalloc.start()
        kept = bytearray(MIB)
        assert tracemalloc.get_traced_memory()[0] >= MIB
        calor.disable_profiling()
        more = bytearray(MIB)
        assert tracemalloc.get_traced_memory()[0] >= 2 * MIB
        tracemalloc.stop()
        # Ours are first again, and pass everything on.
        enable(memory)
        with calor.scope("after"):
            bytearray(MIB)
        assert calor.profile_report("json")["after"]["allocated_bytes"] >= MIB
        del kept, more

    def test_hooks_that_somebody_took_away_are_told_and_put_back(self, memory):
        tracemalloc.start()
        enable(memory)
        bytearray(MIB)
        calor.heap_snapshot()
        assert "memory_interrupted" not in codes()
        tracemalloc.stop()
        calor.heap_snapshot()
        assert "memory_interrupted" in codes()
        enable(memory)
        assert "memory_interrupted" not in codes()
        with calor.scope("after"):
            bytearray(MIB)
        assert calor.profile_report("json")["after"]["allocated_bytes"] >= MIB

    def test_the_allocators_are_as_they_were_found(self, memory):
        import ctypes

        words = (ctypes.c_void_p * 5)

        def allocators():
            found = []
            for domain in range(3):
                allocator = words()
                ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(allocator))
                found.append(list(allocator))
            return found

        before = allocators()
        enable(memory)
        assert all(now[1] != then[1] for now, then in zip(allocators(), before))
        calor.disable_profiling()
        assert allocators() == before

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_a_forked_child_counts_anew(self, memory):
        code = f"""
            import os, calor
            calor.enable_profiling(numpy=False, torch=False, memory={memory!r})
            kept = [bytearray(1_000_000) for _ in range(20)]
            with calor.scope("parent"):
                more = bytearray(1_000_000)
            child = os.fork()
            if child == 0:
                del kept, more
                with calor.scope("child"):
                    mine = bytearray(3_000_000)
                told = calor.profile_report("json")
                is_right = told["child"]["allocated_bytes"] >= 3_000_000 and "parent" not in told
                held = calor.heap_snapshot().live_bytes
                os._exit(0 if is_right and held < 15_000_000 else 1)
            print(os.waitpid(child, 0)[1], calor.profile_report("json")["parent"]["allocated_bytes"] >= 1_000_000)
        """
        assert run(code) == "0 True\n"

    def test_memory_of_many_turns_stays_where_it_is(self, memory):
        code = f"""
            import calor

            def resident():
                with open("/proc/self/statm") as file:
                    return int(file.read().split()[1]) * 4096

            def turn():
                calor.enable_profiling(numpy=False, torch=False, memory={memory!r})
                with calor.scope("work"):
                    kept = [str(n) for n in range(5_000)]
                calor.disable_profiling()
                calor.clear_profile()

            for _ in range(30):
                turn()
            before = resident()
            for _ in range(100):
                turn()
            print(resident() - before < 4_000_000)
        """
        assert run(code) == "True\n"

    def test_what_was_cleared_is_gone(self, memory):
        enable(memory)
        with calor.scope("work"):
            bytearray(8 * MIB)
        calor.clear_profile()
        with calor.scope("work"):
            bytearray(MIB)
        calor.disable_profiling()
        assert calor.profile_report("json")["work"]["allocated_bytes"] < 2 * MIB
        calor.clear_profile()
        calor.enable_profiling(numpy=False, torch=False)
        with calor.scope("plain"):
            pass
        assert "allocated_bytes" not in calor.profile_report("json")["plain"]

    def test_recommendations_know_what_is_held(self):
        enable("exact")
        with calor.scope("work"):
            for n in range(200_000):
                str(n) * 3
        calor.disable_profiling()
        assert isinstance(calor.get_recommendations(), list)


def run(code):
    told = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert told.returncode == 0, told.stderr
    return told.stdout
