from typing import Iterable, Literal, Optional, Union

from ._calor import Comparison
from ._report import _Profile

def compare(
    before: Union[_Profile, Iterable[_Profile]],
    after: Union[_Profile, Iterable[_Profile], None],
    *,
    metric: Optional[str] = None,
    margin: float = 0.02,
    by: Literal["self", "total"] = "self",
    interleaved: bool = False,
) -> Comparison: ...
