from typing import Any, Optional

from ._report import _Profile

def get_recommendations(
    *, profile: Optional[_Profile] = None, context: Optional[str] = None
) -> list[dict[str, Any]]: ...
