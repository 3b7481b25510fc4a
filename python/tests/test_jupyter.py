"""The magics, in a real shell of IPython and in a notebook."""

import re

import calor
import pytest

pytest.importorskip("IPython", reason="IPython is not installed")
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from IPython.utils.capture import capture_output  # noqa: E402


@pytest.fixture
def shell():
    shell = InteractiveShell.instance()
    shell.reset(new_session=True)
    shell.run_line_magic("load_ext", "calor")
    yield shell
    shell.run_line_magic("unload_ext", "calor")
    calor.disable_profiling()
    calor.clear_profile()
    InteractiveShell.clear_instance()


def run(shell, cell):
    """What a cell came to, what it displayed, and what it printed."""
    with capture_output() as captured:
        result = shell.run_cell(cell)
    return result, captured


def shown(captured):
    pages = [output for output in captured.outputs if "text/html" in output.data]
    assert len(pages) == 1, captured
    return pages[0].data


CELL = """%%calor
import calor
with calor.scope("load"):
    rows = list(range(1000))
print("printed")
len(rows)
"""


def test_a_cell_is_profiled_and_shown_and_has_its_value(shell):
    result, captured = run(shell, CELL)
    assert result.success and result.result == 1000 and shell.user_ns["rows"][-1] == 999
    assert "printed" in captured.stdout
    data = shown(captured)
    assert "load" in data["text/plain"]
    assert re.fullmatch(r'<iframe [^<>]*srcdoc="[^"<>]*"></iframe>', data["text/html"]) and "load" in data["text/html"]
    assert not calor.is_enabled()


def test_each_run_starts_afresh(shell):
    run(shell, CELL)
    _, captured = run(shell, '%%calor\nimport calor\nwith calor.scope("other"): pass')
    text = shown(captured)["text/plain"]
    assert "other" in text and "load" not in text


def test_where_profiling_is_on_it_stays_on_and_only_the_cell_is_shown(shell):
    calor.enable_profiling(numpy=False, torch=False)
    with calor.scope("before"):
        pass
    _, captured = run(shell, CELL)
    assert "load" in shown(captured)["text/plain"] and "before" not in shown(captured)["text/plain"]
    assert calor.is_enabled() and "before" in calor.profile_report()


def test_a_statement_is_profiled(shell):
    result, captured = run(shell, "%calor --top=3 sum(range(10))")
    assert result.result == 45 and shown(captured)


def test_without_code_it_shows_what_was_recorded(shell):
    run(shell, CELL)
    _, captured = run(shell, "%calor")
    assert "load" in shown(captured)["text/plain"]


def test_what_a_cell_raises_passes_through_and_the_report_is_shown(shell):
    result, captured = run(shell, CELL + "1 / 0")
    assert isinstance(result.error_in_exec, ZeroDivisionError) and not calor.is_enabled()
    assert "load" in shown(captured)["text/plain"]
    told = captured.stdout
    assert "1 / 0" in told and "_jupyter.py" not in told, told


def test_a_mistake_in_its_grammar_is_told_as_always(shell):
    result, captured = run(shell, "%%calor\nif")
    assert isinstance(result.error_in_exec or result.error_before_exec, SyntaxError)


def test_magics_and_commands_work_inside(shell):
    result, captured = run(shell, "%%calor -q\n%pwd\nfiles = !echo one two\nfiles[0]")
    assert result.result == "one two" and not captured.outputs[:-1]


def test_files_are_written(shell, tmp_path):
    run(shell, CELL.replace("%%calor", f"%%calor -q -o {tmp_path}/it.svg"))
    assert "load" in (tmp_path / "it.svg").read_text()


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("%%calor --functions=guess\n1", "--functions is trace, program or sample, not 'guess'"),
        ("%%calor --top=many\n1", "--top is a whole number, not 'many'"),
        ("%%calor --top=0\n1", "--top=0 leaves no rows"),
        ("%%calor --never\n1", "there is no option --never"),
        ("%%calor -q=1\n1", "-q takes no value"),
        ("%%calor --top\n1", "--top needs a value"),
        ("%%calor x = 1\n1", "is no option"),
        ("%calor await thing()", "write %%calor above a cell"),
    ],
)
def test_wrong_usage_is_told_in_a_line(shell, cell, message):
    result, captured = run(shell, cell)
    assert not result.success and message in captured.stdout + captured.stderr
    assert "Traceback" not in captured.stdout and not calor.is_enabled()


