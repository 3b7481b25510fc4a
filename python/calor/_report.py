"""What was recorded, as pages for people and as a dict for programs."""

import json
import os
import shutil
import sys

from ._calor import Snapshot

_FORMATS = ("text", "json", "html", "markdown", "csv")


def snapshot(name=None):
    """What was recorded so far, as it is now: a value that no longer changes.

    Args:
        name: What it is called in comparisons.

    Returns:
        Snapshot: to be given to ``profile_report``, ``get_recommendations``, ``export`` and ``compare``.

    >>> import calor
    >>> calor.snapshot("before").name
    'before'
    """
    return Snapshot.take("this process" if name is None else str(name))


def load(path):
    """A profile from a file: a ``.calor`` file, or any other format that ``calor convert --list`` shows. A name such as
    ``"store:latest"`` stands for a run of the project's store.

    >>> import calor, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "run.calor")
    >>> calor.export(path)
    >>> calor.load(path).is_empty in (True, False)
    True
    """
    return Snapshot.load(os.fsdecode(path))


def profile_report(format="text", *, context=None, top=None, profile=None, width=None, color=False):
    """Where the time went: operations by line and shape, contexts and scopes, and what to change first.

    Args:
        format: ``"text"``, ``"json"``, ``"html"``, ``"markdown"`` or ``"csv"``.
        context: Only what happened inside the ``ProfileContext`` of this name.
        top: How many rows each list has at most; what fits a page otherwise, and all in JSON and CSV.
        profile: A ``Snapshot`` or the path of a profile; what was recorded in this process otherwise.
        width: Columns of a page of text; those of the terminal otherwise.
        color: Whether text is coloured.

    Returns:
        A ``str``, or for ``"json"`` a ``dict``: ``operations`` is a list of rows, ``contexts`` has all contexts and
        scopes by name, and each of them stands under its own name, too, unless a field has that name. Times end in
        ``_ns`` or ``_ms``; what was not measured is ``None``, and ``warnings`` says why.

    >>> import calor
    >>> calor.enable_profiling()
    >>> with calor.ProfileContext("load"):
    ...     rows = list(range(1000))
    >>> report = calor.profile_report(format="json")
    >>> report["load"]["count"]
    1
    >>> calor.disable_profiling()
    """
    if format == "md":
        format = "markdown"
    if format not in _FORMATS:
        raise ValueError(f"there is no format {format!r}: it is one of {', '.join(map(repr, _FORMATS))}")
    if context is not None and not isinstance(context, str):
        raise TypeError(f"context is the name of a context, not {context!r}")
    page = as_snapshot(profile).page(format, context, _rows(top), _columns(width), bool(color))
    return _warned(json.loads(page)) if format == "json" else page


def _warned(report):
    """A report that says which contexts do not stand under their own name, because a field has it."""
    hidden = [name for name, section in report["contexts"].items() if name in report and report[name] != section]
    if hidden:
        names = ", ".join(f'report["contexts"][{name!r}]' for name in hidden)
        message = f"a field of the report has the name of a context or scope: read {names}, or give it another name"
        report["warnings"].append({"code": "context_named_as_field", "message": message, "count": len(hidden)})
    return report


def as_snapshot(given):
    """A snapshot of whatever stands for a profile."""
    if given is None:
        return snapshot()
    if isinstance(given, Snapshot):
        return given
    if isinstance(given, (str, os.PathLike)):
        return load(given)
    raise TypeError(f"expected a snapshot (calor.snapshot()) or the path of a profile, got {given!r}")


def _rows(top):
    if top is None:
        return None
    if isinstance(top, bool) or not isinstance(top, int):
        raise TypeError(f"top is a whole number of rows or None, not {top!r}")
    if top < 1:
        raise ValueError(f"top={top!r} leaves no rows: give 1 or more, or None for what fits a page")
    return top


def _columns(width):
    if width is None:
        is_terminal = getattr(sys.stdout, "isatty", lambda: False)()
        return max(60, shutil.get_terminal_size((120, 24)).columns) if is_terminal else 120
    if isinstance(width, bool) or not isinstance(width, int):
        raise TypeError(f"width is a whole number of columns or None, not {width!r}")
    return min(max(width, 40), 1000)
