"""Recordings: files that are there while the program runs, after it ended, and after it was killed."""

import os
import signal
import subprocess
import sys
import time

import calor
import pytest
from calor import _calor


@pytest.fixture(autouse=True)
def off_before_and_after():
    calor.disable_profiling()
    calor.clear_profile()
    yield
    calor.stop_recording()
    calor.disable_profiling()
    calor.clear_profile()


def sections(path):
    """The scopes of a file by name."""
    return calor.profile_report(format="json", profile=path)["contexts"]


def test_a_recording_is_a_file_of_the_scopes(tmp_path):
    path = tmp_path / "run.calor"
    calor.start_recording(path)
    assert calor.is_enabled()
    with calor.scope("recorded"):
        pass
    assert calor.stop_recording() == str(path)
    assert sections(path)["recorded"]["count"] == 1
    assert calor.is_enabled()
    assert calor.stop_recording() is None


def test_there_is_one_recording_at_a_time(tmp_path):
    calor.start_recording(tmp_path / "first.calor")
    with pytest.raises(RuntimeError, match="calor.stop_recording"):
        calor.start_recording(tmp_path / "second.calor")
    assert calor.stop_recording() == str(tmp_path / "first.calor")


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(OSError, match="cannot write the recording"):
        calor.start_recording(tmp_path / "no such folder" / "run.calor")
    assert not calor.is_enabled()


def test_a_file_that_is_no_profile_is_not_written_over(tmp_path):
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("Abstract.")
    with pytest.raises(FileExistsError, match="no calor profile.*name another file"):
        calor.start_recording(thesis)
    assert thesis.read_text() == "Abstract." and not calor.is_enabled()


def test_a_profile_and_an_empty_file_are_written_over(tmp_path):
    path = tmp_path / "run.calor"
    path.touch()
    for name in ("first", "second"):
        calor.start_recording(path)
        with calor.scope(name):
            pass
        calor.stop_recording()
        calor.clear_profile()
    assert list(sections(path)) == ["second"]


@pytest.mark.parametrize(
    ("options", "error"),
    [({"interval": 0}, ValueError), ({"interval": "soon"}, TypeError), ({"timeline": 1}, TypeError)],
)
def test_wrong_options_are_told(tmp_path, options, error):
    with pytest.raises(error):
        calor.start_recording(tmp_path / "run.calor", **options)
    assert not (tmp_path / "run.calor").exists()


def test_other_settings_do_not_end_the_timeline(tmp_path):
    calor.start_recording(tmp_path / "run.calor")
    calor.enable_profiling(numpy=False, sample_every=1)
    with calor.scope("after"):
        pass
    calor.stop_recording()


PROGRAM = """
import sys, time, calor
calor.start_recording(sys.argv[1], interval=0.05)
for _ in range(1000):
    with calor.scope("early"):
        pass
print("ready", flush=True)
while True:
    with calor.scope("later"):
        time.sleep(0.01)
"""


def test_a_program_that_is_killed_leaves_its_file(tmp_path):
    path = tmp_path / "killed.calor"
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE)
    try:
        assert child.stdout.readline() == b"ready\n"
        # While it runs the file is there, and it grows.
        sizes = set()
        for _ in range(200):
            sizes.add(path.stat().st_size)
            if len(sizes) > 3:
                break
            time.sleep(0.05)
        assert len(sizes) > 1
        # And it can be read.
        assert sections(path)["early"]["count"] == 1000
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
    found = sections(path)
    assert found["early"]["count"] == 1000
    assert found["later"]["count"] > 0


def test_a_program_that_ends_finishes_its_file(tmp_path):
    path = tmp_path / "ended.calor"
    program = "import sys, calor\ncalor.start_recording(sys.argv[1])\nwith calor.scope('only'): pass\n"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=60)
    assert sections(path)["only"]["count"] == 1


def test_clearing_while_recording_goes_on(tmp_path):
    calor.start_recording(tmp_path / "run.calor", interval=0.05)
    for _ in range(5):
        with calor.scope("work"):
            pass
        calor.clear_profile()
        time.sleep(0.03)
    with calor.scope("last"):
        pass
    assert {"/".join(row["path"]) for row in _calor.scope_rows() if row["calls"]} == {"last"}
    calor.stop_recording()


SHAPES = """
import sys, time, calor
import numpy as np
calor.start_recording(sys.argv[1], interval=0.05)
for turn in range(3):
    for n in range(1, 40):
        np.ones(n + 40 * turn) + 1
    time.sleep(0.15)
own = calor.profile_report("json")["warnings"]
calor.stop_recording()
again = calor.profile_report("json", profile=sys.argv[1])["warnings"]
told = lambda warnings: {w["code"]: w.get("count") for w in warnings if w["code"].startswith("numpy_")}
assert told(own) and told(own) == told(again), (told(own), told(again))
"""


def test_a_recording_tells_what_could_not_be_recorded(tmp_path):
    pytest.importorskip("numpy")
    path = tmp_path / "shapes.calor"
    subprocess.run([sys.executable, "-c", SHAPES, str(path)], check=True, timeout=120)
