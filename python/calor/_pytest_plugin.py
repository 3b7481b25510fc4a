"""The pytest plugin: ``pytest --calor`` profiles tests, and ``@pytest.mark.calor(budget_ms=50)`` gives one a limit.

Without either nothing is turned on; all that happens is that pytest imports this file.
"""

import time
from typing import Any, Generator, Optional, Union

import pytest

_MARKER = (
    "calor(budget_ms): fail the test when it takes longer than so many milliseconds; a dict gives limits to the scopes "
    "and contexts inside it, by name"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("calor", "profiling with Calor")
    group.addoption("--calor", action="store_true", help="profile the tests, and print a summary")
    group.addoption(
        "--calor-report",
        metavar="FILE",
        action="append",
        default=[],
        help="write the profile of all tests to FILE, as its ending says (html, json, svg, calor, ...); implies --calor",
    )
    group.addoption(
        "--calor-functions",
        choices=["trace", "sample"],
        help="record functions of Python, too, by each call or by samples; implies --calor",
    )
    group.addoption(
        "--calor-top", type=int, default=10, metavar="N", help="how many tests and operations the summary has (10)"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    options = config.option
    if options.calor or options.calor_report or options.calor_functions:
        from ._pytest_session import Session

        config.pluginmanager.register(Session(config), "calor-session")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    # The innermost wrapper: what is timed is the test, and not what other plugins do around it.
    marker = item.get_closest_marker("calor")
    if marker is None:
        return (yield)
    budget = _budget(marker)
    if isinstance(budget, dict):
        return (yield from _with_sections(item, budget))
    began = time.perf_counter()
    # What the test raises goes its way: a test that failed has not to be quick as well.
    result = yield
    took = (time.perf_counter() - began) * 1e3
    if took > budget:
        pytest.fail(f"{_over('the test', took, budget)}{_hint(item.config)}", pytrace=False)
    return result


def _with_sections(item: pytest.Item, budget: dict[str, float]) -> Generator[None, Any, Any]:
    """Checks the scopes inside a test, for which it has to be profiled, whoever else asks for that."""
    import calor

    before = _sections(calor, budget)
    was_enabled = calor.is_enabled()
    if not was_enabled:
        calor.enable_profiling(numpy=False, torch=False)
    try:
        result = yield
    finally:
        if not was_enabled:
            calor.disable_profiling()
    after = _sections(calor, budget)
    problems = []
    for name, limit in budget.items():
        took = after[name]
        if took is None:
            problems.append(f"there is no scope or context {name!r} in the test, which has a budget of {limit:g} ms")
            continue
        took -= before[name] or 0.0
        if took > limit:
            problems.append(_over(repr(name), took, limit))
    if problems:
        pytest.fail("\n".join(problems) + _hint(item.config), pytrace=False)
    return result


def _sections(calor: Any, names: dict[str, float]) -> dict[str, Optional[float]]:
    found = calor.profile_report(format="json")["contexts"]
    return {name: found[name]["total_time_ms"] if name in found else None for name in names}


def _budget(marker: pytest.Mark) -> Union[float, dict[str, float]]:
    """What the marker allows, in milliseconds."""
    given = dict(marker.kwargs)
    budget = marker.args[0] if marker.args else given.pop("budget_ms", None)
    if given or len(marker.args) > 1:
        pytest.fail(f"@pytest.mark.calor has budget_ms and nothing else, got {marker}", pytrace=False)
    limits = list(budget.values()) if isinstance(budget, dict) else [budget]
    if not limits or not all(_is_limit(limit) for limit in limits):
        pytest.fail(
            "@pytest.mark.calor wants budget_ms as a number of milliseconds above 0, or as a dict of such numbers by "
            f"the names of scopes, got {budget!r}",
            pytrace=False,
        )
    return budget


def _is_limit(limit: Any) -> bool:
    return isinstance(limit, (int, float)) and not isinstance(limit, bool) and limit > 0


def _over(what: str, took: float, limit: float) -> str:
    return f"{what} took {took:.1f} ms, and its budget is {limit:g} ms ({(took / limit - 1) * 100:.0f} % over)"


def _hint(config: pytest.Config) -> str:
    if config.pluginmanager.has_plugin("calor-session"):
        return "; the summary at the end tells where the time went"
    return "; `--calor` tells where the time goes"