def test_to_show_the_value_of_a_cell_that_awaits_is_no_part_of_it(shell):
    pytest.importorskip("numpy")
    run(shell, "%%calor\nimport asyncio, numpy\nawait asyncio.sleep(0)\nnumpy.ones(5) + 1")
    rows = calor.profile_report(format="json")["operations"]
    operations = {row["operation"] for row in rows}
    assert "add" in operations and operations <= {"ones", "add", "empty", "copyto"}, rows


@pytest.mark.parametrize("is_on", [False, True])
def test_a_cell_that_awaits_is_profiled_where_each_value_is_shown(shell, is_on):
    shell.ast_node_interactivity = "all"
    try:
        if is_on:
            calor.enable_profiling(numpy=False, torch=False)
        cell = """%%calor
import asyncio, calor
with calor.scope("first"):
    await asyncio.sleep(0)
    5
with calor.scope("second"):
    pass
6
with calor.scope("third"):
    pass
"""
        result, captured = run(shell, cell)
        assert result.success and calor.is_enabled() == is_on
        text = shown(captured)["text/plain"]
        assert all(name in text for name in ("first", "second", "third")), text
        told = calor.profile_report(format="json")
        assert [told[name]["count"] for name in ("first", "second", "third")] == [1, 1, 1]
    finally:
        shell.ast_node_interactivity = "last_expr"


def test_a_cell_may_await(shell):
    cell = '%%calor\nimport asyncio, calor\nwith calor.scope("load"):\n    await asyncio.sleep(0)\n7'
    result, captured = run(shell, cell)
    assert result.success and result.result == 7
    assert "load" in shown(captured)["text/plain"] and not calor.is_enabled()
    result, captured = run(shell, "%%calor\nimport asyncio\nawait asyncio.sleep(0)\n1 / 0")
    assert isinstance(result.error_in_exec, ZeroDivisionError) and not calor.is_enabled()
    assert not run(shell, "1")[1].outputs


def test_cells_are_told_by_their_numbers(shell):
    pytest.importorskip("numpy")
    shell.run_cell("import numpy\ndef halves(rows):\n    return rows / 2", store_history=True)
    with capture_output() as captured:
        shell.run_cell("%%calor\nrows = numpy.ones(1000)\nhalves(rows) + rows", store_history=True)
    page, text = (shown(captured)[kind] for kind in ("text/html", "text/plain"))
    numbers = set(re.findall(r"cell In\[(\d+)\]:\d+", text))
    assert len(numbers) == 2 and numbers == set(re.findall(r"cell In\[(\d+)\]:\d+", page)), text
    assert "ipython-input" not in text


def test_a_notebook_runs_whole():
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel", reason="there is no kernel to run notebooks")
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(text) for text in ("%load_ext calor", CELL)]
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    pages = [output.data for output in notebook.cells[1].outputs if "text/html" in output.get("data", {})]
    assert "iframe" in pages[0]["text/html"]
    # The cell comes first; what the kernel is and where it runs comes last.
    page = pages[0]["text/html"]
    assert "ipykernel" not in page, page[:2000]
    assert page.index("id=&quot;scopes&quot;") < page.index("id=&quot;flame&quot;") < page.index("id=&quot;system&quot;")
    broken = nbformat.v4.new_notebook()
    broken.cells = [nbformat.v4.new_code_cell(text) for text in ("%load_ext calor", "%%calor\n1 / 0")]
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="ZeroDivisionError"):
        nbclient.NotebookClient(broken, timeout=120, kernel_name="python3").execute()
