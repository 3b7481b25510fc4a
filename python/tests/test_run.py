"""``python -m calor``: the program it runs must not be able to tell, and its report comes at the end."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import zipfile

import calor
import pytest

# Everything a program can know about how it was started. `__builtins__` and the like are in every module.
ABOUT_ITSELF = """
    import sys, os
    main = sys.modules["__main__"]
    print(sys.argv, sys.path[0], sorted(vars(main)), main is sys.modules[__name__], vars(main) is globals())
    print(__name__, __file__, __package__, __spec__ and __spec__.name, type(__loader__).__name__, __doc__)
    print(getattr(main, "__cached__", None), __annotations__ if sys.version_info < (3, 14) else None)
"""


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


def run(arguments, folder, **options):
    command = [sys.executable, "-B", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, **options)


def check_same(folder, arguments, own=("-q",), flags=()):
    """The program says and ends the same with and without us."""
    plain = run([*flags, *arguments], folder)
    ours = run([*flags, "-m", "calor", *own, *arguments], folder)
    assert (ours.returncode, ours.stdout, ours.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    return ours


def test_a_script_knows_about_itself_what_it_always_does(tmp_path):
    write(tmp_path, "sub/it.py", ABOUT_ITSELF)
    ours = check_same(tmp_path, ["sub/it.py", "-m", "x", "--top", "3"])
    assert "['sub/it.py', '-m', 'x', '--top', '3']" in ours.stdout
    check_same(tmp_path, [str(tmp_path / "sub/it.py")])


def test_a_module_and_a_package_know_about_themselves_what_they_always_do(tmp_path):
    write(tmp_path, "it.py", ABOUT_ITSELF)
    write(tmp_path, "box/__init__.py", "")
    write(tmp_path, "box/__main__.py", ABOUT_ITSELF + "    from . import other")
    write(tmp_path, "box/other.py", "print('other', __name__)")
    check_same(tmp_path, ["-m", "it", "-o", "x"])
    assert "other box.other" in check_same(tmp_path, ["-m", "box"]).stdout
    check_same(tmp_path, ["-m", "box.other"])


def test_folders_archives_and_lines_of_code_are_run(tmp_path):
    write(tmp_path, "folder/__main__.py", ABOUT_ITSELF)
    with zipfile.ZipFile(tmp_path / "it.pyz", "w") as archive:
        archive.writestr("__main__.py", "import sys; print(sys.argv, __name__, sys.path[0])")
    check_same(tmp_path, ["folder", "a"])
    check_same(tmp_path, ["it.pyz", "a"])
    check_same(tmp_path, ["-c", "import sys; print(sys.argv, __name__, sorted(globals()))", "a", "-q"])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="-P is new in Python 3.11")
def test_no_folder_is_put_in_front_where_none_is_wanted(tmp_path):
    write(tmp_path, "it.py", "import sys; print(sys.path[0])")
    check_same(tmp_path, ["it.py"], flags=["-P"])


ENDINGS = {
    "falls off its end": "print('done')",
    "a code": "import sys; sys.exit(3)",
    "a message": "import sys; sys.exit('no good')",
    "no code": "raise SystemExit",
    "an exception": "def f():\n    1 / 0\nf()",
    "a chain": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('x') from e",
    "a mistake in its grammar": "print('never')\nif",
    "bytes that are no text": "x = '\\ud800'\nprint(x)",
    "its own hook": "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__, a[2].tb_frame.f_code.co_name)\n[][1]",
    "a hook that fails": "import sys\nsys.excepthook = lambda *a: 1 / 0\n[][1]",
    "an exit handler": "import atexit, sys\natexit.register(print, 'bye')\nsys.exit(4)",
    "a thread that goes on": "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()",
    "a group": "import sys\nif sys.version_info >= (3, 11): raise ExceptionGroup('g', [ValueError(1), OSError(2)])",
    "itself": "import os; os._exit(5)",
    "a deep recursion": "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError:\n    print('deep')",
}


@pytest.mark.parametrize("how", ENDINGS)
def test_a_program_ends_as_it_always_does(tmp_path, how):
    write(tmp_path, "it.py", ENDINGS[how])
    check_same(tmp_path, ["it.py"])


def test_a_program_that_is_interrupted_dies_of_the_signal(tmp_path):
    write(tmp_path, "it.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time; time.sleep(60)")
    ours = check_same(tmp_path, ["it.py"])
    assert ours.returncode == -signal.SIGINT and "KeyboardInterrupt" in ours.stderr


def test_classes_of_the_script_travel_to_other_processes(tmp_path):
    write(
        tmp_path,
        "it.py",
        """
        import multiprocessing, pickle
        class Thing:
            n = 3
        def work(thing):
            return thing.n + 1
        if __name__ == "__main__":
            assert pickle.loads(pickle.dumps(Thing())).n == 3
            for way in ("fork", "spawn"):
                with multiprocessing.get_context(way).Pool(2) as pool:
                    print(way, pool.map(work, [Thing()] * 3))
        """,
    )
    ours = check_same(tmp_path, ["it.py"])
    assert "spawn [4, 4, 4]" in ours.stdout


WITH_SCOPES = """
    import calor, sys
    with calor.scope("load"):
        sum(range(10000))
    with calor.ProfileContext("train"):
        with calor.scope("step"):
            sum(range(10000))
    print("answer")
