"""Functions that take turns: what is slower is found, what fails is raised, what is wrong is refused."""

import time

import calor
import pytest


def work(n):
    total = 0
    for number in range(n):
        total += number * number
    return total


def half(n):
    return work(n // 2)


def test_a_function_that_does_half_as_much_is_an_improvement_and_the_other_way_round_a_regression():
    faster = calor.ab(work, half, 20_000, max_time=20)
    assert faster.verdict == "improved"
    assert faster.interval[0] < faster.effect < faster.interval[1] < 0
    slower = calor.ab(half, work, (20_000,), max_time=20)
    assert slower.verdict == "regressed" and slower.effect > 0.3
    assert list(slower.call_ns) == ["half", "work"]
    assert "work" in str(slower) and "half" in str(slower)


def test_a_third_function_is_judged_against_the_first():
    outcome = calor.ab(work, half, 20_000, others=[half], names=["a", "b", "c"], max_time=20)
    rows = outcome.to_dict()["comparisons"]
    assert [row["variant"] for row in rows] == ["b", "c"]
    assert {row["verdict"] for row in rows} == {"improved"}


def test_the_dict_has_the_fields_that_scripts_rely_on():
    page = calor.ab(work, half, 20_000, max_time=20, seed=3).to_dict()
    for field in ["verdict", "effect", "interval", "metric", "pairs", "null_control", "smallest_detectable"]:
        assert field in page
    assert page["schema"] == "calor/ab/1" and page["metric"] == "cpu"
    assert page["pairs"] >= 1 and page["margin"] == 0.02


def test_functions_that_wait_are_compared_by_the_wall():
    outcome = calor.ab(lambda: time.sleep(0.001), lambda: time.sleep(0.02), metric="wall", max_time=20)
    assert outcome.verdict == "regressed" and outcome.to_dict()["metric"] == "wall"


def test_arguments_that_a_call_uses_up_are_made_for_each_and_not_timed():
    def drain(values):
        assert len(values) == 300, "a call got what another one had used"
        while values:
            values.pop()

    calor.ab(drain, drain, make_args=lambda: list(range(300)), names=["a", "b"], max_time=0.3)


def test_keyword_arguments_are_passed_on():
    seen = set()
    calor.ab(lambda a, b: seen.add((a, b)), lambda a, b: None, (1,), {"b": 2}, max_time=0.1)
    assert seen == {(1, 2)}


def test_what_a_function_raises_ends_the_comparison_and_passes_through():
    calls = []

    def fails():
        calls.append(1)
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        calor.ab(lambda: None, fails, max_time=5)
    assert len(calls) == 1


def test_an_interrupt_is_heard_within_a_batch():
    import signal

    def interrupts():
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        calor.ab(interrupts, interrupts, max_time=5)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"g": 3}, "expected functions"),
        ({"metric": "rss"}, "no metric 'rss'"),
        ({"margin": 0}, "0.02 is 2 %"),
        ({"margin": float("nan")}, "0.02 is 2 %"),
        ({"max_time": -1}, "max_time"),
        ({"max_time": float("nan")}, "max_time"),
        ({"max_pairs": 0}, "max_pairs"),
        ({"names": ["one"]}, "expected 2 different names"),
        ({"names": ["one", "one"]}, "expected 2 different names"),
        ({"args": (1,), "make_args": list}, "both given"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_give(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        calor.ab(**{"f": work, "g": half, **arguments})


def test_functions_of_one_name_are_told_apart():
    assert list(calor.ab(lambda: 1, lambda: 2, max_time=0.05).call_ns) == ["<lambda> (A)", "<lambda> (B)"]
