import os
from typing import Optional, Union

def start_recording(
    path: Union[str, bytes, os.PathLike[str], os.PathLike[bytes]],
    *,
    timeline: bool = True,
    interval: float = 0.5,
) -> None: ...
def stop_recording() -> Optional[str]: ...
