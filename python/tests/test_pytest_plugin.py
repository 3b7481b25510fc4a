"""The plugin, in runs of pytest of their own."""

import json

import pytest

pytest_plugins = ["pytester"]

TESTS = """
    import calor, pytest, time

    def test_quick():
        with calor.scope("quick"):
            pass

    def test_slow():
        with calor.scope("slow"):
            time.sleep(0.05)

    def test_broken():
        assert 1 == 2
"""


@pytest.fixture
def run(pytester):
    def run(*arguments, **files):
        for name, text in files.items():
            pytester.makepyfile(**{name: text})
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    return run


def test_nothing_happens_where_it_is_not_asked_for(run, pytester):
    seen = """
        import sys
        def test_it():
            import calor
            assert not calor.is_enabled()
            assert "calor._pytest_session" not in sys.modules
    """
    result = run(test_it=seen)
    result.assert_outcomes(passed=1)
    # pytest names the plugins that are there, in any order.
    assert not [line for line in result.outlines if "calor" in line and not line.startswith("plugins: ")]


def test_tests_are_profiled_and_summed_up(run):
    result = run("--calor", test_it=TESTS)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*= calor =*", "*test_it.py::test_slow*"])
    text = result.stdout.str()
    assert text.index(" ms  test_it.py::test_slow") < text.index(" ms  test_it.py::test_quick")


def test_the_profile_of_all_tests_is_written(run, pytester):
    result = run("--calor-report=it.json", "--calor-report=it.html", test_it=TESTS)
    result.assert_outcomes(passed=2, failed=1)
    report = json.loads((pytester.path / "it.json").read_text())
    assert report["slow"]["count"] == 1 and report["slow"]["total_time_ms"] >= 50 and report["quick"]["count"] == 1
    assert "<html" in (pytester.path / "it.html").read_text()


def test_an_ending_that_is_unknown_is_said_before_anything_runs(run):
    result = run("--calor-report=it.docx", test_it=TESTS)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--calor-report: *docx*"])


def test_tests_that_profile_themselves_do_not_disturb(run):
    result = run(
        "--calor",
        test_it="""
            import calor

            def test_off():
                calor.disable_profiling()
                calor.clear_profile()

            def test_on():
                with calor.profiling():
                    with calor.scope("inside"):
                        pass
        """,
    )
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize("arguments", [[], ["--calor"]])
def test_a_test_over_its_budget_fails_and_says_by_how_much(run, arguments):
    result = run(
        *arguments,
        test_it="""
            import pytest, time

            @pytest.mark.calor(budget_ms=20)
            def test_over():
                time.sleep(0.05)

            @pytest.mark.calor(budget_ms=60000)
            def test_within():
                pass

            @pytest.mark.calor(budget_ms=0.001)
            def test_that_fails_anyway():
                raise KeyError("its own")
        """,
    )
    result.assert_outcomes(passed=1, failed=2)
    text = result.stdout.str()
    result.stdout.fnmatch_lines(["*the test took * ms, and its budget is 20 ms (* % over); *"])
    assert "KeyError" in text and "budget is 0.001" not in text


def test_scopes_inside_a_test_have_budgets_of_their_own(run):
    result = run(
        test_it="""
            import calor, pytest, time

            def work():
                with calor.scope("load"):
                    time.sleep(0.03)

            @pytest.mark.calor(budget_ms={"load": 10})
            def test_over():
                work()

            @pytest.mark.calor(budget_ms={"load": 60000})
            def test_within():
                work()
                assert calor.is_enabled()

            @pytest.mark.calor(budget_ms={"nothing": 10})
            def test_unknown():
                work()
        """
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["*'load' took * ms, and its budget is 10 ms*", "*no scope or context 'nothing' in the test*"]
    )


@pytest.mark.parametrize("given", ["budget_ms=0", "budget_ms='5'", "budget_ms=True", "", "budget_ms={}", "limit=3"])
def test_a_budget_that_is_none_is_told(run, given):
    result = run(test_it=f"import pytest\n@pytest.mark.calor({given})\ndef test_it(): pass")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*@pytest.mark.calor *budget_ms*"])


def test_workers_send_what_they_recorded(run, pytester):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    result = run("--calor-report=it.json", "-n", "2", test_it=TESTS, test_other=TESTS.replace('"slow"', '"other"'))
    result.assert_outcomes(passed=4, failed=2)
    result.stdout.fnmatch_lines(["*= calor =*"])
    report = json.loads((pytester.path / "it.json").read_text())
    assert report["slow"]["count"] == 1 and report["other"]["count"] == 1 and report["quick"]["count"] == 2


def test_many_tests_do_not_fill_the_recorder(run, pytester):
    many = "import calor, pytest\n@pytest.mark.parametrize('n', range(300))\ndef test_it(n):\n"
    many += "    for i in range(20):\n        with calor.scope(f'{n}-{i}'): pass\n"
    result = run("--calor-report=it.json", "-q", test_it=many)
    result.assert_outcomes(passed=300)
    report = json.loads((pytester.path / "it.json").read_text())
    assert all(report[f"{n}-{i}"]["count"] == 1 for n in range(300) for i in range(20))
