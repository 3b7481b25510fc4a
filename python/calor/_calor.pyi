from typing import Any, Callable, Iterable, Literal, Mapping, Optional, Sequence

__version__: str

class Outcome:
    @property
    def verdict(self) -> Literal["regressed", "improved", "same", "undecided"]: ...
    @property
    def effect(self) -> Optional[float]: ...
    @property
    def interval(self) -> Optional[tuple[float, float]]: ...
    @property
    def pairs(self) -> int: ...
    @property
    def call_ns(self) -> dict[str, float]: ...
    def to_dict(self) -> dict[str, Any]: ...

class CallWindow:
    def __init__(self) -> None: ...
    def add(self, ns: int, size: int = 0) -> None: ...
    def merge(self, other: CallWindow) -> None: ...
    @property
    def calls(self) -> int: ...
    @property
    def total_ns(self) -> float: ...

class CallBaseline:
    def __init__(self, windows: Sequence[CallWindow]) -> None: ...

class Alarm:
    effect: float
    interval: tuple[float, float]
    impact_ns: float
    windows: int

class Signal:
    kind: Literal["too_few_calls", "quiet", "opened", "open", "closed"]
    alarm: Optional[Alarm]

class Detector:
    def __init__(
        self,
        baseline: CallBaseline,
        *,
        min_calls: Optional[int] = None,
        margin: Optional[float] = None,
        min_impact_ns: Optional[float] = None,
    ) -> None: ...
    def observe(self, window: CallWindow, seconds: float) -> Signal: ...
    @property
    def alarm(self) -> Optional[Alarm]: ...

def ab(
    functions: Sequence[Callable[..., Any]],
    names: Sequence[str],
    arguments: Any,
    keywords: Optional[Mapping[str, Any]],
    make: Optional[Callable[[], Any]],
    *,
    margin: float,
    max_time: float,
    max_pairs: int,
    is_wall: bool,
    seed: Optional[int],
) -> Outcome: ...

def enable(
    numpy: bool, torch: bool, functions: str, memory: bool, sample_every: Optional[int]
) -> None: ...
def disable() -> None: ...
def clear() -> None: ...
def is_enabled() -> bool: ...
def warnings() -> list[tuple[str, str]]: ...
