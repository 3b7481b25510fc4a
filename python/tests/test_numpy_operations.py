"""What is recorded of operations on arrays: shapes, types, bytes, places, nesting, threads, errors, limits."""

import gc
import operator
import struct
import sys
import tempfile
import threading
import unittest

import calor
from calor import _calor

try:
    import numpy as np
except ImportError:
    np = None


def rows(name=None, **labels):
    """The rows of an operation, or all, that have these labels."""
    return [
        row
        for row in _calor.operation_rows()
        if row["calls"]
        and name in (None, row["name"])
        and all(row["labels"].get(key) == value for key, value in labels.items())
    ]


@unittest.skipIf(np is None, "NumPy is not installed")
class Operations(unittest.TestCase):
    def setUp(self):
        calor.disable_profiling()
        calor.clear_profile()
        self.a = np.arange(12.0).reshape(3, 4)

    def tearDown(self):
        calor.disable_profiling()

    def recorded(self, run):
        calor.enable_profiling(torch=False)
        try:
            return run()
        finally:
            calor.disable_profiling()

    def one(self, name, **labels):
        found = rows(name, **labels)
        self.assertEqual(1, len(found), [(row["name"], row["labels"]) for row in rows()])
        return found[0]

    def test_a_row_has_place_shape_types_and_work(self):
        a = self.a

        def loop():
            for _ in range(5):
                a + a[0]

        self.recorded(loop)
        row = self.one("add")
        self.assertEqual(5, row["calls"])
        self.assertEqual("3x4,4", row["labels"]["shape"])
        self.assertEqual("float64,float64->float64", row["labels"]["dtype"])
        self.assertEqual("true", row["labels"]["contiguous"])
        self.assertTrue(row["labels"]["caller"].endswith("loop"))
        self.assertTrue(row["file"].endswith("test_numpy_operations.py"))
        self.assertEqual(loop.__code__.co_firstlineno + 2, row["line"])
        self.assertEqual((60, 5 * (96 + 32 + 96), 60), (row["elements"], row["bytes"], row["flops"]))
        self.assertEqual([("numpy", 5)], row["backends"])

    def test_memory_that_is_repeated_counts_once(self):
        wide = np.broadcast_to(np.arange(4.0), (1000, 4))
        self.recorded(lambda: np.sqrt(wide))
        row = self.one("sqrt")
        self.assertEqual(4 * 8 + 4000 * 8, row["bytes"])
        self.assertEqual("false", row["labels"]["contiguous"])

    def test_products_have_twice_the_product_of_the_sides(self):
        a, b = np.ones((8, 16)), np.ones((16, 32))
        self.recorded(lambda: (a @ b, np.dot(a, b), np.ones((5, 8, 16)) @ b))
        found = [row for row in rows("matmul") if row["labels"]["shape"] == "8x16,16x32"]
        self.assertEqual([2 * 8 * 16 * 32], [row["flops"] for row in found])
        self.assertEqual([2 * 8 * 16 * 32], [row["flops"] for row in rows("dot")])
        batch = [row for row in rows("matmul") if row["labels"]["shape"].startswith("5x")]
        self.assertEqual([5 * 2 * 8 * 16 * 32], [row["flops"] for row in batch])
        self.assertEqual([("blas", 1)], found[0]["backends"])

    def test_formulas_of_algebra_and_transforms(self):
        a, v = np.eye(30), np.ones(64)
        self.recorded(lambda: (np.linalg.solve(a, a), np.linalg.cholesky(a), np.fft.fft(v), a.sum(), np.linalg.qr(a)))
        flops = {row["name"]: row["flops"] for row in rows() if len(row["path"]) == 1}
        self.assertEqual(round(2 / 3 * 30**3 + 2 * 30**3), flops["linalg.solve"])
        self.assertEqual(9000, flops["linalg.cholesky"])
        self.assertEqual(5 * 64 * 6, flops["fft.fft"])
        self.assertEqual(900, flops["ndarray.sum"])
        self.assertEqual(round(2 * 30**3 - 2 / 3 * 30**3), flops["linalg.qr"])

    def test_a_view_touches_nothing_and_a_copy_both(self):
        a = self.a
        self.recorded(lambda: (a.reshape(4, 3), a.copy(), np.asarray(a), a.ravel()))
        self.assertEqual(0, self.one("ndarray.reshape")["bytes"])
        self.assertEqual(0, self.one("asarray")["bytes"])
        self.assertEqual(0, self.one("ndarray.ravel")["bytes"])
        self.assertEqual(2 * 96, self.one("ndarray.copy")["bytes"])

    def test_results_of_another_size_are_told_as_they_are(self):
        a = np.arange(100.0)

        def masks():
            for limit in (10, 20, 90):
                a[a < limit]

        self.recorded(masks)
        row = self.one("getitem", index="mask")
        self.assertEqual(3, row["calls"])
        self.assertEqual(2 * 8 * (10 + 20 + 90) + 3 * 100, row["bytes"])

    def test_operations_inside_others_lie_below_them(self):
        a = self.a
        self.recorded(lambda: a.mean())
        row = self.one("add.reduce")
        self.assertEqual(["ndarray.mean", "add.reduce"], row["path"])
        self.assertIn("numpy", row["file"])

    def test_what_numpy_does_in_python_is_told_at_the_line_of_the_program(self):
        def make():
            return np.ones((2, 3))

        self.recorded(make)
        row = self.one("empty")
        self.assertTrue(row["file"].endswith("test_numpy_operations.py"), row)
        self.assertEqual(make.__code__.co_firstlineno + 1, row["line"])

    def test_scopes_hold_the_operations_that_they_are_around(self):
        a = self.a

        def run():
            with calor.scope("step"):
                a + a

        self.recorded(run)
        self.assertEqual(["step", "add"], self.one("add")["path"])

    def test_kinds_of_indexing_are_told_apart(self):
        a, v, index = self.a, np.arange(100), np.arange(0, 50, 5)

        def run():
            for at in range(10):
                v[at]
            a[1]
            a[:, 1]
            a[1, 2]
            v[index]
            v[[1, 5, 2]]
            v[v > 3]

        self.recorded(run)
        kinds = {}
        for row in rows("getitem"):
            kinds[row["labels"]["index"]] = kinds.get(row["labels"]["index"], 0) + row["calls"]
        self.assertEqual({"integer": 11, "slice": 2, "array": 2, "mask": 1}, kinds)
        self.assertEqual(1, len(rows("getitem", regular="true")))

    def test_one_index_of_millions_that_differs_is_found(self):
        v, even = np.ones(2_100_000), np.arange(2_100_000)
        odd = even.copy()
        odd[2_000_001] = 7

        def run():
            v[even]
            v[odd]

        self.recorded(run)
        told = sorted((row["line"], row["labels"]["regular"]) for row in rows("getitem", index="array"))
        self.assertEqual(["true", "false"], [regular for _, regular in told])

    def test_setting_elements_is_seen(self):
        a = self.a.copy()

        def run():
            a[:, 1] = 7.0
            a[np.array([0, 2])] = 1.0
            a[0, 0] = 3.0

        self.recorded(run)
        self.assertEqual({"slice", "array", "integer"}, {row["labels"]["index"] for row in rows("setitem")})
        self.assertEqual([3.0, 1.0], [a[0, 0], a[2, 1]])

    def test_arrays_to_write_to_are_labelled(self):
        a = self.a.copy()
        self.recorded(lambda: (np.add(a, a, out=a), operator.iadd(a, 1.0), np.exp(a)))
        self.assertEqual(2, len(rows("add", out="given")))
        self.assertNotIn("out", self.one("exp")["labels"])

    def test_operands_that_lie_in_different_orders_are_labelled(self):
        a, b = np.ones((20, 30)), np.ones((30, 20))
        self.recorded(lambda: (np.add(a, b.T), np.subtract(a, a), np.multiply(a.T, b.T.T), np.matmul(a, a.T)))
        self.assertEqual("mixed", self.one("add")["labels"]["order"])
        self.assertEqual("mixed", self.one("multiply")["labels"]["order"])
        for name in ("subtract", "matmul"):
            self.assertNotIn("order", self.one(name)["labels"])

    def test_the_same_large_operands_again_are_counted(self):
        a = np.random.rand(300, 300)

        def run():
            for _ in range(5):
                a.mean(axis=0)
            for _ in range(5):
                a[0, 0] += 1.0
                np.exp(a)

        self.recorded(run)
        same = dict(self.one("ndarray.mean")["counters"])
        self.assertEqual((3, 3), (same["operand_pairs"], same["same_operands"]))
        self.assertNotIn("changed_operands", same)
        changed = dict(self.one("exp")["counters"])
        self.assertNotIn("same_operands", changed)
        self.assertEqual(1, changed["changed_operands"])

    def test_what_is_written_between_calls_is_found_wherever_it_is(self):
        n = 100_000
        ring, packed, one = (np.random.rand(n) for _ in range(3))
        view = memoryview(packed).cast("B")
        columns = np.random.rand(600, 600)

        def run():
            for at in range(60):
                ring[at * 256 : at * 256 + 256] = at
                np.sort(ring)
                struct.pack_into("200d", view, 8 * 200 * at, *[at + 0.5] * 200)
                np.sqrt(packed)
                one[54_321] = at
                np.exp(one)
                columns[77, 222] = at
                np.cos(columns[:, ::2])

        self.recorded(run)
        for name in ("sort", "sqrt", "exp", "cos"):
            counters = dict(self.one(name)["counters"])
            self.assertEqual(1, counters.get("changed_operands"), (name, counters))

    def test_numbers_and_keywords_that_are_others_each_time_are_no_repetition(self):
        a = np.random.rand(300, 300)

        def run():
            for at in range(40):
                np.multiply(a, at * 0.5)
                np.sum(a, axis=at % 2)

        self.recorded(run)
        for name in ("multiply", "sum"):
            self.assertEqual([("operand_pairs", 38)], self.one(name)["counters"])

    def test_after_some_dozen_pairs_all_of_the_operands_was_looked_at(self):
        a = np.random.rand(100_000)
        b = np.random.rand(400, 400)[:, ::2]
        self.recorded(lambda: [(np.sort(a), np.exp(b)) for _ in range(36)])
        for name in ("sort", "exp"):
            counters = dict(self.one(name)["counters"])
            self.assertEqual(34, counters["same_operands"])
            self.assertTrue(1000 <= counters["operands_compared"] <= 1400, counters)

    def test_operands_that_stay_the_same_for_long_are_counted_at_some_of_the_calls(self):
        a, changed = np.random.rand(300, 300), np.random.rand(300, 300)

        def run():
            for at in range(40 + 2 * 128 + 8):
                np.cos(a)
                changed[0, 0] = at
                np.sin(changed)

        self.recorded(run)
        counters = dict(self.one("cos")["counters"])
        self.assertEqual(counters["operand_pairs"], counters["same_operands"])
        self.assertTrue(39 + 128 <= counters["same_operands"] <= 40 + 2 * 128 + 8, counters)
        self.assertEqual({"operand_pairs": 1, "changed_operands": 1}, dict(self.one("sin")["counters"]))

    def test_operations_that_take_turns_keep_their_lines_and_counts(self):
        shapes = [np.ones(n) for n in range(1, 8)]
        names = ["add", "subtract", "multiply", "divide", "power", "logaddexp", "hypot", "arctan2"]

        def run():
            for _ in range(50):
                for name in names:
                    ufunc = getattr(np, name)
                    for a in shapes:
                        ufunc(a, a)
                        ufunc(a, 2.0)
                        ufunc(a, a, a.copy())

        self.recorded(run)
        for name in names:
            found = rows(name)
            self.assertEqual(3 * 50 * len(shapes), sum(row["calls"] for row in found))
            by_line = {}
            for row in found:
                by_line.setdefault(row["line"], []).append(row["calls"])
            self.assertEqual([[50] * 7] * 3, list(by_line.values()))

    def test_numbers_that_would_fit_into_float32_are_told(self):
        fit, unfit = np.arange(5000.0), np.random.rand(5000)
        self.recorded(lambda: (np.exp(fit), np.sin(unfit)))
        self.assertEqual("float32", self.one("exp")["labels"]["fits"])
        self.assertEqual("float64", self.one("sin")["labels"]["fits"])

    def test_errors_come_out_as_they_went_in(self):
        def outcome(run):
            try:
                run()
            except Exception as error:
                return type(error), str(error), error.__cause__, error.__context__

        a = self.a
        for run in (
            lambda: a + np.ones(5),
            lambda: a[17],
            lambda: np.dot(a, "x"),
            lambda: np.linalg.inv(np.zeros((2, 2))),
            lambda: a.reshape(7),
            lambda: operator.setitem(a, 99, 1.0),
            lambda: a.mean(axis=9),
            lambda: np.add(a, a, nonsense=1),
        ):
            plain = outcome(run)
            for _ in range(3):
                self.assertEqual(plain, self.recorded(lambda: outcome(run)))
            self.assertIsNotNone(plain)

    def test_other_kinds_of_arrays_do_as_they_like(self):
        class Kind(np.ndarray):
            def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
                return "own"

        class Duck:
            def __array_function__(self, function, types, arguments, keywords):
                return function.__name__

        kind = np.arange(3).view(Kind)
        masked = np.ma.masked_array([1.0, 2.0], [True, False])

        def run():
            return kind + 1, np.sum(Duck()), masked.sum(), type(kind[1:]).__name__, str(masked + 1)

        self.assertEqual(run(), self.recorded(run))

    def test_four_threads_lose_nothing(self):
        a = self.a
        calor.enable_profiling(torch=False)

        def work():
            for _ in range(5000):
                a + a
                a.sum()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        calor.disable_profiling()
        for name in ("add", "ndarray.sum", "add.reduce"):
            self.assertEqual(20000, sum(row["calls"] for row in rows(name)), name)

    def test_shapes_are_bounded_and_no_call_is_lost(self):
        arrays = [np.ones(n) for n in range(1, 400)]

        def run():
            for array in arrays:
                array + array

        self.recorded(run)
        found = rows("add")
        self.assertEqual(399, sum(row["calls"] for row in found))
        self.assertEqual(sum(len(array) for array in arrays), sum(row["elements"] for row in found))
        self.assertLessEqual(len(found), 17)
        self.assertTrue(any(row["labels"].get("shapes") == "rounded" for row in found))

    def test_names_of_files_and_what_is_read_make_no_rows_of_their_own(self):
        a = np.ones(1000)

        def run():
            for number in range(20):
                np.save(f"{folder}/part_{number}.npy", a)
                np.fromstring(f"{number} 2 3", sep=" ")

        with tempfile.TemporaryDirectory() as folder:
            self.recorded(run)
        for name in ("save", "fromstring"):
            found = rows(name)
            self.assertEqual(20, sum(row["calls"] for row in found), found)
            self.assertEqual({None}, {row["labels"].get("shapes") for row in found}, found)

    def test_shapes_in_lists_are_rounded_as_others_are(self):
        def run():
            out, part = np.zeros((0, 4)), np.ones((10, 4))
            for _ in range(300):
                out = np.concatenate([out, part])

        self.recorded(run)
        found = {row["labels"]["shape"]: row["calls"] for row in rows("concatenate", shapes="rounded")}
        self.assertEqual(
            {"128x4,16x4": 5, "256x4,16x4": 13, "512x4,16x4": 26, "1024x4,16x4": 51, "2048x4,16x4": 102, "4096x4,16x4": 95},
            found,
        )

    def test_iteration_takes_elements_or_rows_one_by_one(self):
        class Kind(np.ndarray):
            pass

        a, m = np.arange(1000.0), self.a
        none, other = a[:0], a[:2].view(Kind)

        def loop():
            return sum(value for value in a)

        def run():
            self.assertEqual(a.sum(), loop())
            self.assertEqual([4, 4, 4], [len(row) for row in m])
            x, y, z = m
            self.assertEqual([], list(none))
            self.assertEqual([0.0, 1.0], list(other))
            with self.assertRaises(ValueError):
                x, y = m

        self.recorded(run)
        self.assertEqual([1000], [row["calls"] for row in rows("getitem", index="integer")])
        of_rows = [row["calls"] for row in rows("getitem", index="slice")]
        # By a loop, by an assignment of three, and by one that takes one more than it wants.
        self.assertEqual([3, 3, 3], of_rows)

    def test_after_disabling_nothing_is_seen_and_all_is_as_before(self):
        a = self.a
        before = [object.__repr__(np.add), repr(a + a)]
        self.recorded(lambda: a + a)
        calor.clear_profile()
        a + a, a.mean(), a[0], np.dot(a, a.T), list(a)
        self.assertEqual([], rows())
        self.assertEqual(before, [object.__repr__(np.add), repr(a + a)])

    def test_trying_the_hooks_is_not_recorded(self):
        # NumPy's lines that print arrays are known then, and the test prints arrays as well.
        self.recorded(lambda: repr(self.a))
        self.assertTrue(rows())
        calor.clear_profile()
        self.recorded(lambda: None)
        self.assertEqual([], rows())

    def test_on_and_off_again_keeps_no_references(self):
        a = self.a
        self.recorded(lambda: a + a)
        gc.collect()
        counts = [sys.getrefcount(a), sys.getrefcount(np.ndarray)]
        for _ in range(20):
            self.recorded(lambda: (a + a, a.mean(), a[1:]))
        gc.collect()
        self.assertLess(sys.getrefcount(a) - counts[0], 3)
        self.assertLess(sys.getrefcount(np.ndarray) - counts[1], 3)


if __name__ == "__main__":
    unittest.main()
