"""What a user of NumPy reads: lines, shapes and advice."""

import calor
import pytest

numpy = pytest.importorskip("numpy")


@pytest.fixture(autouse=True)
def fresh():
    calor.disable_profiling()
    calor.clear_profile()
    yield
    calor.disable_profiling()
    calor.clear_profile()


def line_of(text):
    with open(__file__, encoding="utf-8") as source:
        return next(number for number, line in enumerate(source, 1) if text in line)


def test_operations_have_their_line_and_shapes():
    data = numpy.ones((300, 300))
    calor.enable_profiling()
    with calor.ProfileContext("product"):
        data @ data  # the product
    report = calor.profile_report("json")
    row = next(row for row in report["operations"] if row["operation"] == "matmul")
    assert row["file"] == __file__ and row["line"] == line_of("# the " + "product")
    assert row["shapes"] == [[300, 300], [300, 300]] and row["dtypes"] == ["float64", "float64"]
    assert row["flops"] == 2 * 300**3 and row["context"] == "product" and row["count"] == 1
    assert row["total_ns"] / 1e6 <= report["product"]["total_time_ms"]
    assert "matmul" in calor.profile_report()


def test_a_loop_over_small_arrays_is_found_at_its_line():
    data = numpy.arange(10.0)
    calor.enable_profiling()
    for number in range(30_000):
        data + number  # small
    found = calor.get_recommendations()
    assert found, calor.profile_report()
    assert found[0]["location"]["file"] == __file__
    assert found[0]["location"]["line"] == line_of("# sm" + "all")
    assert found[0]["location"]["function"] == "test_a_loop_over_small_arrays_is_found_at_its_line"
    assert found[0]["gain"][0] > 1.0 and found[0]["code_example"]
    assert found[0]["title"] in calor.profile_report(width=400)
