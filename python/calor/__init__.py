"""Calor: where the time of a program goes, whether it is slower than before, and how sure that is.

>>> import calor
>>> outcome = calor.ab(sorted, list, [3, 1, 2], max_time=0.2)
>>> outcome.verdict in ("improved", "undecided")
True
"""

try:
    from . import _calor
except ImportError as error:
    from ._unsupported import explain

    raise explain(error) from error

from ._calor import (
    Alarm,
    CallBaseline,
    CallWindow,
    Comparison,
    Detector,
    HeapSnapshot,
    Outcome,
    ProfileContext,
    Signal,
    Snapshot,
    __version__,
    scope,
)

#: Where the rest is. It is loaded when it is first asked for: whoever has the package installed pays for the `calor`
#: command and for pytest, which loads plugins, with the native module alone.
_PLACES = {
    "Monitor": "_monitor",
    "ab": "_ab",
    "check_baseline": "_baseline",
    "clear_profile": "_control",
    "compare": "_compare",
    "disable_profiling": "_control",
    "enable_profiling": "_control",
    "export": "_export",
    "get_recommendations": "_recommend",
    "heap_snapshot": "_heap",
    "is_enabled": "_control",
    "load": "_report",
    "load_ipython_extension": "_jupyter",
    "profile": "_scope",
    "profile_report": "_report",
    "profiling": "_control",
    "set_baseline": "_baseline",
    "snapshot": "_report",
    "start_recording": "_recording",
    "stop_recording": "_recording",
    "track_heap": "_heap",
    "unload_ipython_extension": "_jupyter",
}

__all__ = [
    "Alarm",
    "CallBaseline",
    "CallWindow",
    "Comparison",
    "Detector",
    "HeapSnapshot",
    "Monitor",
    "Outcome",
    "ProfileContext",
    "Signal",
    "Snapshot",
    "__version__",
    "ab",
    "check_baseline",
    "clear_profile",
    "compare",
    "disable_profiling",
    "enable_profiling",
    "export",
    "get_recommendations",
    "heap_snapshot",
    "is_enabled",
    "load",
    "profile",
    "profile_report",
    "profiling",
    "scope",
    "set_baseline",
    "snapshot",
    "start_recording",
    "stop_recording",
    "track_heap",
]


def __getattr__(name):
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Not by `importlib`, which is more than this takes.
    value = getattr(__import__(f"{__name__}.{place}", fromlist=[name]), name)
    globals()[name] = value
    return value


def _load_rest():
    # When the first scope is made: the interpreter looks attributes of modules that have a `__getattr__` up the slow way,
    # and `calor.scope` is looked up each time.
    for name in _PLACES:
        if name not in globals():
            __getattr__(name)
    globals().pop("__getattr__", None)


def __dir__():
    return sorted({*globals(), *_PLACES})
