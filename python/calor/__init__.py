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

from ._ab import ab
from ._baseline import check_baseline, set_baseline
from ._calor import (
    Alarm,
    CallBaseline,
    CallWindow,
    Comparison,
    Detector,
    Outcome,
    ProfileContext,
    Signal,
    Snapshot,
    __version__,
    scope,
)
from ._compare import compare
from ._control import clear_profile, disable_profiling, enable_profiling, is_enabled, profiling
from ._export import export
from ._jupyter import load_ipython_extension, unload_ipython_extension
from ._monitor import Monitor
from ._recommend import get_recommendations
from ._recording import start_recording, stop_recording
from ._report import load, profile_report, snapshot
from ._scope import profile

__all__ = [
    "Alarm",
    "CallBaseline",
    "CallWindow",
    "Comparison",
    "Detector",
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
]
