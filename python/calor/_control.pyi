from contextlib import AbstractContextManager
from typing import Literal, Optional, Union

def enable_profiling(
    *,
    numpy: bool = True,
    torch: Union[bool, Literal["modules", "operations", "names"]] = True,
    functions: Union[bool, None, Literal["trace", "program", "eval", "sample"]] = False,
    memory: Union[bool, Literal["sampled", "exact"]] = False,
    sample_every: Optional[int] = None,
) -> None: ...
def profiling(
    *,
    numpy: bool = True,
    torch: Union[bool, Literal["modules", "operations", "names"]] = True,
    functions: Union[bool, None, Literal["trace", "program", "eval", "sample"]] = False,
    memory: Union[bool, Literal["sampled", "exact"]] = False,
    sample_every: Optional[int] = None,
) -> AbstractContextManager[None]: ...
def disable_profiling() -> None: ...
def clear_profile() -> None: ...
def is_enabled() -> bool: ...
