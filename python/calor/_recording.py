"""Recordings: profiles that are written to a file while the program runs."""

import os
import sys

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

    Raises:
        FileExistsError: A file is there that is no profile: it is not written over.
        OSError: The file cannot be written.

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
    command = _of_command()
    if command is not None and not command.is_asked:
        command.begin(path)
        return
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

    Under ``python -m calor --record`` the command's recording goes on: it is complete when the program has ended.

    Returns:
        The path of the file, or None where no recording was under way.

    Raises:
        OSError: The file could not be written to the end.

    >>> import calor
    >>> calor.stop_recording() is None
    True
    """
    command = _of_command()
    if command is not None:
        return command.end()
    recorded = _calor.stop_recording()
    if recorded is None:
        return None
    path, _, problem = recorded
    if problem is not None:
        raise OSError(problem)
    return os.fspath(path)


def start_for_command(path):
    """Begins the recording of the whole program, which it is not to end."""
    global _command
    start_recording(path)
    _command = _Command(os.fsdecode(path))


def stop_for_command():
    """Ends it, as ``stop_recording`` does."""
    global _command
    _command = None
    return stop_recording()


class _Command:
    """The recording of ``python -m calor --record``, which goes on whatever the program asks for."""

    def __init__(self, path):
        self.path = path
        self.owner = os.getpid()
        self.options = _calor.options()
        # Whether the program has started one of its own, as far as it can tell.
        self.is_asked = False
        self.is_told = False

    def begin(self, path):
        self.is_asked = True
        if self.options is not None and not _calor.is_set_up():
            # The program turned it off since: on again as the command wants it.
            _calor.enable(*self.options)
        if not self.is_told:
            self.is_told = True
            print(
                f"calor: {path!r} is not written, because `python -m calor --record` records the program already, "
                f"to {self.path!r}; leave out one of them",
                file=sys.stderr,
            )

    def end(self):
        path = self.path if self.is_asked else None
        self.is_asked = False
        return path


_command = None


def _of_command():
    """The command's recording; None where there is none in this process."""
    return _command if _command is not None and _command.owner == os.getpid() else None
