"""On, off and clear."""

from . import _calor

# The package loads its parts when they are first asked for. Those that are asked for while functions are traced are loaded
# here, or the program would seem to import them.
from . import _export, _recommend, _report, _scope  # noqa: F401

_TORCH = {False: "off", True: "operations", "names": "names", "operations": "operations", "modules": "modules"}
_MEMORY = {False: "off", True: "sampled", "sampled": "sampled", "exact": "exact"}
_FUNCTIONS = {word: word for word in ("trace", "program", "eval", "sample")}
_FUNCTIONS.update({False: "off", None: "off", True: "trace"})


def enable_profiling(*, numpy=True, torch=True, functions=False, memory=False, sample_every=None):
    """Records from now on: scopes, operations of NumPy and PyTorch, and functions if asked for.

    Calling it again with the same arguments changes nothing; with others, those hold from then on. What was
    recorded before stays: ``clear_profile()`` forgets it.

    Args:
        numpy: Record operations on NumPy arrays, also where NumPy is imported later.
        torch: Record operations of PyTorch with their shapes and types, also where it is imported later. ``"modules"``
            records modules around them by their place in the model as well, at more than a microsecond a module;
            ``"names"`` is quickest, and leaves out what operations work on.
        functions: ``"trace"`` records each call of a Python function: by ``sys.monitoring`` from Python 3.12 on, at
            some 50 ns a call, and before that by running frames, at some 30 ns. ``"eval"`` runs frames wherever that
            is safe, and what is taken instead is told in the warnings. ``"program"`` traces the program's own functions
            and leaves out those of the standard library and of installed packages, whose time is then their callers':
            large programs have more call paths than a thread may have (4,095). ``"sample"`` looks at all threads 999 times a
            second of their CPU time, native functions included, and costs next to nothing. ``False`` does neither.
            A function that is on the path already counts there: recursion does not make paths longer. Generators and
            coroutines are open only while they run.
        memory: Count what Python and NumPy allocate: bytes and the most that was held, of every scope, context,
            operation and traced function, and who holds what (``heap_snapshot()``). Call paths are those of one block
            for every 512 KiB; with ``"exact"`` those of every block, which costs two to four times as much. What C
            libraries allocate for themselves is not seen, tensors of PyTorch among it:
            ``calor record --heap -- python PROGRAM`` sees it.
        sample_every: Count every scope but time one in so many, for very short and very frequent ones.

    What cannot be recorded here is told in the warnings of every report, and does not raise.

    >>> import calor
    >>> calor.enable_profiling()
    >>> calor.is_enabled()
    True
    >>> calor.disable_profiling()
    """
    if not isinstance(numpy, bool):
        raise TypeError(f"numpy is True or False, not {numpy!r}")
    if memory.__class__ not in (bool, str):
        raise TypeError(f"memory is True or False, or 'exact', not {memory!r}")
    if memory not in _MEMORY:
        raise ValueError(f"there is no way {memory!r} to record memory: it is True, False or 'exact'")
    if torch.__class__ not in (bool, str):
        raise TypeError(f"torch is True or False, or 'modules' or 'names', not {torch!r}")
    if torch not in _TORCH:
        raise ValueError(f"there is no way {torch!r} to record PyTorch: it is True, False, 'modules' or 'names'")
    if functions.__class__ not in (bool, str, type(None)) or functions not in _FUNCTIONS:
        raise ValueError(f"there is no way {functions!r} to record functions: it is False, 'trace', 'program', 'eval' or 'sample'")
    if sample_every is not None:
        if isinstance(sample_every, bool) or not isinstance(sample_every, int):
            raise TypeError(f"sample_every is a whole number or None, not {sample_every!r}")
        if not 1 <= sample_every <= 65536:
            raise ValueError(f"sample_every is between 1 and 65536, not {sample_every!r}")
    _calor.enable(numpy, _TORCH[torch], _FUNCTIONS[functions], _MEMORY[memory], sample_every)


def disable_profiling():
    """Records nothing from now on, and leaves NumPy, PyTorch and the interpreter as they were found.

    What was recorded stays for reports. Scopes that are open are still recorded when they end.

    >>> import calor
    >>> calor.enable_profiling()
    >>> calor.disable_profiling()
    >>> calor.is_enabled()
    False
    """
    _calor.disable()


def profiling(**options):
    """Profiles a block: on when it begins, and as it was before when it ends.

    Args:
        **options: Those of ``enable_profiling``.

    >>> import calor
    >>> with calor.profiling(numpy=False):
    ...     calor.is_enabled()
    True
    >>> calor.is_enabled()
    False
    """
    return _Profiling(options)


class _Profiling:
    # Not by `contextlib`, whose functions would be among those that are traced.
    __slots__ = ("_before", "_options")

    def __init__(self, options):
        self._options = options

    def __enter__(self):
        self._before = _calor.options()
        enable_profiling(**self._options)

    def __exit__(self, *_):
        if self._before is None:
            disable_profiling()
        else:
            _calor.enable(*self._before)


def clear_profile():
    """Forgets what was recorded. Scopes that are open now are not counted when they end.

    >>> import calor
    >>> calor.clear_profile()
    """
    _calor.clear()


def is_enabled():
    """Whether anything is recorded.

    >>> import calor
    >>> calor.is_enabled()
    False
    """
    return _calor.is_enabled()
