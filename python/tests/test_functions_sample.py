"""Functions sampled from inside: the busy one is found, by its Python name and line."""

import csv
import io
import time

import calor
from calor import _calor
from functions_rows import codes


def busy(seconds):
    end, n = time.process_time() + seconds, 0
    while time.process_time() < end:
        n += sum(range(100))
    return n


def test_samples_are_of_the_function_that_runs_and_stay_until_they_are_cleared():
    calor.clear_profile()
    calor.enable_profiling(functions="sample", numpy=False, torch=False)
    try:
        with calor.scope("measured"):
            busy(1.0)
        under_way = _calor.sample_rows()
    finally:
        calor.disable_profiling()
    if "functions_not_sampled" in codes():
        assert under_way == []
        return
    sampled = _calor.sample_rows()
    here = sum(row["samples"] for row in sampled if "busy" in row["path"])
    assert here >= sum(row["samples"] for row in under_way if "busy" in row["path"]) > 0
    assert here > 0.5 * sum(row["samples"] for row in sampled)
    assert any(row["path"][-1] == "busy" and row["file"] == __file__ for row in sampled)
    assert any(row["path"] == ["measured"] for row in _calor.scope_rows()), "scopes are in the same profile"
    calor.clear_profile()
    assert _calor.sample_rows() == []


def test_sampling_that_is_cleared_goes_on():
    calor.enable_profiling(functions="sample", numpy=False, torch=False)
    try:
        calor.clear_profile()
        busy(0.5)
        sampled = _calor.sample_rows()
    finally:
        calor.disable_profiling()
    assert "functions_not_sampled" in codes() or any("busy" in row["path"] for row in sampled)


def test_sampled_functions_are_in_tables_and_a_context_says_that_it_has_none():
    calor.clear_profile()
    calor.enable_profiling(functions="sample", numpy=False, torch=False)
    try:
        with calor.ProfileContext("part"):
            busy(0.5)
    finally:
        calor.disable_profiling()
    if not _calor.sample_rows():
        return
    names = [row["name"] for row in calor.profile_report("json")["sampled_functions"]]
    rows = list(csv.DictReader(io.StringIO(calor.profile_report("csv"))))
    assert [row["operation"] for row in rows if row["kind"] == "sampled"] == names
    told = calor.profile_report("json", context="part")["warnings"]
    assert "samples_without_context" in [warning["code"] for warning in told]
