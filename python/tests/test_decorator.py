"""Decorated functions: what they were, timed."""

import asyncio
import functools
import gc
import inspect
import pickle
import weakref

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
    return {"/".join(row["path"]): row for row in _calor.scope_rows() if row["calls"] or row["lives"] or row["cancelled"]}


@calor.profile
def add(a, b=2, *rest, scale=1, **named):
    """Adds."""
    return (a + b + sum(rest)) * scale, named


class Shape:
    @calor.profile
    def area(self, factor, *, unit="m"):
        return self, factor, unit

    @calor.profile
    @staticmethod
    def count(n):
        return n

    @staticmethod
    @calor.profile
    def count_inside(n):
        return n

    @calor.profile
    @classmethod
    def make(cls, n):
        return cls, n

    @classmethod
    @calor.profile
    def make_inside(cls, n):
        return cls, n


def test_calls_are_handed_on_and_counted():
    assert add(1) == (3, {})
    assert add(1, 2, 3, scale=2, extra=4) == (12, {"extra": 4})
    assert add(*(1,), **{"b": 5}) == (6, {})
    assert rows()["add"]["calls"] == 3


def test_it_looks_like_what_it_was():
    assert (add.__name__, add.__doc__, add.__module__) == ("add", "Adds.", __name__)
    assert str(inspect.signature(add)) == "(a, b=2, *rest, scale=1, **named)"
    assert inspect.unwrap(add).__code__.co_name == "add"
    assert repr(add) == repr(add.__wrapped__)
    assert pickle.loads(pickle.dumps(add)) is add
    assert callable(add) and inspect.isroutine(inspect.unwrap(add))
    assert "def add" in inspect.getsource(add)


def test_it_is_where_it_is_written():
    add(1)
    row = rows()["add"]
    assert (row["file"], row["module"]) == (__file__, __name__)
    assert row["line"] == add.__wrapped__.__code__.co_firstlineno


def test_methods_bind():
    shape = Shape()
    assert shape.area(2, unit="cm") == (shape, 2, "cm")
    assert Shape.area(shape, 3) == (shape, 3, "m")
    bound = shape.area
    assert bound(4) == (shape, 4, "m") and bound.__self__ is shape and bound.__name__ == "area"
    assert Shape.count(3) == shape.count(3) == Shape.count_inside(3) == 3
    assert Shape.make(1) == shape.make_inside(1) == (Shape, 1)
    assert rows()["Shape.area"]["calls"] == 3
    assert pickle.loads(pickle.dumps(shape.area)).__func__ is Shape.area


def test_subclasses_and_super_find_it():
    class Square(Shape):
        @calor.profile(name="square")
        def area(self, factor, *, unit="m"):
            return super().area(factor, unit=unit)

    square = Square()
    assert square.area(2) == (square, 2, "m")
    assert rows()["square/Shape.area"]["calls"] == 1


def test_names_and_labels_may_be_given():
    @calor.profile(name="load", codec="zstd")
    def anything():
        return 7

    assert anything() == 7
    assert rows()["load"]["labels"] == {"codec": "zstd"}


def test_wrong_uses_are_told():
    for wrong, words in [(3, "not 3"), (Shape, "Shape is a class: put it on its methods"), ("load", 'name="load"')]:
        with pytest.raises(TypeError) as raised:
            calor.profile(wrong)
        assert words in str(raised.value)
    with pytest.raises(TypeError, match="is a str, not 3"):
        calor.profile(name=3)


def test_what_is_raised_passes_through():
    @calor.profile
    def fail():
        raise KeyError("x")

    with pytest.raises(KeyError):
        fail()
    with pytest.raises(TypeError, match="unexpected keyword"):
        Shape().area(1, wrong=2)
    assert rows()[fail.__qualname__]["calls"] == 1


def test_other_callables_are_recorded_too():
    assert calor.profile(len)([1, 2]) == 2
    assert calor.profile(functools.partial(add, 1))(3) == (4, {})
    assert "len" in rows()


