from os import PathLike
from typing import Optional, Union

from ._report import _Profile

def export(
    path: Union[str, PathLike[str]], *, profile: Optional[_Profile] = None, context: Optional[str] = None
) -> None: ...
def check(path: Union[str, PathLike[str]]) -> None: ...
