"""Profiles as files, for Calor itself and for other tools."""

import os

from . import _calor
from ._report import as_snapshot


def export(path, *, profile=None, context=None):
    """Writes what was recorded to a file; its ending says which format.

    ====================================== =====================================================
    ``.html`` ``.md`` ``.txt``             a report to read
    ``.json`` ``.csv``                     the same for programs and spreadsheets
    ``.svg`` ``.flame.html``               a flame graph, as a picture and as a page
    ``.calor``                             everything, for the ``calor`` command and ``calor.load``
    ``.speedscope.json`` ``.trace.json``   for speedscope, and for Perfetto and Chrome
    ``.pprof`` ``.pb.gz`` ``.folded``      for pprof, and for tools that draw flame graphs
    ``.firefox.json``                      for the Firefox Profiler
    ====================================== =====================================================

    A file that is there is replaced by a whole one, or stays as it is when that fails.

    Args:
        path: The file.
        profile: A ``Snapshot`` or the path of a profile; what was recorded in this process otherwise.
        context: Only what happened inside the ``ProfileContext`` of this name.

    Raises:
        ValueError: The ending names no format; the message lists all.
        OSError: The file cannot be written.

    >>> import calor, os, tempfile
    >>> calor.export(os.path.join(tempfile.mkdtemp(), "run.calor"))
    """
    as_snapshot(profile).export(os.fsdecode(path), context)


def check(path):
    """Raises what ``export`` would raise of a path, before there is anything to write."""
    path = os.fsdecode(path)
    _calor.check_export(path)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no folder {folder!r} to write to: {path}")
