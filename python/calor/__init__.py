"""Calor: where the time of a program goes, whether it is slower than before, and how sure that is.

>>> import calor
>>> outcome = calor.ab(sorted, list, [3, 1, 2], max_time=0.2)
>>> outcome.verdict in ("improved", "undecided")
True
"""

from ._ab import ab
from ._calor import Alarm, CallBaseline, CallWindow, Detector, Outcome, ProfileContext, Signal, __version__, scope
from ._control import clear_profile, disable_profiling, enable_profiling, is_enabled, profiling
from ._recording import start_recording, stop_recording
from ._scope import profile

__all__ = [
    "Alarm",
    "CallBaseline",
    "CallWindow",
    "Detector",
    "Outcome",
    "ProfileContext",
    "Signal",
    "__version__",
    "ab",
    "clear_profile",
    "disable_profiling",
    "enable_profiling",
    "is_enabled",
    "profile",
    "profiling",
    "scope",
    "start_recording",
    "stop_recording",
]
