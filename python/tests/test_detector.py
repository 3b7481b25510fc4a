"""The detector for programs in production: alarms that open, close, and are not raised for larger inputs."""

import random

import calor
import pytest


def window(chance, slower=1.0, size=256, calls=300):
    machine = chance.gauss(0, 0.02)
    found = calor.CallWindow()
    for _ in range(calls):
        rows = int(size * 2 ** chance.gauss(0, 1)) + 1
        found.add(int(1_000 * rows * slower * 2.718 ** (machine + chance.gauss(0, 0.3))), size=rows)
    return found


@pytest.fixture
def chance():
    return random.Random(7)


@pytest.fixture
def detector(chance):
    return calor.Detector(calor.CallBaseline([window(chance) for _ in range(50)]))


def kinds(detector, windows):
    return [detector.observe(window, 10.0).kind for window in windows]


def test_calls_that_became_slower_open_an_alarm_that_closes_when_they_are_not(chance, detector):
    assert set(kinds(detector, (window(chance) for _ in range(20)))) == {"quiet"}
    signals = [detector.observe(window(chance, slower=1.2), 10.0) for _ in range(12)]
    opened = [signal for signal in signals if signal.kind == "opened"]
    assert len(opened) == 1 and signals[-1].kind == "open"
    alarm = opened[0].alarm
    assert 0.1 < alarm.effect < 0.3 and alarm.interval[0] > 0.05 and alarm.impact_ns > 1e6
    assert detector.alarm is not None and "more in each second" in repr(alarm)
    assert "closed" in kinds(detector, (window(chance) for _ in range(6)))
    assert detector.alarm is None


def test_larger_inputs_are_no_regression(chance, detector):
    assert set(kinds(detector, (window(chance, size=1024) for _ in range(40)))) == {"quiet"}


def test_few_calls_say_nothing(chance, detector):
    assert kinds(detector, [window(chance, slower=9, calls=10)]) == ["too_few_calls"]


def test_windows_add_up_also_to_themselves(chance):
    one, other = window(chance), window(chance)
    total = one.total_ns + other.total_ns
    one.merge(other)
    assert one.calls == 600 and one.total_ns == pytest.approx(total)
    one.merge(one)
    assert one.calls == 1_200


def test_what_cannot_be_is_refused(chance, detector):
    with pytest.raises(ValueError, match="windows"):
        calor.CallBaseline([window(chance)])
    with pytest.raises(ValueError, match="seconds"):
        detector.observe(window(chance), 0)
    with pytest.raises(ValueError, match="5 %"):
        calor.Detector(calor.CallBaseline([window(chance) for _ in range(9)]), margin=-1)
    with pytest.raises(OverflowError):
        calor.CallWindow().add(-5)
