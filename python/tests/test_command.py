"""The ``calor`` command of the wheel: what it does in any shell, it does when Python starts it."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import calor
import pytest

COMMAND = pathlib.Path(sys.executable).with_name("calor")


def run(*arguments, **options):
    options = {"capture_output": True, "text": True, "timeout": 120, **options}
    return subprocess.run([COMMAND, *arguments], **options)


def test_it_tells_its_version_and_its_help():
    assert run("--version").stdout == f"calor {calor.__version__}\n"
    assert "calor record -- python train.py" in run("--help").stdout
    assert run("completions", "bash").stdout.startswith("_calor()")
    assert json.loads(run("doctor", "--format", "json").stdout)["schema"].startswith("calor/doctor/")


def test_wrong_arguments_and_input_end_with_2_and_are_said_once(tmp_path):
    wrong = run("reprot")
    assert wrong.returncode == 2 and "report" in wrong.stderr and "Traceback" not in wrong.stderr
    missing = run("report", "nowhere.calor", cwd=tmp_path)
    assert missing.returncode == 2 and missing.stderr.count("nowhere.calor") >= 1
    assert missing.stderr.startswith("error: ") and missing.stderr.count("\n") == 1


def test_it_reads_what_the_package_wrote(tmp_path):
    calor.clear_profile()
    calor.enable_profiling(numpy=False, torch=False)
    with calor.scope("from the package"):
        pass
    calor.disable_profiling()
    calor.export(str(tmp_path / "it.calor"))
    page = json.loads(run("report", "it.calor", "--format", "json", cwd=tmp_path).stdout)
    assert "from the package" in [path["name"] for path in page["hot_paths"]]


def test_arguments_that_are_no_text_reach_it(tmp_path):
    name = os.fsdecode(b"pr\xffofile.calor")
    missing = run("report", name, cwd=tmp_path, text=False)
    assert missing.returncode == 2 and b"ofile.calor" in missing.stderr


def test_a_program_is_recorded_and_its_exit_code_handed_on(tmp_path):
    # Long enough for the first frames of Python to be found on a busy machine.
    until = "import time\nwhile time.process_time() < 1.0: sum(n * n for n in range(10_000))\n"
    program = [sys.executable, "-c", until + "print('out'); raise SystemExit(5)"]
    recorded = run("record", "-o", "it.calor", "--", *program, cwd=tmp_path)
    if "perf" in recorded.stderr and recorded.returncode == 2:
        pytest.skip("this machine does not let us sample programs")
    assert recorded.returncode == 5 and "out\n" in recorded.stdout
    page = json.loads(run("report", "it.calor", "--format", "json", cwd=tmp_path).stdout)
    assert page["summary"]["samples"] > 0
    assert any(path["kind"] == "python" for path in page["hot_paths"])


def test_the_heap_of_a_program_is_recorded_by_the_library_that_comes_along(tmp_path):
    program = [sys.executable, "-c", "blocks = [bytearray(100_000) for _ in range(100)]"]
    recorded = run("record", "--heap", "-o", "it.calor", "--", *program, cwd=tmp_path)
    assert recorded.returncode == 0, recorded.stderr
    page = json.loads(run("report", "it.calor", "--format", "json", cwd=tmp_path).stdout)
    assert page["heap"]["allocated_bytes"] > 10_000_000


def test_a_recorded_program_finds_what_it_would_without_us(tmp_path):
    # Signals that Python ignores for itself, and the locale it chooses for itself.
    program = ["sh", "-c", "grep SigIgn /proc/self/status; echo locale=$LC_CTYPE"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    recorded = run("record", "-o", "it.calor", "--", *program, cwd=tmp_path, env=environment)
    ignored = int(recorded.stdout.split()[1], 16)
    assert not ignored & (1 << (signal.SIGXFSZ - 1)) and not ignored & (1 << (signal.SIGPIPE - 1))
    assert "locale=\n" in recorded.stdout
    environment["LC_CTYPE"] = "C.UTF-8"
    recorded = run("record", "-o", "it.calor", "--", *program, cwd=tmp_path, env=environment)
    assert "locale=C.UTF-8\n" in recorded.stdout


def test_ctrl_c_ends_a_command_as_the_signal_does():
    waiting = subprocess.Popen([COMMAND, "report", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # Once it reads, Python is no longer what hears the signal.
    while not _reads(waiting.pid):
        time.sleep(0.01)
    waiting.send_signal(signal.SIGINT)
    _, told = waiting.communicate(timeout=60)
    assert waiting.returncode == -signal.SIGINT and "KeyboardInterrupt" not in told


def _reads(process):
    with open(f"/proc/{process}/wchan") as waits:
        return "pipe" in waits.read()


def test_a_reader_that_goes_away_is_no_failure():
    page = subprocess.Popen([COMMAND, "man"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    page.stdout.close()
    assert page.stderr.read() == "" and page.wait(timeout=60) == 0
