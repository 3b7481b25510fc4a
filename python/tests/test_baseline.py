"""Comparisons, budgets and baselines in the store."""

import time

import calor
import pytest
from recorded import recording


@pytest.fixture(autouse=True)
def fresh():
    with recording():
        yield


def work(times, n=40):
    for _ in range(n):
        with calor.scope("step"):
            sum(range(3_000 * times))


def run(name, times):
    calor.clear_profile()
    work(times)
    return calor.snapshot(name)


def test_a_slower_run_is_told_with_its_interval():
    before = [run(f"before {at}", 1) for at in range(6)]
    after = [run(f"after {at}", 10) for at in range(6)]
    found = calor.compare(before, after)
    assert found.verdict == "regressed" and found.metric == "scopes"
    low, high = found.interval
    assert 0.1 < low <= found.effect <= high
    told = found.to_dict()
    # Threads of whoever runs the tests may be in it, too.
    assert told["schema"] == "calor/compare/1" and "step" in [row["name"] for row in told["functions"]]
    assert told["runs"] == [6, 6] and "step" in str(found) and found.sentence in repr(found)
    assert found.report("html").startswith("<!doctype html>")
    assert calor.compare(after, before).verdict == "improved"


def test_one_profile_is_like_itself_and_says_so(tmp_path):
    one = run("one", 1)
    calor.export(tmp_path / "one.calor", profile=one)
    found = calor.compare(one, one)
    assert found.verdict != "regressed"
    assert "same_run" in {warning["code"] for warning in found.to_dict()["warnings"]}
    assert calor.compare(tmp_path / "one.calor", str(tmp_path / "one.calor")).verdict != "regressed"


