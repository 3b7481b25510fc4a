"""What tests of traced functions ask of the profile."""

import subprocess
import sys
import textwrap

import calor
from calor import _calor

MODES = ["trace", "eval"]


class Rows:
    """Call paths by their names, those of threads added up."""

    def __init__(self, rows):
        self.calls, self.nanos, self.places = {}, {}, {}
        for row in rows:
            path = tuple(row["path"])
            self.calls[path] = self.calls.get(path, 0) + row["calls"]
            self.nanos[path] = self.nanos.get(path, 0) + row["total_ns"]
            self.places[path] = (row["module"], row["file"], row["line"])

    def calls_of(self, name):
        """Calls of a function, whoever calls it."""
        return sum(self.calls[path] for path in self.paths_of(name))

    def paths_of(self, name):
        """Its paths. Before 3.11 the interpreter does not tell the qualified names of functions inside functions."""
        if sys.version_info < (3, 11) and "<locals>" in name:
            name = name.rsplit(".", 1)[-1]
        return [path for path in self.calls if path[-1] == name]


def traced(mode, work, **options):
    """Runs work while functions are traced: what was recorded, and what work returned."""
    calor.clear_profile()
    calor.enable_profiling(functions=mode, numpy=False, torch=False, **options)
    try:
        result = work()
    finally:
        calor.disable_profiling()
    return Rows(_calor.scope_rows()), result


def codes():
    """The codes of all notes."""
    return [code for code, _ in _calor.warnings()]


def in_new_process(program, *arguments):
    """Runs a program of its own; its standard output."""
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