"""


def test_the_report_is_on_standard_error_and_the_output_is_the_programs(tmp_path):
    write(tmp_path, "it.py", WITH_SCOPES)
    ours = run(["-m", "calor", "it.py"], tmp_path)
    assert (ours.returncode, ours.stdout) == (0, "answer\n")
    assert "load" in ours.stderr and "step" in ours.stderr
    only = run(["-m", "calor", "--context", "train", "it.py"], tmp_path)
    assert "step" in only.stderr and "load" not in only.stderr


def test_files_are_written_by_their_endings(tmp_path):
    write(tmp_path, "it.py", WITH_SCOPES)
    ours = run(["-m", "calor", "-o", "a.json", "-o", "a.html", "-o", "a.calor", "it.py"], tmp_path)
    assert ours.returncode == 0, ours.stderr
    assert ours.stderr == "calor: wrote a.json\ncalor: wrote a.html\ncalor: wrote a.calor\n"
    assert "load" in json.loads((tmp_path / "a.json").read_text())
    assert "<html" in (tmp_path / "a.html").read_text()


def test_a_recording_is_left_by_a_program_that_is_killed(tmp_path):
    write(tmp_path, "it.py", WITH_SCOPES + "    import os, signal, time\n    time.sleep(1.5)\n    os.kill(os.getpid(), signal.SIGKILL)")
    ours = run(["-m", "calor", "--record", "it.calor", "it.py"], tmp_path)
    assert ours.returncode == -signal.SIGKILL
    report = calor.profile_report(format="json", profile=tmp_path / "it.calor")
    assert report["load"]["count"] == 1 and report["train"]["count"] == 1
    whole = run(["-m", "calor", "--record", "whole.calor", "-c", "print(1)"], tmp_path)
    assert (whole.returncode, whole.stdout) == (0, "1\n") and whole.stderr.endswith("whole.calor\n")


def test_a_program_that_records_itself_is_not_hurt_by_the_commands_recording(tmp_path):
    write(
        tmp_path,
        "it.py",
        """
        import calor
        print(calor.stop_recording())
        for _ in range(2):
            calor.start_recording("own.calor")
            try:
                calor.start_recording("own.calor")
            except RuntimeError as error:
                print(type(error).__name__)
            with calor.scope("work"):
                pass
            print(calor.stop_recording())
        with calor.scope("afterwards"):
            pass
        """,
    )
    ours = run(["-m", "calor", "-q", "--record", "it.calor", "it.py"], tmp_path)
    assert (ours.returncode, ours.stdout) == (0, "None\nRuntimeError\nit.calor\nRuntimeError\nit.calor\n")
    assert ours.stderr.count("'own.calor' is not written") == 1 and len(ours.stderr.splitlines()) == 1
    report = calor.profile_report(format="json", profile=tmp_path / "it.calor")
    assert report["work"]["count"] == 2 and report["afterwards"]["count"] == 1


def test_a_program_comes_by_standard_input(tmp_path):
    for text in (ABOUT_ITSELF + "    print(sys.stdin.read(), len(sys.stdin.buffer.read()))", "1 / 0", "if"):
        source = textwrap.dedent(text)
        plain, ours = (run([*own, "-", "a", "-q"], tmp_path, input=source) for own in ([], ["-m", "calor", "-q"]))
        assert (ours.returncode, ours.stdout, ours.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_child_processes_that_did_the_work_are_told(tmp_path):
    write(
        tmp_path,
        "it.py",
        """
        import multiprocessing
        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(2) as pool:
                pool.map(sum, [range(5_000_000)] * 6)
        """,
    )
    told = "CPU time, which `python -m calor` does not record; `calor record -- python PROGRAM` follows them"
    assert told in run(["-m", "calor", "it.py"], tmp_path).stderr
    assert told not in run(["-m", "calor", "-c", "pass"], tmp_path).stderr
    assert run(["-m", "calor", "-q", "it.py"], tmp_path).stderr == ""


def test_the_report_also_comes_when_the_program_fails(tmp_path):
    write(tmp_path, "it.py", WITH_SCOPES + "    1 / 0")
    ours = run(["-m", "calor", "it.py"], tmp_path)
    assert ours.returncode == 1
    assert ours.stderr.index("ZeroDivisionError") < ours.stderr.index("load")


def test_a_forked_child_reports_nothing(tmp_path):
    write(
        tmp_path,
        "it.py",
        WITH_SCOPES + "    import os\n    child = os.fork()\n    if child: os.waitpid(child, 0)\n    else: sys.exit(0)",
    )
    ours = run(["-m", "calor", "-o", "a.json", "it.py"], tmp_path)
    assert ours.stderr == "calor: wrote a.json\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a script, -m MODULE or -c CODE is needed"),
        (["nowhere.py"], "can't open file 'nowhere.py'"),
        (["-m", "no_such_module"], "no module named 'no_such_module'"),
        (["-m", "no.such.module"], "No module named 'no'"),
        (["-m", "xml"], "no module named 'xml.__main__'"),
        (["-m"], "argument -m: expected one argument"),
        (["--functions", "guess", "it.py"], "invalid choice"),
        (["--sample-every", "0", "it.py"], "sample_every is between 1 and"),
        (["-o", "a.docx", "it.py"], "docx"),
        (["-o", "no/such/folder/a.html", "it.py"], "no/such/folder"),
        (["--record", "no/such/folder/a.calor", "it.py"], "no/such/folder"),
        (["report", "a.calor"], "`calor report`"),
    ],
)
def test_what_cannot_be_run_is_said_before_anything_runs(tmp_path, arguments, message):
    write(tmp_path, "it.py", "print('ran')")
    ours = run(["-m", "calor", *arguments], tmp_path)
    assert ours.returncode == 2 and message in ours.stderr and "ran" not in ours.stdout
    assert "Traceback" not in ours.stderr


def test_an_output_that_becomes_impossible_does_not_change_how_the_program_ends(tmp_path):
    write(tmp_path, "it.py", "import os, sys; os.rmdir('out'); sys.exit(7)")
    (tmp_path / "out").mkdir()
    ours = run(["-m", "calor", "-o", os.path.join("out", "a.html"), "it.py"], tmp_path)
    assert ours.returncode == 7 and ours.stderr.startswith("error: ") and "out/a.html" in ours.stderr
