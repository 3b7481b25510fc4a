"""What ``pytest --calor`` does: a profile of each test, added up, and a summary at the end.

Each test is a profile of its own that is added to the one of the session: the recorder has room for some thousand call
paths, and a suite has more tests than that. With pytest-xdist the workers send theirs to the controller.
"""

import os
import time
from typing import Any, Generator

import pytest


class Session:
    """Profiles the tests of one process, and in the controller sums up those of its workers."""

    def __init__(self, config: pytest.Config) -> None:
        import calor

        from ._calor import Gathering
        from ._export import check

        self._calor = calor
        self._options = config.option
        self._is_worker = hasattr(config, "workerinput")
        self._gathering = Gathering()
        self._tests: list[dict[str, Any]] = []
        for path in self._options.calor_report:
            try:
                check(path)
            except (OSError, ValueError) as error:
                raise pytest.UsageError(f"--calor-report: {error}") from None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        calor = self._calor
        # Tests may turn it off or clear it, as those of programs that profile themselves do.
        calor.clear_profile()
        calor.enable_profiling(functions=self._options.calor_functions or False)
        began = time.perf_counter()
        try:
            return (yield)
        finally:
            took = (time.perf_counter() - began) * 1e3
            calor.disable_profiling()
            self._keep(item.nodeid, took)

    def _keep(self, test: str, took_ms: float) -> None:
        snapshot = self._calor.snapshot(test)
        self._gathering.add(snapshot)
        operations = self._calor.profile_report(format="json", profile=snapshot)["operations"]
        slowest = max(operations, key=lambda row: row["total_ns"], default=None)
        most = None
        if slowest is not None:
            most = f"{slowest['operation']} {slowest['total_ns'] / 1e6:.1f} ms"
            if slowest["file"] is not None:
                most += f" ({os.path.basename(slowest['file'])}:{slowest['line']})"
        self._tests.append({"name": test, "took_ms": took_ms, "most": most})

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._is_worker:
            output = {"tests": self._tests, "profile": self._gathering.to_bytes()}
            session.config.workeroutput["calor"] = output  # type: ignore[attr-defined]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        # A worker that died has sent nothing.
        output = getattr(node, "workeroutput", {}).get("calor")
        if output is not None:
            self._tests += output["tests"]
            self._gathering.add_bytes(output["profile"])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._is_worker:
            return
        write = terminalreporter.write_line
        terminalreporter.section("calor")
        if not self._tests:
            write("no test was profiled")
            return
        for line in self._slowest():
            write(line)
        write("")
        everything = self._gathering.snapshot("all tests")
        page = self._calor.profile_report(profile=everything, top=self._options.calor_top)
        for line in page.splitlines():
            write(line)
        for path in self._options.calor_report:
            try:
                self._calor.export(path, profile=everything)
                write(f"calor: wrote {path}")
            except (OSError, ValueError) as error:
                write(f"error: {error}", red=True)

    def _slowest(self) -> list[str]:
        tests = sorted(self._tests, key=lambda test: test["took_ms"], reverse=True)
        shown = tests[: max(self._options.calor_top, 0)]
        total = sum(test["took_ms"] for test in tests)
        lines = [f"{len(tests)} tests, {total:.1f} ms in all; the slowest, and the operation they spent most in:"]
        width = max((len(f"{test['took_ms']:.1f}") for test in shown), default=0)
        names = max((len(test["name"]) for test in shown), default=0)
        for test in shown:
            lines.append(f"  {test['took_ms']:>{width}.1f} ms  {test['name']:<{names}}  {test['most'] or ''}".rstrip())
        return lines
