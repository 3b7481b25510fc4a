"""What is held in memory, by whom, and what a block of code does to it."""

from . import _calor
from ._calor import HeapSnapshot

# Loaded here, or what is tracked would seem to import it.
from . import _control


def heap_snapshot():
    """Who holds memory now, by file and line of Python.

    Memory has to be recorded: by ``enable_profiling(memory=True)``, or within ``track_heap()``. What was allocated before
    that is not known.

    Returns:
        HeapSnapshot: ``live_bytes``, ``live_blocks`` and ``peak_bytes``; ``lines()`` has a dict for each line that holds
        memory; ``since(earlier)`` what two snapshots differ in, and ``leaks(earlier)`` the lines that may leak;
        ``report()`` is a page about it, and ``save("heap.calor")`` keeps it for ``calor heap``.

    >>> import calor
    >>> calor.enable_profiling(numpy=False, torch=False, memory="exact")
    >>> before = calor.heap_snapshot()
    >>> cache = [bytes(1000 + n) for n in range(100)]
    >>> after = calor.heap_snapshot()
    >>> calor.disable_profiling()
    >>> after.live_bytes - before.live_bytes > 100_000
    True
    >>> after.leaks(before)[0]["bytes"] > 100_000
    True
    """
    return HeapSnapshot.take()


def track_heap(*, exact=False):
    """Records what a block of code does to memory: on when it begins, and as it was before when it ends.

    Args:
        exact: Count every block, with its call path; otherwise lines have estimates, from one block for every 512 KiB.

    Returns:
        A context manager, whose value has, once the block has ended: ``before`` and ``after``, both a ``HeapSnapshot``;
        ``changes`` and ``leaks``, lists of lines as ``HeapSnapshot.since`` and ``HeapSnapshot.leaks`` have them; and
        ``held_bytes``, how much more is held than before.

    >>> import calor
    >>> with calor.track_heap(exact=True) as heap:
    ...     kept = [bytes(100_000) for _ in range(10)]
    >>> heap.held_bytes > 1_000_000
    True
    >>> heap.leaks[0]["blocks"] >= 10
    True
    """
    if not isinstance(exact, bool):
        raise TypeError(f"exact is True or False, not {exact!r}")
    return _Tracking("exact" if exact else "sampled")


class _Tracking:
    def __init__(self, memory):
        self._memory = memory
        self._options = None
        self.before = None
        self.after = None

    def __enter__(self):
        self._options = options = _calor.options()
        if options is None:
            _calor.enable(False, "off", "off", self._memory, None)
        else:
            _calor.enable(*options[:3], self._memory, options[4])
        try:
            self.before = heap_snapshot()
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.after = heap_snapshot()
        finally:
            self._restore()

    def _restore(self):
        if self._options is None:
            _control.disable_profiling()
        else:
            _calor.enable(*self._options)

    def _ended(self):
        if self.after is None:
            raise RuntimeError("the block has not ended yet: what it holds is known then")
        return self.after

    @property
    def changes(self):
        """Lines that hold more, or less, than before."""
        return self._ended().since(self.before)

    @property
    def leaks(self):
        """Lines that hold more than before, for certain, in more blocks."""
        return self._ended().leaks(self.before)

    @property
    def held_bytes(self):
        """Bytes that are held more than before."""
        return self._ended().live_bytes - self.before.live_bytes

    def __repr__(self):
        if self.after is None:
            return "<calor.track_heap: not ended>"
        return f"<calor.track_heap: {self.held_bytes:+,} bytes held>"
