"""What to change, and what that would give."""

import json

from ._report import as_snapshot


def get_recommendations(*, profile=None, context=None):
    """What makes the program slow and how to change it, the most sure gain first.

    The rules are those of ``calor findings``: each tells the figures it rests on and what the change gives the whole
    program, as an interval.

    Args:
        profile: A ``Snapshot`` or the path of a profile; what was recorded in this process otherwise.
        context: Only what happened inside the ``ProfileContext`` of this name.

    Returns:
        A list of dicts: ``priority`` ("HIGH", "MEDIUM" or "LOW"), ``title``, ``estimated_speedup`` (such as
        "1.20x to 1.60x"), ``description``, ``code_example``, ``rule``, ``evidence``, ``location`` (``file``, ``line``,
        ``function``) and ``gain`` (``[low, high]``, 1.0 is none). Empty where no rule found anything.

    >>> import calor
    >>> for found in calor.get_recommendations():
    ...     print(found["priority"], found["title"], found["estimated_speedup"])
    """
    if context is not None and not isinstance(context, str):
        raise TypeError(f"context is the name of a context, not {context!r}")
    return json.loads(as_snapshot(profile).recommendations(context))
