from typing import Any, Callable, Iterable, Literal, Mapping, Optional

from ._calor import Outcome

def ab(
    f: Callable[..., Any],
    g: Callable[..., Any],
    args: Any = (),
    kwargs: Optional[Mapping[str, Any]] = None,
    *,
    others: Iterable[Callable[..., Any]] = (),
    names: Optional[Iterable[str]] = None,
    make_args: Optional[Callable[[], Any]] = None,
    metric: Literal["cpu", "wall"] = "cpu",
    margin: float = 0.02,
    max_time: float = 5.0,
    max_pairs: int = 1000,
    seed: Optional[int] = None,
) -> Outcome: ...
