"""Scopes in coroutines: concurrent tasks keep their scopes apart."""

import asyncio

import calor
import pytest
from calor import _calor


@pytest.fixture(autouse=True)
def recorder():
    calor.enable_profiling(numpy=False, torch=False)
    calor.clear_profile()
    yield
    calor.disable_profiling()
    calor.clear_profile()


def rows():
    return {"/".join(row["path"]): row for row in _calor.scope_rows() if row["calls"] or row["lives"]}


def check_tasks(handle, n):
    async def main():
        await asyncio.gather(*[handle(i) for i in range(n)])

    asyncio.run(main())
    found = rows()
    assert found["request"]["lives"] == n
    assert found["request/parse"]["calls"] == n
    assert found["request/query"]["lives"] == n
    assert found["request/render"]["calls"] == n
    assert set(found) == {"request", "request/parse", "request/query", "request/render"}


def render():
    with calor.scope("render"):
        pass


def test_with_keeps_tasks_apart():
    async def handle(n):
        with calor.scope("request"):
            with calor.scope("parse"):
                pass
            with calor.scope("query"):
                await asyncio.sleep(0.001 * (n % 3))
            render()

    # A scope in a coroutine that never waits is still one of a coroutine.
    check_tasks(handle, 50)


def test_async_with_keeps_tasks_apart():
    async def handle(n):
        async with calor.scope("request"):
            async with calor.scope("parse"):
                pass
            async with calor.scope("query") as query:
                await asyncio.sleep(0.001 * (n % 3))
                query.add("rows", 2)
            render()

    check_tasks(handle, 50)
    assert rows()["request/query"]["counters"] == {"rows": 100}


def test_a_kept_scope_keeps_tasks_apart():
    request, query = calor.scope("request"), calor.scope("query")

    async def handle(n):
        with request:
            with calor.scope("parse"):
                pass
            with query:
                await asyncio.sleep(0.001 * (n % 3))
            render()

    check_tasks(handle, 50)


def test_a_task_that_is_started_inside_is_not_inside():
    async def child():
        with calor.scope("child"):
            await asyncio.sleep(0.001)

    async def main():
        with calor.scope("parent"):
            task = asyncio.ensure_future(child())
            await asyncio.sleep(0.002)
            await task

    asyncio.run(main())
    assert set(rows()) == {"parent", "child"}


def test_coroutines_that_are_awaited_inside_are_inside():
    async def inner():
        with calor.scope("inner"):
            await asyncio.sleep(0.001)

    async def other():
        for _ in range(5):
            with calor.scope("other"):
                await asyncio.sleep(0)

    async def outer():
        with calor.scope("outer"):
            await inner()
            render()

    async def main():
        await asyncio.gather(outer(), other(), outer())

    asyncio.run(main())
    found = rows()
    assert found["outer/inner"]["lives"] == 2
    assert found["outer/render"]["calls"] == 2
    assert found["other"]["lives"] == 5
    assert set(found) == {"outer", "outer/inner", "outer/render", "other"}


def test_tasks_that_are_cancelled_close_their_scopes():
    async def wait():
        with calor.scope("wait"):
            await asyncio.sleep(60)

    async def main():
        tasks = [asyncio.ensure_future(wait()) for _ in range(20)]
        await asyncio.sleep(0.001)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with calor.scope("after"):
            await asyncio.sleep(0)

    asyncio.run(main())
    assert rows()["wait"]["lives"] == 20
    assert set(rows()) == {"wait", "after"}


def test_thousands_of_tasks_stay_flat():
    async def handle():
        with calor.scope("request"):
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    async def main():
        await asyncio.gather(*[handle() for _ in range(3000)])

    asyncio.run(main())
    assert set(rows()) == {"request"}
    assert rows()["request"]["lives"] == 3000


def test_a_loop_in_a_thread_beside_the_main_one():
    import threading

    async def handle():
        with calor.scope("request"):
            await asyncio.sleep(0.001)

    async def main():
        await asyncio.gather(*[handle() for _ in range(20)])

    threads = [threading.Thread(target=asyncio.run, args=(main(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    asyncio.run(main())
    for thread in threads:
        thread.join()
    lives = [row["lives"] for row in _calor.scope_rows() if row["path"] == ["request"]]
    assert sum(lives) == 80
    assert {len(row["path"]) for row in _calor.scope_rows()} == {1}


class TestOperationsOfTasks:
    """What is recorded without a scope of the program belongs to the task that runs."""

    N_TASKS, N_STEPS = 6, 5

    def counts(self, handle, **options):
        calor.enable_profiling(**options)

        async def main():
            await asyncio.gather(*[handle(n) for n in range(self.N_TASKS)])

        asyncio.run(main())
        calor.disable_profiling()
        found = {}
        for row in _calor.scope_rows():
            if row["calls"]:
                path = "/".join(row["path"])
                found[path] = found.get(path, 0) + row["calls"]
        return found

    def check_operations(self, run, operation, **options):
        async def handle(n):
            # The name of a task's scope tells whose operations are below it.
            with calor.scope(f"task {n}"):
                for _ in range(self.N_STEPS):
                    run()
                    await asyncio.sleep(0)
                    for _ in range(n):
                        run()
            run()

        found = self.counts(handle, **options)
        counts = {path: calls for path, calls in found.items() if path.endswith(operation)}
        expected = {f"task {n}/{operation}": self.N_STEPS * (1 + n) for n in range(self.N_TASKS)}
        assert counts == {**expected, operation: self.N_TASKS}

    def test_operations_of_numpy_are_counted_in_their_tasks_scope(self):
        np = pytest.importorskip("numpy")
        a = np.ones(8)
        self.check_operations(lambda: a + a, "add", numpy=True, torch=False)

    def test_operations_of_torch_are_counted_in_their_tasks_scope(self):
        torch = pytest.importorskip("torch")
        a = torch.ones(8)
        self.check_operations(lambda: a + a, "add", numpy=False, torch="operations")

    @pytest.mark.parametrize("way", ["trace", "eval"])
    def test_traced_functions_are_counted_in_their_tasks_scope(self, way):
        def work():
            return 1

        async def handle(n):
            with calor.scope(f"task {n}"):
                for _ in range(self.N_STEPS):
                    work()
                    await asyncio.sleep(0)
                    work()

        found = self.counts(handle, numpy=False, torch=False, functions=way)
        of_work = {path: calls for path, calls in found.items() if path.endswith("work")}
        by_task = {n: 0 for n in range(self.N_TASKS)}
        for path, calls in of_work.items():
            tasks = [part for part in path.split("/") if part.startswith("task ")]
            assert len(tasks) == 1, path
            by_task[int(tasks[0][5:])] += calls
        assert by_task == dict.fromkeys(range(self.N_TASKS), 2 * self.N_STEPS)