def test_what_cannot_be_compared_is_told():
    one = run("one", 1)
    calor.clear_profile()
    for wrong, message in [
        (lambda: calor.compare(one, calor.snapshot()), "found none|has no|nothing"),
        (lambda: calor.compare(one, []), "at least one"),
        (lambda: calor.compare(one, one, margin=2), "2 %"),
        (lambda: calor.compare(one, one, by="name"), "'self' or 'total'"),
        (lambda: calor.compare(one, one).report("pdf"), "'text', 'markdown', 'html' or 'json'"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(TypeError, match="snapshot"):
        calor.compare(one, 3)


def test_budgets_by_section():
    with calor.ProfileContext("load"):
        sum(range(100_000))
    with calor.ProfileContext("idle"):
        pass
    calor.set_baseline({"load": 0.0001, "idle": 1e6})
    [found] = calor.check_baseline()
    assert found["section"] == "load" and found["ratio"] > 1.5 and found["actual_ms"] > found["baseline_ms"]
    assert "load took" in found["message"] and "baseline: 0.0001 ms" in found["message"]
    calor.set_baseline({"load": 100.0}, tolerance=9e5)
    assert calor.check_baseline() == []
    calor.set_baseline({"gone": 1.0})
    with pytest.warns(UserWarning, match="'gone'"):
        assert calor.check_baseline() == []


def test_budgets_of_a_call():
    work(1, n=50)
    total = calor.profile_report("json")["step"]
    calor.set_baseline({"step": total["mean_ms"]}, tolerance=0.0, per="call")
    assert calor.check_baseline() == []
    calor.set_baseline({"step": total["mean_ms"]}, tolerance=0.0, per="total")
    assert [found["section"] for found in calor.check_baseline()] == ["step"]


def test_a_named_baseline_is_kept_in_the_store(tmp_path):
    store = tmp_path / ".calor"
    calor.set_baseline("main", profile=[run(f"good {at}", 1) for at in range(6)], store=store)
    assert store.is_dir()
    assert isinstance(calor.check_baseline(), list)
    slow = [run(f"slow {at}", 12) for at in range(6)]
    [found] = [one for one in calor.check_baseline("main", profile=slow, store=store) if one["section"] == "step"]
    assert found["verdict"] == "regressed" and found["ratio"] > 1
    assert found["interval"][0] > 0 and "baseline main" in found["message"]
    with pytest.raises(KeyError, match="nightly"):
        calor.check_baseline("nightly", store=store)
    with pytest.raises(OSError):
        calor.check_baseline("main", store=tmp_path / "none")


def test_a_baseline_of_one_run_tells_what_is_far_slower_and_warns(tmp_path):
    def told(seconds):
        calor.clear_profile()
        with calor.scope("step"):
            time.sleep(seconds)
        return calor.snapshot()

    calor.set_baseline("main", profile=told(0.01), store=tmp_path)
    with pytest.warns(UserWarning, match="has 1 run, .* keep 5 runs or more"):
        [found] = calor.check_baseline("main", profile=told(0.06), store=tmp_path)
    assert (found["section"], found["verdict"]) == ("step", "suspected") and found["ratio"] > 2
    with pytest.warns(UserWarning, match="only what takes 50% longer is told"):
        assert calor.check_baseline("main", profile=told(0.005), store=tmp_path) == []


def test_a_context_is_judged_with_what_is_inside(tmp_path):
    def told(times):
        calor.clear_profile()
        with calor.ProfileContext("work"):
            work(times)
            with calor.scope("rest"):
                time.sleep(0.001)
        return calor.snapshot()

    calor.set_baseline("good", profile=[told(1) for _ in range(6)], store=tmp_path)
    found = calor.check_baseline("good", profile=[told(12) for _ in range(6)], store=tmp_path)
    [whole] = [one for one in found if one["section"] == "work"]
    assert whole["verdict"] == "regressed" and whole["ratio"] > 1.5
    [inside] = [one for one in found if one["section"] == "step"]
    assert whole["actual_ms"] >= inside["actual_ms"]


def test_where_there_is_no_store_it_is_said_how_to_make_one(tmp_path):
    with pytest.raises(OSError, match=r'calor.set_baseline\("main"\)'):
        calor.check_baseline("main", store=tmp_path / "none")


def test_two_moments_of_one_process_are_not_sent_to_be_compared_by_their_command():
    one = run("one", 1)
    with calor.scope("step"):
        time.sleep(0.001)
    assert "calor ab" not in str(calor.compare(one, calor.snapshot("other")))


def test_the_settings_of_the_project_name_the_store(tmp_path, monkeypatch):
    monkeypatch.delenv("CALOR_STORE", raising=False)
    inner = tmp_path / "project" / "src"
    inner.mkdir(parents=True)
    settings = tmp_path / "project" / "calor.toml"
    settings.write_text("[record]\nfrequency = 99\n[store]\npath = 'kept/runs'\n")
    monkeypatch.chdir(inner)
    calor.set_baseline("main", profile=[run("good", 1)])
    assert (tmp_path / "project" / "kept" / "runs").is_dir()
    assert not (inner / ".calor").exists()
    assert isinstance(calor.check_baseline("main"), list)
    # A variable wins over the file, as for the command.
    monkeypatch.setenv("CALOR_STORE", str(tmp_path / "other"))
    with pytest.raises(OSError):
        calor.check_baseline("main")
    monkeypatch.delenv("CALOR_STORE")
    for wrong in ("[store]\npath = 3\n", "store = 'x'\n", "[store\n"):
        settings.write_text(wrong)
        with pytest.raises(ValueError, match="calor.toml"):
            calor.check_baseline("main")


def test_what_is_no_baseline_is_refused(tmp_path):
    for wrong in ({}, {"load": 0}, {"load": -1.0}, "no blanks"):
        work(1, n=1)
        with pytest.raises(ValueError):
            calor.set_baseline(wrong, store=tmp_path)
    for wrong in (3, {"load": "fast"}, {3: 1.0}):
        with pytest.raises(TypeError):
            calor.set_baseline(wrong)
    with pytest.raises(ValueError, match="'total' or per 'call'"):
        calor.set_baseline({"load": 1.0}, per="day")
    calor.clear_profile()
    with pytest.raises(ValueError, match="nothing was recorded"):
        calor.set_baseline("empty", store=tmp_path)
