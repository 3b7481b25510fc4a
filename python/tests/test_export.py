"""Files for Calor and for other tools, by their ending."""

import gzip
import json

import calor
import pytest
from recorded import matmul, recording


@pytest.fixture(autouse=True)
def fresh():
    with recording():
        yield


@pytest.fixture
def folder(tmp_path):
    with calor.ProfileContext("train"):
        matmul()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("run.html", b"<!doctype html>"),
        ("run.flame.html", b"<!doctype html>"),
        ("run.md", b"<!-- calor-report: carries its profile -->"),
        ("run.txt", b"Operations"),
        ("run.csv", b"kind,operation,"),
        ("run.json", b'{"schema":"calor/profile_report/1"'),
        ("run.svg", b"<"),
        ("run.folded", b"train"),
        ("run.CALOR", b""),
    ],
)
def test_the_ending_says_which_format(folder, name, beginning):
    calor.export(folder / name)
    content = (folder / name).read_bytes()
    assert content and content.startswith(beginning)
    assert [path.name for path in folder.iterdir()] == [name]


def test_other_tools_read_their_formats(folder):
    for name in ("run.speedscope.json", "run.trace.json", "run.firefox.json", "run.pprof", "run.pb.gz"):
        calor.export(folder / name)
    speedscope = json.loads((folder / "run.speedscope.json").read_text())
    assert "speedscope" in speedscope["$schema"]
    assert "matmul" in (folder / "run.trace.json").read_text()
    assert b"matmul" in gzip.decompress((folder / "run.pb.gz").read_bytes())


def test_a_profile_comes_back_whole(folder):
    calor.export(folder / "run.calor")
    calor.clear_profile()
    read = calor.load(folder / "run.calor")
    [row] = calor.profile_report("json", profile=read)["operations"]
    assert row["operation"] == "matmul" and row["count"] == 3
    # A path stands for the profile in it, and a page carries one.
    calor.export(folder / "run.html", profile=str(folder / "run.calor"))
    [again] = calor.profile_report("json", profile=folder / "run.html")["operations"]
    assert again["total_ns"] == row["total_ns"]


def test_a_context_alone_can_be_written(folder):
    matmul(7)
    calor.export(folder / "train.json", context="train")
    [row] = json.loads((folder / "train.json").read_text())["operations"]
    assert row["count"] == 3


def test_what_cannot_be_written_is_told(folder):
    with pytest.raises(ValueError, match=r"names no format.*\.html.*\.svg.*\.calor.*\.speedscope\.json"):
        calor.export(folder / "run.pdf")
    with pytest.raises(OSError, match="cannot write"):
        calor.export(folder / "missing" / "run.calor")
    with pytest.raises(FileNotFoundError):
        calor.load(folder / "none.calor")
    (folder / "odd.bin").write_bytes(b"\0\1\2")
    with pytest.raises(OSError, match="cannot read"):
        calor.load(folder / "odd.bin")
    assert {path.name for path in folder.iterdir()} == {"odd.bin"}
