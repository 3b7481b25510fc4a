"""Recordings: profiles that are written to a file while the program runs."""

import os

from . import _calor
from ._control import disable_profiling, enable_profiling


def start_recording(path, *, timeline=True, interval=0.5):
    """Writes what is recorded to a file, a part every ``interval`` seconds, until ``stop_recording()`` or the end.

    A program that is killed leaves a file that lacks at most the last parts, and ``calor report FILE`` reads it
    while the program still runs. Turns profiling on where it is off.

    Args:
        path: The file, by custom ``something.calor``.
        timeline: Also write when scopes ran, not only how long they took.
        interval: Seconds between parts, from 0.05 to 60.

    >>> import calor, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "run.calor")
    >>> calor.start_recording(path)
    >>> with calor.scope("work"):
    ...     pass
    >>> calor.stop_recording() == path
    True
    >>> calor.disable_profiling()
    """
    path = os.fsdecode(path)
    if not isinstance(timeline, bool):
        raise TypeError(f"timeline is True or False, not {timeline!r}")
    if isinstance(interval, bool) or not isinstance(interval, (int, float)):
        raise TypeError(f"interval is a number of seconds, not {interval!r}")
    if not 0.05 <= interval <= 60:
        raise ValueError(f"interval is between 0.05 and 60 seconds, not {interval!r}")
    was_on = _calor.is_set_up()
    if not was_on:
        enable_profiling()
    try:
        _calor.start_recording(path, timeline, float(interval))
    except BaseException:
        if not was_on:
            disable_profiling()
        raise


def stop_recording():
    """Ends the recording and waits until its file is complete. Profiling stays on.

    Returns:
        The path of the file, or None where no recording was under way.

    Raises:
        OSError: The file could not be written to the end.

    >>> import calor
    >>> calor.stop_recording() is None
    True
    """
    recorded = _calor.stop_recording()
    if recorded is None:
        return None
    path, _, problem = recorded
    if problem is not None:
        raise OSError(problem)
    return os.fspath(path)
