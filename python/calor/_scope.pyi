from typing import Any, Callable, Optional, TypeVar, overload

_F = TypeVar("_F", bound=Callable[..., Any])

@overload
def profile(function: _F, /, *, name: Optional[str] = None, **labels: Any) -> _F: ...
@overload
def profile(function: None = None, /, *, name: Optional[str] = None, **labels: Any) -> Callable[[_F], _F]: ...
