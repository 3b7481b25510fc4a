"""The ``calor`` command of the wheel.

It runs inside the native module, in a process that Python has started; what Python changed in that process for itself is
put back first, so that the command, and the programs it records, find what they would without it.
"""

import os
import signal
import sys

from . import _calor


def main() -> None:
    """Run the command with the arguments of the process, and end the process with its exit code."""
    command = getattr(_calor, "command", None)
    if command is None:
        sys.exit(
            "error: this build of the package is without the command: install the wheel, "
            "or build with `--features command`"
        )
    _put_back_signals()
    _put_back_locale()
    command(["calor", *sys.argv[1:]])


def _put_back_signals() -> None:
    # Ctrl-C ends a command at once, but for those that hold the signal themselves. Whoever starts us in the background
    # has it ignored, and then Python has left it so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Python ignores it, which programs that are recorded would inherit. (It ignores SIGPIPE too, as Rust does.)
    if hasattr(signal, "SIGXFSZ"):
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def _put_back_locale() -> None:
    # In the C locale Python sets LC_CTYPE to one with UTF-8, for itself and its children (PEP 538). What the process was
    # started with is in a file that such changes do not reach.
    if "LC_CTYPE" not in os.environ:
        return
    try:
        with open("/proc/self/environ", "rb") as given:
            was_given = any(entry.startswith(b"LC_CTYPE=") for entry in given.read().split(b"\0"))
    except OSError:
        return
    if not was_given:
        del os.environ["LC_CTYPE"]
