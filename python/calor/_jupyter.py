"""Magics for Jupyter and IPython: ``%load_ext calor``, then ``%%calor`` above a cell or ``%calor`` before a statement."""

import ast
import html
import os
import re
import sys
from typing import Any, Optional

#: What stands before the code, and whether a value belongs to it.
_OPTIONS = {
    "--functions": True,
    "--memory": False,
    "--no-numpy": False,
    "--no-torch": False,
    "--quiet": False,
    "--sample-every": True,
    "--top": True,
    "-o": True,
    "-q": False,
}

_HELP = """Profile a cell, or a statement, and show where its time went.

    %%calor [options]        the cell below
    %calor [options] CODE    one line
    %calor                   the report of all that was recorded so far

Options:
    --functions=trace|program|sample   functions of Python, by each call, those of the program alone, or by samples
    --no-numpy, --no-torch     without the operations of NumPy or PyTorch
    --memory                   what is allocated, too
    --sample-every=N           time one call in N of busy scopes; all are counted
    --top=N                    how many operations the report has
    -o FILE                    write it to FILE, as its ending says (html, json, svg, calor, ...)
    -q, --quiet                show nothing: `calor.profile_report()` and all the others have it

What the cell shows and returns is as always, and so is what it raises. Where profiling was off, each run starts afresh;
where it was on, it stays on and only the cell's part is shown.
"""


class Page:
    """A report as notebooks show it; as text it is the report of ``calor.profile_report()``."""

    def __init__(self, page: str, text: str) -> None:
        self._page = page
        self._text = text

    def _repr_html_(self) -> str:
        # A frame of its own: the styles and scripts of the page stay out of the notebook, and those of the notebook out
        # of the page.
        return (
            '<iframe title="Calor report" sandbox="allow-scripts" '
            'style="width:100%;height:36em;border:0;resize:vertical" '
            f'srcdoc="{html.escape(self._page)}"></iframe>'
        )

    def __repr__(self) -> str:
        return self._text


def load_ipython_extension(ipython: Any) -> None:
    """Called by ``%load_ext calor``."""
    from IPython.core.error import UsageError
    from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class
    from IPython.display import display

    @magics_class
    class CalorMagics(Magics):
        @line_cell_magic
        def calor(self, line: str, cell: Optional[str] = None) -> Any:
            # What is raised in the cell is shown without the frames of this file.
            __tracebackhide__ = True
            try:
                options, code = _parsed(line)
            except ValueError as error:
                raise UsageError(f"%calor: {error}; `%calor?` tells the options") from None
            if cell is not None and code.strip():
                raise UsageError(f"%%calor: {code.strip()!r} is no option; code goes into the lines below")
            if cell is None and not code.strip():
                display(_page(self.shell, options, None))
                return None
            return _profiled(self.shell, options, code if cell is None else cell, display)

        @line_magic
        def calor_of_cell(self, line: str) -> None:
            """What ``%%calor`` becomes above a cell that awaits."""
            try:
                options, _ = _parsed(line)
            except ValueError as error:
                raise UsageError(f"%calor: {error}; `%calor?` tells the options") from None
            _until_cell_ends(self.shell, options, display)

    CalorMagics.calor.__doc__ = _HELP
    ipython.register_magics(CalorMagics)
    _forget_transformer(ipython)
    ipython.input_transformers_cleanup.append(_AwaitingCells())


def unload_ipython_extension(ipython: Any) -> None:
    """Called by ``%unload_ext calor``."""
    for kind in ("line", "cell"):
        ipython.magics_manager.magics[kind].pop("calor", None)
    ipython.magics_manager.magics["line"].pop("calor_of_cell", None)
    _forget_transformer(ipython)


def _forget_transformer(ipython: Any) -> None:
    kept = [known for known in ipython.input_transformers_cleanup if type(known).__name__ != _AwaitingCells.__name__]
    ipython.input_transformers_cleanup[:] = kept


class _AwaitingCells:
    """Turns ``%%calor`` above a cell that awaits into a statement of that cell.

    A magic of a cell is a function, and has to return before the notebook can run anything else: it cannot await.
    """

    def __call__(self, lines: list[str]) -> list[str]:
        if not lines or lines[0].split(maxsplit=1)[:1] != ["%%calor"] or not any("await" in line or "async" in line for line in lines):
            return lines
        body = "".join(lines[1:])
        try:
            is_awaiting = _awaits(body)
        except Exception:
            return lines
        return ["%calor_of_cell" + lines[0].lstrip()[len("%%calor"):], *lines[1:]] if is_awaiting else lines


