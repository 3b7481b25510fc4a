"""Why the native module cannot be loaded."""

import platform
import sys
import sysconfig


def explain(error):
    """An ImportError that says what to do, where that is known; the error itself otherwise."""
    version = "{}.{}".format(*sys.version_info[:2])
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return ImportError(f"calor does not work on free-threaded builds of Python yet: use the usual build of {version}")
    if platform.python_implementation() != "CPython":
        return ImportError(f"calor needs CPython 3.9 or newer, and this is {platform.python_implementation()}")
    if "subinterpreter" in str(error):
        return ImportError(
            "calor cannot be imported in a sub-interpreter: import it in the main one, or record each in a process of its own"
        )
    return error
