"""Pages and dicts of what was recorded."""

import csv
import io
import json
import pathlib

import calor
import pytest
from recorded import matmul, recording

HERE = pathlib.Path(__file__).name


@pytest.fixture(autouse=True)
def fresh():
    with recording():
        yield


def test_a_dict_has_operations_and_every_section_by_name():
    with calor.ProfileContext("preprocessing"):
        matmul()
    with calor.scope("operations"):
        pass
    report = calor.profile_report(format="json")
    assert report["schema"] == "calor/profile_report/1" and isinstance(report["warnings"], list)
    assert report["preprocessing"]["count"] == 1 and report["preprocessing"]["total_time_ms"] > 0
    assert report["preprocessing"]["mean_ms"] == pytest.approx(report["preprocessing"]["total_time_ms"])
    # A scope with the name of a field is among the contexts alone, and a warning says so.
    assert report["contexts"]["operations"]["count"] == 1 and isinstance(report["operations"], list)
    [warning] = [one for one in report["warnings"] if one["code"] == "context_named_as_field"]
    assert warning["count"] == 1 and "report[\"contexts\"]['operations']" in warning["message"]
    [row] = report["operations"]
    assert (row["operation"], row["count"], row["backend"]) == ("matmul", 3, "blas")
    assert row["shapes"] == [[512, 512], [512, 512]] and row["dtypes"] == ["float32", "float32"]
    assert row["bytes"] == 3 * 3 * 512 * 512 * 4 and row["flops"] == 3 * 2 * 512**3
    assert row["context"] == row["parent"] == "preprocessing"
    assert row["min_ns"] <= row["mean_ns"] <= row["max_ns"] and 0 < row["share"] <= 1
    assert row["total_ns"] <= report["total_time_ns"]
    json.dumps(report)


def test_text_marks_the_slowest_and_says_what_to_do_next():
    matmul(5)
    with calor.scope("add", op="numpy", shape="3,3"):
        pass
    page = calor.profile_report(width=120)
    assert isinstance(page, str) and "← slowest" in page
    assert "calor.get_recommendations()" in page or "calor.export" in page
    assert all(len(line) <= 120 for line in page.splitlines())


def test_a_context_is_reported_alone():
    with calor.ProfileContext("train"):
        matmul(2)
    with calor.ProfileContext("test"):
        matmul(1)
    assert sum(row["count"] for row in calor.profile_report("json")["operations"]) == 3
    [row] = calor.profile_report("json", context="train")["operations"]
    assert row["count"] == 2
    with pytest.raises(ValueError, match="no context is named `tain`; the profile has .*`test`, `train`"):
        calor.profile_report(context="tain")


def test_csv_html_and_markdown():
    with calor.ProfileContext("train, twice"):
        matmul()
    rows = list(csv.DictReader(io.StringIO(calor.profile_report("csv"))))
    assert [(row["kind"], row["operation"], row["count"]) for row in rows] == [
        ("operation", "matmul", "3"),
        ("context", "train, twice", "1"),
    ]
    page = calor.profile_report("html")
    assert page.startswith("<!doctype html>") and 'id="operations"' in page and 'id="flame"' in page
    page = calor.profile_report("markdown")
    assert "| matmul" in page and page == calor.profile_report("md")


def test_what_a_scope_told_is_in_every_format():
    for _ in range(2):
        with calor.scope("load") as scope:
            scope.add("tokens", 50)
            scope.bytes(4_000)
            scope.flops(300)
            scope.elements(7)
            scope.backend("cuda")
    load = calor.profile_report("json")["load"]
    assert load["counters"] == {"tokens": 100} and load["backends"] == {"cuda": 2}
    assert (load["bytes"], load["flops"], load["elements"]) == (8_000, 600, 14)
    assert load["bytes_per_s"] == pytest.approx(8_000e3 / load["total_time_ms"])
    [row] = csv.DictReader(io.StringIO(calor.profile_report("csv")))
    assert (row["bytes"], row["flops"], row["elements"], row["backend"]) == ("8000", "600", "14", "cuda")
    assert json.loads(row["counters"]) == {"tokens": 100}
    for format in ("text", "markdown", "html"):
        page = calor.profile_report(format)
        assert "tokens" in page and "calls on cuda" in page, page


