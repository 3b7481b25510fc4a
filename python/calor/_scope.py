"""Functions that are scopes."""

import functools
import inspect

from . import _calor


def profile(function=None, /, *, name=None, **labels):
    """Records each call of a function as a scope.

    Works on functions, methods, class and static methods, coroutine functions, generators and asynchronous
    generators. A coroutine or generator is recorded while it runs, and its whole life beside that. The function
    keeps its name, documentation and signature, and ``__wrapped__`` is what it was.

    Args:
        function: What to record; left out where there are arguments: ``@calor.profile(name="load")``.
        name: What the scope is called; the function's own name otherwise.
        **labels: Tell its calls apart from those of others, as in ``calor.scope``.

    >>> import calor
    >>> @calor.profile
    ... def double(values):
    ...     '''Twice each.'''
    ...     return [2 * value for value in values]
    >>> double([1, 2]), double.__name__, double.__doc__
    ([2, 4], 'double', 'Twice each.')
    """
    if name is not None and not isinstance(name, str):
        raise TypeError(f"the name of a scope is a str, not {name!r}: @calor.profile(name=\"load\")")
    if function is None:
        return functools.partial(profile, name=name, **labels)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(profile(function.__func__, name=name, **labels))
    if isinstance(function, property):
        raise TypeError("calor.profile records functions, and a property has up to three: put it below @property, above the def")
    if isinstance(function, type):
        raise TypeError(
            f"calor.profile records functions, and {function.__name__} is a class: put it on its methods, "
            "`__init__` for what makes an object"
        )
    if not callable(function):
        raise TypeError(
            f'calor.profile records functions, not {function!r}: a name is given as @calor.profile(name="load")'
        )
    scope = _scope_of(function, name, labels)
    plain = inspect.unwrap(function)
    if inspect.iscoroutinefunction(plain):
        return _coroutine(function, scope)
    if inspect.isasyncgenfunction(plain):
        return _async_generator(function, scope)
    if inspect.isgeneratorfunction(plain):
        return _generator(function, scope)
    return functools.update_wrapper(_calor.Profiled(function, scope), function)


def _scope_of(function, name, labels):
    """The scope of a function, at its first line."""
    plain = inspect.unwrap(function)
    while isinstance(plain, functools.partial):
        plain = plain.func
    code = getattr(plain, "__code__", None)
    name = name or getattr(plain, "__qualname__", None) or getattr(plain, "__name__", type(plain).__name__)
    module = getattr(plain, "__module__", None) or ""
    file, line = (code.co_filename, code.co_firstlineno) if code is not None else ("", 0)
    return _calor.scope_at(name, module, file, line, labels or None)


def _coroutine(function, scope):
    @functools.wraps(function)
    async def recorded(*args, **kwargs):
        return await _calor.Steps(_calor.Life(scope), function(*args, **kwargs).__await__(), True)

    return recorded


def _generator(function, scope):
    @functools.wraps(function)
    def recorded(*args, **kwargs):
        return (yield from _calor.Steps(_calor.Life(scope), function(*args, **kwargs), True))

    return recorded


def _async_generator(function, scope):
    @functools.wraps(function)
    async def recorded(*args, **kwargs):
        life = _calor.Life(scope)

        def step(awaitable):
            return _calor.Steps(life, awaitable.__await__(), False)

        inner = function(*args, **kwargs)
        try:
            value = await step(inner.__anext__())
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    await step(inner.aclose())
                    raise
                except BaseException as error:
                    value = await step(inner.athrow(error))
                else:
                    value = await step(inner.asend(sent))
        except StopAsyncIteration:
            life.complete()
        except GeneratorExit:
            raise
        except BaseException:
            life.complete()
            raise

    return recorded
