"""What was exported says the same when it is read again."""

import calor
import pytest


@pytest.fixture(autouse=True)
def fresh():
    calor.clear_profile()
    yield
    calor.disable_profiling()
    calor.clear_profile()


def record():
    np = pytest.importorskip("numpy")
    calor.enable_profiling()
    with calor.scope("outer"):
        values = np.ones(1000)
        for _ in range(50):
            np.linalg.norm(values + values)
    calor.disable_profiling()


@pytest.mark.parametrize("name", ["run.calor", "run.json", "run.md", "run.html"])
def test_a_file_holds_the_profile(tmp_path, name):
    record()
    path = tmp_path / name
    calor.export(path)
    again = calor.profile_report(format="json", profile=path)
    now = calor.profile_report(format="json")
    assert again["outer"]["count"] == 1
    assert [row["operation"] for row in again["operations"]] == [row["operation"] for row in now["operations"]]


def test_folded_stacks_add_up_to_the_time_that_was_recorded(tmp_path):
    record()
    path = tmp_path / "run.folded"
    calor.export(path)
    added = sum(int(line.rsplit(" ", 1)[1]) for line in path.read_text().splitlines())
    whole = calor.profile_report(format="json")["total_time_ns"]
    assert abs(added - whole) <= 0.02 * whole


def test_a_folder_that_is_not_there_is_told_by_its_error(tmp_path):
    record()
    with pytest.raises(FileNotFoundError):
        calor.export(tmp_path / "none" / "run.calor")
    calor.export(str(tmp_path / "run.calor").encode())
    assert (tmp_path / "run.calor").exists()


def test_coroutines_are_counted_by_call_and_not_by_step():
    import asyncio

    @calor.profile
    async def fetch():
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def all_of_them():
        await asyncio.gather(*[fetch() for _ in range(5)])

    calor.enable_profiling(numpy=False, torch=False)
    asyncio.run(all_of_them())
    calor.disable_profiling()
    (row,) = [row for name, row in calor.profile_report(format="json")["contexts"].items() if "fetch" in name]
    assert row["count"] == 5 and row["steps"] == 15 and row["life_mean_ms"] >= row["mean_ms"] > 0


def test_functions_of_the_program_are_traced_without_those_of_libraries():
    import json

    def own():
        return json.dumps({"a": [1]}, indent=1)

    def names():
        return {row["name"] for row in calor.profile_report(format="json")["functions"]}

    calor.enable_profiling(numpy=False, torch=False, functions="trace")
    own()
    calor.disable_profiling()
    assert "dumps" in names()
    calor.clear_profile()
    calor.enable_profiling(numpy=False, torch=False, functions="program")
    own()
    calor.disable_profiling()
    assert "dumps" not in names() and any("own" in name for name in names())


def test_functions_that_would_run_nothing_are_not_compared():
    async def waits():
        pass

    def yields():
        yield 1

    with pytest.raises(TypeError, match="coroutine"):
        calor.ab(waits, waits)
    with pytest.raises(TypeError, match="generator"):
        calor.ab(yields, yields)
