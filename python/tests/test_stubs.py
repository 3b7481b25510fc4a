"""The types that are promised, held against what is there."""

import doctest
import importlib.metadata
import pathlib
import subprocess
import sys

import calor
import pytest

#: What nobody imports, what only the native module's maker adds, a slot, whose arguments Python does not know, and what `with`
#: calls, which looks like no method while nothing is recorded.
NOT_PROMISED = r"""
calor\._calor\.Scope\.__call__
calor\._calor\.Scope\.__enter__
calor\._calor\.Scope\.__exit__
calor\._calor\.__all__
calor\._jupyter\.CalorMagics.*
calor\._monitor\._.*
calor\._pytest_session\..*
calor\._torch\..*
"""


@pytest.mark.skipif(sys.version_info < (3, 10), reason="the last mypy for 3.9 takes names of typing for the package's")
def test_stubs_say_what_is_there(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    allowed = tmp_path / "not_promised.txt"
    allowed.write_text(NOT_PROMISED)
    command = [sys.executable, "-m", "mypy.stubtest", "calor", "--concise", "--ignore-unused-allowlist", "--allowlist"]
    told = subprocess.run([*command, str(allowed)], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.skipif(sys.version_info < (3, 10), reason="the last mypy for 3.9 takes names of typing for the package's")
def test_all_ways_of_recording_have_a_type(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    program = tmp_path / "program.py"
    lines = ["import calor"]
    for word in ("trace", "program", "eval", "sample"):
        lines.append(f'calor.enable_profiling(functions="{word}", torch="modules", memory="exact")')
        lines.append(f'with calor.profiling(functions="{word}", torch="modules", memory="exact"): ...')
    program.write_text("\n".join(lines))
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(program)]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert told.returncode == 0, told.stdout + told.stderr


def test_all_that_is_public_is_there_and_documented():
    for name in calor.__all__:
        thing = getattr(calor, name)
        assert name == "__version__" or thing.__doc__, name
    assert set(calor.__all__) <= set(dir(calor))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        calor.nothing


@pytest.mark.parametrize("name", ["Snapshot", "Outcome", "Comparison", "HeapSnapshot", "Detector", "scope"])
def test_examples_of_native_types_hold(name):
    thing = getattr(calor, name)
    (example,) = doctest.DocTestFinder(recurse=False).find(thing, name, module=False, globs={})
    assert example.examples and doctest.DocTestRunner().run(example).failed == 0


def test_importing_the_package_loads_little():
    # The command and the pytest plugin load it in every run.
    loaded = "import sys, calor; print([name for name in ('inspect', 'json', 'logging', 'numpy') if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


def test_the_wheel_has_its_types_its_command_and_its_plugin():
    files = {str(file) for file in importlib.metadata.files("calor")}
    assert {"calor/py.typed", "calor/_calor.pyi", "calor/__init__.pyi"} <= files
    assert not any(file.startswith("tests") for file in files)
    found = {(point.group, point.value) for point in importlib.metadata.distribution("calor").entry_points}
    assert {("console_scripts", "calor._command:main"), ("pytest11", "calor._pytest_plugin")} <= found
    assert pathlib.Path(sys.executable).with_name("calor").exists()
