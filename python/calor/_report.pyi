from os import PathLike
from typing import Any, Literal, Optional, Union, overload

from ._calor import Snapshot

_Profile = Union[Snapshot, str, PathLike[str]]

def snapshot(name: Optional[str] = None) -> Snapshot: ...
def load(path: Union[str, PathLike[str]]) -> Snapshot: ...
@overload
def profile_report(
    format: Literal["json"],
    *,
    context: Optional[str] = None,
    top: Optional[int] = None,
    profile: Optional[_Profile] = None,
    width: Optional[int] = None,
    color: bool = False,
) -> dict[str, Any]: ...
@overload
def profile_report(
    format: Literal["text", "html", "markdown", "md", "csv"] = "text",
    *,
    context: Optional[str] = None,
    top: Optional[int] = None,
    profile: Optional[_Profile] = None,
    width: Optional[int] = None,
    color: bool = False,
) -> str: ...
def as_snapshot(given: Optional[_Profile]) -> Snapshot: ...
