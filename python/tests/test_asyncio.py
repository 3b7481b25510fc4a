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
