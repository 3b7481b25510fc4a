"""Which of the expressions that people write are seen, and that they give the same while they are."""

import unittest

import calor
from calor import _calor

try:
    import numpy as np
    from numpy_expressions import EXPRESSIONS, names
except ImportError:
    np = None


@unittest.skipIf(np is None, "NumPy is not installed")
class Coverage(unittest.TestCase):
    def setUp(self):
        calor.disable_profiling()
        calor.clear_profile()

    def tearDown(self):
        calor.disable_profiling()

    def test_nearly_all_expressions_are_seen_by_their_name(self):
        known = names()
        unseen = []
        for name, expression in EXPRESSIONS:
            calor.clear_profile()
            calor.enable_profiling(torch=False)
            eval(compile(expression, "coverage.py", "eval"), dict(known))
            calor.disable_profiling()
            seen = {row["name"] for row in _calor.operation_rows() if row["calls"]}
            if not seen.intersection(name.split("|")):
                unseen.append((expression, sorted(seen)))
        self.assertGreaterEqual(len(EXPRESSIONS), 120)
        self.assertLessEqual(len(unseen), 0.05 * len(EXPRESSIONS), unseen)

    def test_expressions_give_the_same(self):
        def outcomes():
            known = names()
            return [repr(eval(compile(expression, "same.py", "eval"), known)) for _, expression in EXPRESSIONS
                    if "rng" not in expression and "random" not in expression]

        before = outcomes()
        calor.enable_profiling(torch=False)
        during = outcomes()
        calor.disable_profiling()
        self.assertEqual(before, during)

    def test_no_warning_says_that_hooks_could_not_be_used(self):
        calor.enable_profiling(torch=False)
        self.assertEqual([], [code for code, _ in _calor.warnings() if code.startswith("numpy")])


if __name__ == "__main__":
    unittest.main()