def test_nothing_recorded_says_what_to_do():
    assert 'calor.enable_profiling(functions="trace")' in calor.profile_report()
    report = calor.profile_report("json")
    assert report["operations"] == [] and [warning["code"] for warning in report["warnings"]] == ["nothing_recorded"]


def test_what_cannot_be_measured_is_none_with_a_warning():
    with calor.scope("reshape", op="numpy"):
        pass
    report = calor.profile_report("json")
    [row] = report["operations"]
    assert row["bytes"] is None and row["flops_per_s"] is None and row["stddev_ns"] is None
    assert {"work_unknown", "spread_unknown"} <= {warning["code"] for warning in report["warnings"]}


def test_top_cuts_lists():
    for name in "abc":
        with calor.scope(name, op="numpy"):
            pass
    assert len(calor.profile_report("json", top=2)["operations"]) == 2
    assert "2 of 3 rows" in calor.profile_report(top=2)


def test_a_snapshot_no_longer_changes():
    matmul(1)
    before = calor.snapshot("before")
    matmul(4)
    assert calor.profile_report("json", profile=before)["operations"][0]["count"] == 1
    assert calor.profile_report("json")["operations"][0]["count"] == 5
    assert before.name == "before" and "before" in repr(before)


def test_wrong_arguments_are_told():
    for wrong, message in [
        (lambda: calor.profile_report("pdf"), "'text', 'json', 'html', 'markdown', 'csv'"),
        (lambda: calor.profile_report(top=0), "leaves no rows"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
    for wrong in (
        lambda: calor.profile_report(top="3"),
        lambda: calor.profile_report(context=3),
        lambda: calor.profile_report(profile=3),
        lambda: calor.profile_report(width="wide"),
        lambda: calor.get_recommendations(context=3),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_sets_of_labels_have_rows_of_their_own_in_every_format():
    for model, n in (("small", 10), ("large", 1000), ("small", 20)):
        with calor.scope("lab", model=model):
            sum(range(n))
    with calor.scope("alone", kind="one"):
        pass
    report = calor.profile_report("json")
    assert report["lab"]["count"] == 3 and report["alone"]["labels"] == {"kind": "one"}
    sets = {row["labels"]["model"]: row["count"] for row in report["lab"]["by_labels"]}
    assert sets == {"small": 2, "large": 1}
    totals = [row["total_time_ms"] for row in report["lab"]["by_labels"]]
    assert sum(totals) == pytest.approx(report["lab"]["total_time_ms"])
    for page in (calor.profile_report(), calor.profile_report("markdown"), calor.profile_report("html")):
        assert "lab {model=small}" in page and "lab {model=large}" in page and "alone {kind=one}" in page
    rows = list(csv.DictReader(io.StringIO(calor.profile_report("csv"))))
    told = {row["labels"]: (row["kind"], row["count"]) for row in rows if row["operation"] == "lab"}
    assert told == {
        "": ("scope", "3"),
        '{"model":"small"}': ("labelled", "2"),
        '{"model":"large"}': ("labelled", "1"),
    }


def test_what_is_no_profile_is_refused_with_what_python_calls(tmp_path):
    wrong = tmp_path / "program.py"
    wrong.write_text("print(3)\n")
    with pytest.raises(OSError, match=r'calor.export\("run.calor"\)'):
        calor.load(wrong)


def test_a_scope_has_a_name():
    for make in (calor.scope, calor.ProfileContext):
        with pytest.raises(ValueError, match="without a name"):
            make("")
