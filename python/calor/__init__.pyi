from ._ab import ab as ab
from ._baseline import check_baseline as check_baseline, set_baseline as set_baseline
from ._calor import (
    Alarm as Alarm,
    CallBaseline as CallBaseline,
    CallWindow as CallWindow,
    Comparison as Comparison,
    Detector as Detector,
    HeapSnapshot as HeapSnapshot,
    Outcome as Outcome,
    ProfileContext as ProfileContext,
    Signal as Signal,
    Snapshot as Snapshot,
    __version__ as __version__,
    scope as scope,
)
from ._compare import compare as compare
from ._control import (
    clear_profile as clear_profile,
    disable_profiling as disable_profiling,
    enable_profiling as enable_profiling,
    is_enabled as is_enabled,
    profiling as profiling,
)
from ._export import export as export
from ._heap import heap_snapshot as heap_snapshot, track_heap as track_heap
from ._jupyter import (
    load_ipython_extension as load_ipython_extension,
    unload_ipython_extension as unload_ipython_extension,
)
from ._monitor import Monitor as Monitor
from ._recommend import get_recommendations as get_recommendations
from ._recording import start_recording as start_recording, stop_recording as stop_recording
from ._report import load as load, profile_report as profile_report, snapshot as snapshot
from ._scope import profile as profile

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

def __dir__() -> list[str]: ...
