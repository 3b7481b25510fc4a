"""Is this run slower than that one, and how sure is that."""

import os

from . import _calor
from ._report import as_snapshot


def compare(before, after, *, metric=None, margin=0.02, by="self", interleaved=False):
    """Compares profiles: a verdict with its interval, and which scopes and operations changed.

    One run a side tells what may have changed; several a side tell how sure that is.

    Args:
        before: A ``Snapshot``, the path of a profile, or a list of these.
        after: The same.
        metric: ``"scopes"``, ``"cpu"``, ``"wall"``, ``"allocated"`` and so on; the first that all have otherwise.
        margin: Differences up to this part count as none: 0.02 is 2 %.
        by: ``"self"`` lists scopes by what they take themselves, ``"total"`` with what is inside.
        interleaved: Whether the runs of both sides took turns: they are compared in pairs then.

    Returns:
        Comparison: ``verdict`` ("regressed", "improved", "same" or "undecided"), ``effect``, ``interval``, ``metric``,
        ``sentence``, ``to_dict()``, ``report(format)``; it prints as a page.

    >>> import calor
    >>> calor.enable_profiling()
    >>> with calor.scope("work"):
    ...     total = sum(range(1000))
    >>> before = calor.snapshot("before")
    >>> with calor.scope("work"):
    ...     total = sum(range(1000))
    >>> calor.compare(before, calor.snapshot("after")).verdict in ("regressed", "improved", "same", "undecided")
    True
    >>> calor.disable_profiling()
    """
    if metric is not None and not isinstance(metric, str):
        raise TypeError(f"metric is the name of what is compared, such as 'scopes', not {metric!r}")
    if not 0 <= margin < 1:
        raise ValueError(f"a margin of {margin!r} is no part of a whole: 0.02 is 2 %")
    if by not in ("self", "total"):
        raise ValueError(f"scopes are listed by 'self' or 'total', not by {by!r}")
    before, after = _side(before), _side(after)
    is_same = any(one is other for one in before for other in after)
    return _calor.compare(
        before, after, metric=metric, margin=margin, by=by, is_interleaved=bool(interleaved), is_same=is_same
    )


def _side(given):
    is_one = given is None or isinstance(given, (str, os.PathLike, _calor.Snapshot))
    # What is no list either is refused with what it should have been.
    given = [given] if is_one or not hasattr(given, "__iter__") else given
    side = [as_snapshot(one) for one in given]
    if not side:
        raise ValueError("expected at least one profile on each side of a comparison")
    return side
