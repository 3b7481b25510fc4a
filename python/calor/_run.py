"""The options of ``python -m calor``, and the report at the end."""

import argparse
import atexit
import os
import resource
import shutil
import sys
import time
from typing import NoReturn, Optional, TextIO

from . import _script

_USAGE = "python -m calor [options] (SCRIPT | - | -m MODULE | -c CODE) [arguments of the program]"

_EXAMPLES = """\
examples:
  python -m calor train.py --epochs 1            the report on standard error when it ends
  python -m calor -o report.html train.py        a page with a flame graph
  python -m calor --functions trace -m pipeline  functions of Python, too

The `calor` command records from outside what runs already or has no package: calor record -- python train.py
"""

# What takes a value: needed to find where the program's own arguments begin.
_WITH_VALUE = {"-o", "--output", "--record", "--functions", "--sample-every", "--context", "--top"}


def main(arguments: list[str]) -> None:
    """Profile the program that the arguments name."""
    own, program, rest = _split(arguments)
    options = _parser().parse_args(own)
    if program is None:
        _parser().error("a script, -m MODULE or -c CODE is needed")
    kind, name = program
    try:
        to_run = {"script": _script.script, "-m": _script.module, "-c": _script.line}[kind](name, rest)
    except _script.ScriptError as error:
        # Whoever means the command writes a word that no file has.
        hint = f"; for the command of that name type `calor {name}`" if kind == "script" and name.isalpha() else ""
        _fail(f"{error}{hint}")

    import calor
    from . import _recording
    from ._export import check

    try:
        for path in options.output:
            check(path)
        calor.enable_profiling(
            numpy=options.numpy,
            torch=options.torch,
            functions=options.functions or False,
            memory=options.memory,
            sample_every=options.sample_every,
        )
        if options.record is not None:
            _recording.start_for_command(options.record)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        _fail(str(error))
    # Registered first, so called last: what threads and exit handlers of the program do is in the report.
    atexit.register(_report, options, os.getpid())
    to_run.run()


def _split(arguments: list[str]) -> tuple[list[str], Optional[tuple[str, str]], list[str]]:
    """Our own options, what to run, and the arguments of that."""
    position = 0
    while position < len(arguments):
        word = arguments[position]
        if word in ("-m", "-c"):
            if position + 1 == len(arguments):
                _parser().error(f"argument {word}: expected one argument")
            return arguments[:position], (word, arguments[position + 1]), arguments[position + 2 :]
        if word == "--" and position + 1 < len(arguments):
            return arguments[:position], ("script", arguments[position + 1]), arguments[position + 2 :]
        if not word.startswith("-") or word == "-":
            return arguments[:position], ("script", word), arguments[position + 1 :]
        position += 2 if word in _WITH_VALUE else 1
    return arguments, None, []


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m calor",
        usage=_USAGE,
        description="Profile a Python program from inside, and report when it ends.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", action="append", default=[],
        help="write it to FILE instead, as its ending says (html, json, csv, md, svg, calor, ...); may be repeated")
    add("--record", metavar="FILE",
        help="write FILE.calor as the program runs: one that is killed leaves it, and `calor report` reads it meanwhile")
    add("--context", metavar="NAME", help="report only what is inside this context")
    add("--top", metavar="N", type=_rows, help="how many operations the report has")
    add("--functions", choices=["trace", "program", "sample"],
        help="functions of Python, by each call, those of the program alone, or by samples")
    add("--no-numpy", dest="numpy", action="store_false", help="without the operations of NumPy")
    add("--no-torch", dest="torch", action="store_false", help="without the operations of PyTorch")
    add("--memory", action="store_true", help="what is allocated, too")
    add("--sample-every", metavar="N", type=int, help="time one call in N of busy scopes; all are counted")
    add("-q", "--quiet", action="store_true", help="print no report, and not where files are")
    return parser


def _rows(text: str) -> int:
    rows = int(text)
    if rows < 1:
        raise argparse.ArgumentTypeError(f"{text} leaves no rows: give 1 or more")
    return rows


def _report(options: argparse.Namespace, owner: int) -> None:
    # A forked child that ends in the ordinary way comes by here, too, and the report is its parent's.
    if os.getpid() != owner:
        return
    import calor
    from . import _recording

    calor.disable_profiling()
    context = options.context
    if context is not None and context not in calor.profile_report(format="json")["contexts"]:
        # The run may have taken hours, and what it recorded goes with it.
        print(f"calor: no context is named {context!r}: this is of the whole program", file=sys.stderr)
        context = None
    try:
        if options.record is not None:
            written = _recording.stop_for_command()
            if written is not None and not options.quiet:
                print(f"calor: wrote {written}", file=sys.stderr)
        for path in options.output:
            calor.export(path, context=context)
            if not options.quiet:
                print(f"calor: wrote {path}", file=sys.stderr)
        if not options.output and options.record is None and not options.quiet:
            width = shutil.get_terminal_size((120, 24)).columns
            page = calor.profile_report(
                context=context, top=options.top, width=width, color=_has_colours(sys.stderr)
            )
            print(page, end="", file=sys.stderr)
        if not options.quiet:
            _tell_of_children(calor.snapshot().is_empty)
    except (OSError, RuntimeError, ValueError) as error:
        # The program has done its work: that its report cannot be written does not change how it ended.
        print(f"error: {error}", file=sys.stderr)


def _tell_of_children(is_empty: bool) -> None:
    """Say so where processes that the program started did the work: they have no report."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    if seconds >= 0.05 and (is_empty or seconds > time.process_time()):
        print(
            f"calor: child processes took {seconds:.1f} s of CPU time, which `python -m calor` does not record; "
            "`calor record -- python PROGRAM` follows them",
            file=sys.stderr,
        )


def _has_colours(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _fail(message: str) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)
