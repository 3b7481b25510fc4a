from logging import Logger
from types import TracebackType
from typing import Any, Callable, Optional, Type

from ._calor import Signal

OTHER: str

class Monitor:
    def __init__(
        self,
        *,
        window: float = 60.0,
        baseline_windows: int = 30,
        min_calls: int = 200,
        margin: float = 0.05,
        min_impact_ms: float = 1.0,
        max_routes: int = 200,
        route: Optional[Callable[[Any], str]] = None,
        on_regression: Optional[Callable[[dict[str, Any]], Any]] = None,
        logger: Optional[Logger] = None,
        clock: Callable[[], float] = ...,
    ) -> None: ...
    def wsgi(self, app: Callable[..., Any]) -> Callable[..., Any]: ...
    def asgi(self, app: Callable[..., Any]) -> Callable[..., Any]: ...
    def section(self, name: str) -> _Call: ...
    def observe(self, name: str, ns: int, *, size: int = 0, failed: bool = False) -> Optional[Signal]: ...
    def report(self) -> dict[str, dict[str, Any]]: ...
    def regressions(self) -> dict[str, dict[str, Any]]: ...
    @property
    def failures(self) -> int: ...

class _Call:
    def __enter__(self) -> _Call: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> bool: ...
