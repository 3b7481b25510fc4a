"""A script, a module or a line of code, run as the interpreter itself would run it.

``sys.argv``, ``sys.path``, ``__main__``, the exit code and tracebacks are those of ``python script.py``: a program must
not be able to tell that something runs it. ``runpy`` takes its ``__main__`` away when the code has run, while threads
and exit handlers still need it.
"""

import builtins
import importlib.machinery
import importlib.util
import os
import pkgutil
import sys
import traceback
import types
import zipfile
from typing import Any, Callable, Optional


class ScriptError(Exception):
    """There is nothing to run, and why."""


class Program:
    """What is to be run: its code, and what ``__main__`` knows about itself."""

    def __init__(
        self,
        code: Callable[[], types.CodeType],
        *,
        arguments: list[str],
        path: Optional[str] = None,
        **attributes: Any,
    ) -> None:
        # Compiled when it runs, so that its mistakes are told as the interpreter tells them.
        self._code = code
        self._arguments = arguments
        self._path = path
        self._attributes = attributes

    def run(self) -> None:
        """Run it to its end. What it raises is told as the interpreter would, and raised."""
        main = types.ModuleType("__main__")
        main.__dict__.update({"__builtins__": builtins, "__annotations__": {}, **self._attributes})
        sys.modules["__main__"] = main
        sys.argv[:] = self._arguments
        if self._path is not None:
            _replace_first_path(self._path)
        try:
            exec(self._code(), main.__dict__)
        except SystemExit:
            raise
        except BaseException as error:
            _tell(error)
            raise


def script(path: str, arguments: list[str]) -> Program:
    """A file, or a folder or archive with a ``__main__.py``; ``-`` is standard input."""
    if path == "-":
        return _standard_input(arguments)
    if os.path.isdir(path) or (os.path.isfile(path) and zipfile.is_zipfile(path)):
        spec = importlib.machinery.PathFinder.find_spec("__main__", [path])
        if spec is None:
            raise ScriptError(f"can't find '__main__' module in {path!r}")
        return _of_spec(spec, "", [path, *arguments], os.path.join(os.getcwd(), path))
    try:
        with open(path, "rb") as file:
            source: Any = pkgutil.read_code(file)
            if source is None:
                file.seek(0)
                source = file.read()
    except OSError as error:
        raise ScriptError(f"can't open file {path!r}: [Errno {error.errno}] {error.strerror}") from None
    name = os.path.join(os.getcwd(), path)
    return Program(
        lambda: source if isinstance(source, types.CodeType) else _compiled(source, name),
        arguments=[path, *arguments],
        path=os.path.dirname(os.path.realpath(path)),
        __file__=name,
        __cached__=None,
        __package__=None,
        __spec__=None,
        __loader__=importlib.machinery.SourceFileLoader("__main__", name),
    )


def module(name: str, arguments: list[str]) -> Program:
    """A module, or a package with a ``__main__``, found as ``python -m`` finds it."""
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            name = f"{name}.__main__"
            spec = importlib.util.find_spec(name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ScriptError(f"error while finding module {name!r} ({type(error).__name__}: {error})") from None
    if spec is None:
        raise ScriptError(f"no module named {name!r}")
    return _of_spec(spec, spec.parent or "", [spec.origin or name, *arguments], None)


def line(source: str, arguments: list[str]) -> Program:
    """Code of the command line."""
    return Program(
        lambda: _compiled(source.encode(), "<string>"),
        arguments=["-c", *arguments],
        __package__=None,
        __spec__=None,
        __loader__=importlib.machinery.BuiltinImporter,
    )


def _standard_input(arguments: list[str]) -> Program:
    if sys.stdin is None:
        raise ScriptError("can't read the program: standard input is closed")
    # Read to its end before it runs, as the interpreter does: the program finds nothing left there.
    source = sys.stdin.buffer.read()
    return Program(
        lambda: _compiled(source, "<stdin>"),
        arguments=["-", *arguments],
        path="",
        __file__="<stdin>",
        __cached__=None,
        __package__=None,
        __spec__=None,
        __loader__=importlib.machinery.BuiltinImporter,
    )


def _of_spec(
    spec: importlib.machinery.ModuleSpec, package: str, arguments: list[str], path: Optional[str]
) -> Program:
    get_code = getattr(spec.loader, "get_code", None)
    if get_code is None:
        raise ScriptError(f"there is no Python code in {spec.name!r} that could be run")
    return Program(
        lambda: get_code(spec.name),
        arguments=arguments,
        path=path,
        __file__=spec.origin,
        __cached__=spec.cached,
        __package__=package,
        __spec__=spec,
        __loader__=spec.loader,
    )


def _compiled(source: bytes, name: str) -> types.CodeType:
    return compile(source, name, "exec", dont_inherit=True)


def _replace_first_path(path: str) -> None:
    # With `-P` the interpreter puts no folder in front, neither the current one nor the script's.
    if getattr(sys.flags, "safe_path", False) or sys.flags.isolated:
        return
    sys.path[0] = path


def _tell(error: BaseException) -> None:
    """Print the traceback through the program's own hook, without the frames of this package above it."""
    inside = error.__traceback__
    while inside is not None and inside.tb_frame.f_code.co_filename == __file__:
        inside = inside.tb_next
    try:
        sys.excepthook(type(error), error.with_traceback(inside), inside)
    except Exception as failure:
        _tell_of_hook(failure, error)
    finally:
        # It goes on to the interpreter, which knows how the process has to end, and would tell it a second time.
        sys.excepthook = _say_nothing


def _tell_of_hook(failure: Exception, error: BaseException) -> None:
    """The program's own hook failed: the interpreter tells of both."""
    inside = failure.__traceback__ and failure.__traceback__.tb_next
    print("Error in sys.excepthook:", file=sys.stderr)
    failure.__context__ = None
    traceback.print_exception(type(failure), failure, inside)
    print("\nOriginal exception was:", file=sys.stderr)
    traceback.print_exception(type(error), error, error.__traceback__)


def _say_nothing(*_: Any) -> None:
    pass
