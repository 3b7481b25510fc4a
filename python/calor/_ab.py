"""Is this function slower than that one, and how sure is that."""

import inspect

from . import _calor


def ab(
    f,
    g,
    args=(),
    kwargs=None,
    *,
    others=(),
    names=None,
    make_args=None,
    metric="cpu",
    margin=0.02,
    max_time=5.0,
    max_pairs=1000,
    seed=None,
):
    """Calls functions in turns, in random order, until it is known whether they differ.

    Only differences within a turn count, so that what else the machine does hits both alike. It ends
    by itself: decided, or after ``max_time`` seconds or ``max_pairs`` pairs.

    Args:
        f: What the others are compared with.
        g: The function to judge.
        args: What each call is given: a tuple of arguments, or anything else as the only one.
        kwargs: Keyword arguments of each call.
        others: Further functions to judge against ``f``.
        names: What the functions are called in the outcome; their own names otherwise.
        make_args: Called before each call, untimed, for its arguments; for functions that change them.
        metric: ``"cpu"``, the CPU time of the whole process, or ``"wall"`` for functions that wait.
        margin: Differences up to this part count as none: 0.02 is 2 %.
        seed: What the order of calls follows from; another one each time otherwise.

    Returns:
        Outcome: ``verdict`` ("regressed" where ``g`` is slower, "improved", "same" or "undecided"),
        ``effect``, ``interval``, ``call_ns``, ``to_dict()``; it prints as a sentence.

    A call takes some 50 ns of the interpreter's own, which is measured with it. What a function raises
    ends the comparison and is raised here.

    >>> import calor
    >>> data = list(range(1000))
    >>> slow = lambda values: [value for value in values for _ in range(3)]
    >>> print(calor.ab(sum, slow, (data,), names=["sum", "slow"], max_time=1.0).verdict)
    regressed
    """
    functions = [f, g, *others]
    for function in functions:
        if not callable(function):
            raise TypeError(f"expected functions to call, got {function!r}: other arguments go into args=(...)")
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"a call of {function!r} only makes a coroutine: give lambda: asyncio.run(...), metric=\"wall\"")
        if inspect.isgeneratorfunction(function):
            raise TypeError(f"a call of {function!r} only makes a generator: give lambda: list(...)")
    if metric not in ("cpu", "wall"):
        raise ValueError(f"there is no metric {metric!r}: it is 'cpu' or 'wall'")
    if make_args is not None and args != ():
        raise ValueError("args and make_args were both given: leave one of them out")
    if not 0 < margin < 1:
        raise ValueError(f"a margin of {margin!r} is no part of a whole: 0.02 is 2 %")
    if max_pairs < 1:
        raise ValueError(f"{max_pairs!r} pairs tell nothing: give max_pairs=1 or more")
    return _calor.ab(
        functions,
        _named(functions, names),
        args,
        dict(kwargs) if kwargs else None,
        make_args,
        margin=margin,
        max_time=max_time,
        max_pairs=max_pairs,
        is_wall=metric == "wall",
        seed=seed,
    )


def _named(functions, names):
    """A name for each function, no two alike."""
    if names is not None:
        names = [str(name) for name in names]
        if len(names) != len(functions) or len(set(names)) != len(names):
            raise ValueError(f"expected {len(functions)} different names, got {names!r}")
        return names
    names = [getattr(function, "__name__", None) or type(function).__name__ for function in functions]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({letters[at] if at < 26 else at + 1})" for at, name in enumerate(names)]
