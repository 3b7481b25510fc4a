from os import PathLike
from typing import Any, Literal, Mapping, Optional, Sequence, Union

from ._report import _Profile

def set_baseline(
    baseline: Union[Mapping[str, float], str],
    *,
    profile: Union[_Profile, Sequence[_Profile], None] = None,
    tolerance: float = 0.5,
    per: Literal["total", "call"] = "total",
    store: Union[str, PathLike[str], None] = None,
) -> None: ...
def check_baseline(
    name: Optional[str] = None,
    *,
    profile: Union[_Profile, Sequence[_Profile], None] = None,
    store: Union[str, PathLike[str], None] = None,
    margin: float = 0.05,
) -> list[dict[str, Any]]: ...
