"""NumPy's own tests of ufuncs, indexing and linear algebra, with profiling on and off: the outcome of each has to be the same.

Run by ``cargo xtask numpy-tests``; needs calor, numpy, pytest and hypothesis. Exits with 1 where a test comes out otherwise.
"""

import json
import os
import subprocess
import sys
import tempfile

PARTS = ("test_ufunc.py", "test_umath.py", "test_indexing.py", "test_linalg.py")
OUTCOMES = "CALOR_NUMPY_OUTCOMES"
PROFILED = "CALOR_NUMPY_PROFILED"


class Plugin:
    """Notes the outcome of each test, and profiles where asked to."""

    def __init__(self):
        self.outcomes = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
            self.outcomes[report.nodeid] = outcome

    def pytest_sessionfinish(self):
        operations = 0
        if PROFILED in os.environ:
            import calor
            from calor import _calor

            calor.disable_profiling()
            operations = sum(row["calls"] for row in _calor.operation_rows())
        with open(os.environ[OUTCOMES], "w") as file:
            json.dump({"outcomes": self.outcomes, "operations": operations}, file)


def run_tests():
    import pytest

    import numpy

    if PROFILED in os.environ:
        import calor
        from calor import _calor

        calor.enable_profiling(torch=False)
        notes = [note for note in _calor.warnings() if note[0].startswith("numpy")]
        if notes:
            sys.exit(f"operations of NumPy are not recorded: {notes}")
    folder = os.path.dirname(numpy.__file__)
    core = "_core" if os.path.isdir(os.path.join(folder, "_core", "tests")) else "core"
    paths = [os.path.join(folder, core, "tests", part) for part in PARTS[:3]]
    paths.append(os.path.join(folder, "linalg", "tests", PARTS[3]))
    arguments = ["-q", "--no-header", "-p", "no:cacheprovider", "-x" if "-x" in sys.argv else "-q", *paths]
    return pytest.main(arguments, plugins=[Plugin()])


def outcomes(is_profiled):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "outcomes.json")
        environment = dict(os.environ, **{OUTCOMES: path})
        environment.pop(PROFILED, None)
        if is_profiled:
            environment[PROFILED] = "1"
        done = subprocess.run([sys.executable, __file__, "--inner"], env=environment, capture_output=True, text=True)
        if not os.path.exists(path):
            sys.exit(f"the tests did not come to their end:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        with open(path) as file:
            return json.load(file)


def main():
    import numpy

    plain, profiled = outcomes(False), outcomes(True)
    tests = sorted(set(plain["outcomes"]) | set(profiled["outcomes"]))
    other = [test for test in tests if plain["outcomes"].get(test) != profiled["outcomes"].get(test)]
    count = {}
    for outcome in plain["outcomes"].values():
        count[outcome] = count.get(outcome, 0) + 1
    print(f"NumPy {numpy.__version__}, Python {sys.version.split()[0]}: {len(tests)} tests, {count} without profiling")
    print(f"with profiling {len(other)} come out otherwise; {profiled['operations']} operations were recorded")
    for test in other[:20]:
        print(f"  {test}: {plain['outcomes'].get(test)} without, {profiled['outcomes'].get(test)} with")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(run_tests() if "--inner" in sys.argv else main())