def test_recursion_nests():
    @calor.profile(name="down")
    def down(n):
        return n if n == 0 else down(n - 1)

    down(3)
    assert rows()["down/down/down/down"]["calls"] == 1


def test_a_decorated_function_can_be_collected():
    def make():
        @calor.profile
        def function():
            return function

        function.itself = function
        return weakref.ref(function)

    gone = make()
    gc.collect()
    assert gone() is None


def test_attributes_can_be_set():
    @calor.profile
    def function():
        pass

    function.mark = 3
    assert function.mark == 3 and vars(function)["mark"] == 3
    del function.mark
    assert not hasattr(function, "mark")


def test_off_costs_the_result_nothing():
    calor.disable_profiling()
    assert add(1) == (3, {})
    assert rows() == {}


def test_coroutines_are_recorded_while_they_run():
    @calor.profile
    async def fetch(n):
        with calor.scope("before"):
            pass
        await asyncio.sleep(0.001)
        with calor.scope("after"):
            pass
        return n

    assert inspect.iscoroutinefunction(fetch) and asyncio.iscoroutinefunction(fetch)

    async def main():
        return await asyncio.gather(*[fetch(n) for n in range(10)])

    assert asyncio.run(main()) == list(range(10))
    name = fetch.__qualname__
    found = rows()
    assert found[name]["lives"] == 10 and found[name]["calls"] >= 20
    assert found[f"{name}/before"]["calls"] == found[f"{name}/after"]["calls"] == 10
    assert not any(path.startswith(f"{name}/{name}") for path in found)


def test_a_coroutine_that_is_cancelled_is_told():
    @calor.profile(name="wait")
    async def wait():
        await asyncio.sleep(60)

    async def main():
        task = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert rows()["wait"]["lives"] + rows()["wait"]["cancelled"] == 1


def test_a_coroutine_that_raises_has_ended():
    @calor.profile(name="raise")
    async def fail():
        await asyncio.sleep(0)
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(fail())
    assert rows()["raise"]["lives"] == 1


def test_generators_are_recorded_while_they_run():
    @calor.profile(name="produce")
    def produce(n):
        got = []
        for i in range(n):
            got.append((yield i))
        return got

    assert inspect.isgeneratorfunction(produce)
    generator = produce(2)
    assert next(generator) == 0
    with calor.scope("consume"):
        pass
    assert generator.send("a") == 1
    with pytest.raises(StopIteration) as stopped:
        generator.send("b")
    assert stopped.value.value == ["a", "b"]
    assert rows()["produce"]["calls"] == 3 and rows()["produce"]["lives"] == 1
    assert "produce/consume" not in rows()


def test_what_is_thrown_into_a_generator_arrives():
    @calor.profile(name="catch")
    def catch():
        try:
            yield 1
        except KeyError:
            yield 2
        finally:
            closed.append(True)

    closed = []
    generator = catch()
    assert next(generator) == 1
    assert generator.throw(KeyError("x")) == 2
    generator.close()
    assert closed == [True]
    assert rows()["catch"]["cancelled"] == 1


def test_asynchronous_generators_are_recorded_while_they_run():
    @calor.profile(name="stream")
    async def stream(n):
        try:
            for i in range(n):
                got = yield i
                await asyncio.sleep(0)
                if got:
                    yield got
        except KeyError:
            yield "caught"

    assert inspect.isasyncgenfunction(stream)

    async def main():
        assert [i async for i in stream(3)] == [0, 1, 2]
        generator = stream(3)
        assert await generator.__anext__() == 0
        assert await generator.asend("sent") == "sent"
        assert await generator.athrow(KeyError("x")) == "caught"
        with pytest.raises(StopAsyncIteration):
            await generator.__anext__()
        left = stream(3)
        await left.__anext__()
        await left.aclose()

    asyncio.run(main())
    assert rows()["stream"]["lives"] == 2 and rows()["stream"]["cancelled"] == 1