def _awaits(source: str) -> bool:
    """Whether a cell can only run where it may await."""
    from IPython.core.inputtransformer2 import TransformerManager

    plain = TransformerManager().transform_cell(source)
    try:
        compile(plain, "<cell>", "exec", dont_inherit=True)
    except SyntaxError:
        compile(plain, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        return True
    return False


def _until_cell_ends(shell: Any, options: dict[str, Any], display: Any) -> None:
    """Profiles from here to the end of the cell, and shows it then, whatever it raises."""
    inside, context = _begun(shell, options)
    inside.__enter__()

    shown, is_inside = sys.displayhook, [True]
    # Otherwise only the last statement of a cell has a value to show.
    goes_on = shell.ast_node_interactivity == "all"

    def leave() -> None:
        if is_inside:
            is_inside.clear()
            inside.__exit__(None, None, None)

    def displayhook(value: Any) -> None:
        # To show a value is no part of the cell. This magic is a statement, too, and has none.
        if value is None:
            shown(value)
            return
        leave()
        try:
            shown(value)
        finally:
            if goes_on:
                inside.__enter__()
                is_inside.append(True)

    def ended(_result: Any) -> None:
        shell.events.unregister("post_run_cell", ended)
        if sys.displayhook is displayhook:
            sys.displayhook = shown
        leave()
        _show(shell, options, context, display)

    shell.events.register("post_run_cell", ended)
    sys.displayhook = displayhook


def _parsed(line: str) -> tuple[dict[str, Any], str]:
    """The options at the beginning of a line, and the code behind them, as it was written."""
    given: dict[str, str] = {}
    code = line.strip()
    while code.startswith("-"):
        word, _, code = code.partition(" ")
        code = code.lstrip()
        if word == "--":
            break
        name, _, value = word.partition("=")
        if name not in _OPTIONS:
            raise ValueError(f"there is no option {name}")
        if _OPTIONS[name] and not value:
            value, _, code = code.partition(" ")
            code = code.lstrip()
        if bool(value) != _OPTIONS[name]:
            raise ValueError(f"{name} {'needs a value' if _OPTIONS[name] else 'takes no value'}")
        given[name] = value
    top = _number(given, "--top")
    if top is not None and top < 1:
        raise ValueError(f"--top={top} leaves no rows: give 1 or more")
    functions = given.get("--functions", False)
    if functions not in (False, "trace", "program", "sample"):
        raise ValueError(f"--functions is trace, program or sample, not {functions!r}")
    options = {
        "recorded": {
            "numpy": "--no-numpy" not in given,
            "torch": "--no-torch" not in given,
            "functions": functions,
            "memory": "--memory" in given,
            "sample_every": _number(given, "--sample-every"),
        },
        "top": top,
        "output": given.get("-o"),
        "is_quiet": "-q" in given or "--quiet" in given,
    }
    return options, code


def _number(given: dict[str, str], name: str) -> Optional[int]:
    if name not in given:
        return None
    try:
        return int(given[name])
    except ValueError:
        raise ValueError(f"{name} is a whole number, not {given[name]!r}") from None


def _profiled(shell: Any, options: dict[str, Any], source: str, display: Any) -> Any:
    __tracebackhide__ = True
    inside, context = _begun(shell, options)
    code = _compiled(shell, source)
    try:
        with inside:
            return _run(shell, *code)
    finally:
        _show(shell, options, context, display)


def _begun(shell: Any, options: dict[str, Any]) -> tuple[Any, Optional[str]]:
    """What to profile inside of, and the name of its part where profiling was on already."""
    import calor

    if calor.is_enabled():
        context = f"cell {_cell_number(shell)}"
        return calor.ProfileContext(context), context
    calor.clear_profile()
    return calor.profiling(**options["recorded"]), None


def _show(shell: Any, options: dict[str, Any], context: Optional[str], display: Any) -> None:
    import calor

    if options["output"] is not None:
        calor.export(options["output"])
    if not options["is_quiet"]:
        display(_page(shell, options, context))


def _compiled(shell: Any, source: str) -> tuple[Any, Any]:
    """A cell as code of its steps and of its last expression. Not profiled: it is the notebook's work and not the cell's."""
    __tracebackhide__ = True
    from IPython.core.error import UsageError

    source = shell.transform_cell(source)
    name = shell.compile.cache(source, _cell_number(shell))
    tree = shell.transform_ast(shell.compile.ast_parse(source, name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    try:
        steps = shell.compile(tree, name, "exec")
        value = last and shell.compile(ast.Expression(last.value), name, "eval")
    except SyntaxError as error:
        if "await" not in str(error) and "async" not in str(error):
            raise
        raise UsageError(
            "%calor cannot run a statement that awaits: write %%calor above a cell"
        ) from None
    return steps, value


def _run(shell: Any, steps: Any, value: Any) -> Any:
    """Run a cell in the notebook's variables; its value is that of its last expression."""
    __tracebackhide__ = True
    exec(steps, shell.user_ns)
    return None if value is None else eval(value, shell.user_ns)


def _page(shell: Any, options: dict[str, Any], context: Optional[str]) -> Page:
    import calor

    chosen = {"context": context, "top": options["top"]}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    page, text = calor.profile_report(format="html", **chosen), calor.profile_report(**chosen)
    return Page(_with_cells(shell, page), _with_cells(shell, text))


def _cell_number(shell: Any) -> int:
    """The number of the cell that runs: newer shells count on before they run it. Its code is known by then."""
    number = shell.execution_count
    known = getattr(shell.compile, "_filename_map", {}).values()
    return number - 1 if number not in known and number - 1 in known else number


def _with_cells(shell: Any, page: str) -> str:
    """The page with cells by their numbers: their files are named for what is in them (``/tmp/ipykernel_17/1129751207.py``)."""
    cells = {}
    for file, number in getattr(shell.compile, "_filename_map", {}).items():
        for name in (file, html.escape(file), os.path.basename(file)):
            if name in page:
                cells[name] = f"cell In[{number}]" if number else "cell"
    if not cells:
        return page
    known = "|".join(map(re.escape, sorted(cells, key=len, reverse=True)))
    place = rf"(?<![\w.-])({known})(?![\w.-])((?::\d+)?)"

    def named(found: "re.Match[str]") -> str:
        cell = cells[found[1]] + found[2]
        # Columns behind it stay where they are.
        return cell.ljust(len(found[0])) if page.startswith("  ", found.end()) else cell

    return re.sub(place, named, page)
