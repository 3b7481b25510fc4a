"""Bytes and operations that are told of calls on arrays: right, or not told."""

import operator
import unittest

import calor
from calor import _calor

try:
    import numpy as np
except ImportError:
    np = None


@unittest.skipIf(np is None, "NumPy is not installed")
class Work(unittest.TestCase):
    def setUp(self):
        calor.disable_profiling()
        calor.clear_profile()

    def recorded(self, run):
        calor.enable_profiling(torch=False)
        try:
            run()
        finally:
            calor.disable_profiling()
        return [row for row in _calor.operation_rows() if row["calls"]]

    def work(self, name, run):
        """Bytes and operations of the outermost calls of a name."""
        found = [row for row in self.recorded(run) if row["path"] == [name]]
        self.assertTrue(found, name)
        return sum(row["bytes"] for row in found), sum(row["flops"] for row in found)

    def test_setting_elements_counts_what_is_written_and_what_is_read(self):
        a, v, index = np.zeros((200, 100)), np.arange(100.0), np.array([1, 5, 7])

        def set_at(*index_and_value):
            return lambda: operator.setitem(a, *index_and_value)

        for run, expected in (
            (set_at(slice(None), 1.0), 8 * 20_000 + 8),
            (set_at(slice(None), v), 8 * 20_000 + 800),
            (set_at((slice(10, 20), slice(None, None, 2)), 1.0), 8 * 500 + 8),
            (set_at((..., 3), 1.0), 8 * 200 + 8),
            (set_at((Ellipsis, None, slice(0, 10)), 1.0), 8 * 2000 + 8),
            (set_at(index, 2.0), 8 * 300 + 8 + 24),
            (set_at([1, 2], 2.0), 8 * 200 + 8),
            (set_at((index, slice(0, 10)), 2.0), 8 * 30 + 8 + 24),
            (set_at((index[:, None], index), 2.0), 8 * 9 + 8 + 48),
        ):
            calor.clear_profile()
            self.assertEqual((expected, 0), self.work("setitem", run))

    def test_slices_of_other_lengths_at_one_line_are_all_counted(self):
        a = np.zeros(1000)

        def run():
            for n in range(1, 101):
                a[:n] = 1.0

        self.assertEqual((8 * sum(range(1, 101)) + 100 * 8, 0), self.work("setitem", run))

    def test_how_many_a_mask_selects_is_known_from_the_values_alone(self):
        a = np.arange(100.0)
        mask = a < 10
        self.assertEqual((0, 0), self.work("setitem", lambda: operator.setitem(a, mask, 0.5)))
        calor.clear_profile()
        self.assertEqual((80 + 80 + 100, 0), self.work("setitem", lambda: operator.setitem(a, mask, np.ones(10))))

    def test_what_touches_a_part_of_its_operands_counts_that_part(self):
        a, v, index = np.ones((500, 300)), np.ones(1000), np.array([1, 2, 3, 4])
        self.assertEqual((8 * 301, 300), self.work("trace", lambda: np.trace(a)))
        self.assertEqual((0, 0), self.work("ndarray.trace", lambda: a.trace(1)))
        self.assertEqual((2 * 16 + 16 + 8, 2), self.work("add.at", lambda: np.add.at(v, [1, 2], 1)))
        calor.clear_profile()
        self.assertEqual((2 * 32 + 32 + 32, 4), self.work("add.at", lambda: np.add.at(v, index, np.ones(4))))
        self.assertEqual((8 + 8 + 8, 0), self.work("put", lambda: np.put(v, [1], 2)))
        self.assertEqual((0, 0), self.work("ndarray.any", lambda: v.any()))
        self.assertEqual((0, 0), self.work("searchsorted", lambda: np.searchsorted(v, 3.0)))

    def test_what_is_made_like_an_array_reads_none(self):
        a = np.ones((500, 300))
        self.assertEqual((a.nbytes, 0), self.work("zeros_like", lambda: np.zeros_like(a)))
        self.assertEqual((a.nbytes, 0), self.work("ones_like", lambda: np.ones_like(a)))

    def test_convolutions_count_what_their_mode_leaves(self):
        x, y = np.ones(100), np.ones(7)
        for mode in ("valid", "same", "full"):
            calor.clear_profile()
            # Ones: each element of the result is how many overlap there.
            expected = 2 * round(np.convolve(x, y, mode).sum())
            self.assertEqual(expected, self.work("convolve", lambda mode=mode: np.convolve(x, y, mode))[1])
            self.assertEqual(expected, self.work("correlate", lambda mode=mode: np.correlate(x, y, mode))[1])

    def test_all_results_of_a_factorisation_are_written(self):
        a = np.eye(30)
        self.assertEqual(900 * 8 + (900 + 30 + 900) * 8, self.work("linalg.svd", lambda: np.linalg.svd(a))[0])
        self.assertEqual(900 * 8 + (30 + 900) * 8, self.work("linalg.eigh", lambda: np.linalg.eigh(a))[0])
        self.assertEqual(3 * 900 * 8, self.work("linalg.qr", lambda: np.linalg.qr(a))[0])

    def test_operations_on_integers_are_none_on_floating_point_numbers(self):
        a = np.ones((8, 8), np.int64)
        self.assertEqual((3 * 512, 0), self.work("matmul", lambda: a @ a))
        self.assertEqual(0, self.work("dot", lambda: np.dot(a, a))[1])

    def test_einsum_counts_what_its_subscripts_walk(self):
        v, m, a, b = np.ones(1000), np.ones((50, 50)), np.ones((3, 4, 5)), np.ones((3, 5, 6))
        for subscripts, operands, options, expected in (
            ("bij,bjk->bik", (a, b), {}, (8 * (60 + 90 + 72), 2 * 3 * 4 * 5 * 6)),
            ("... i j, ... j k -> ... i k", (a, b), {}, (8 * (60 + 90 + 72), 2 * 3 * 4 * 5 * 6)),
            ("ij,jk", (m, m), {"optimize": True}, (3 * 20_000, 2 * 50**3)),
            ("ij,jk->ik", (np.ones((50, 1)), m), {}, (8 * (50 + 2500 + 2500), 2 * 50**3)),
            ("i,i->i", (v, v), {}, (24_000, 1000)),
            ("i,i->i", (v + 0j, v + 0j), {}, (48_000, 6000)),
            ("i,j->ij", (v, v), {}, (16_000 + 8_000_000, 1_000_000)),
            ("...j->...", (a,), {}, (8 * 72, 60)),
            ("ij->", (m,), {}, (20_008, 2500)),
            # The diagonal alone is touched.
            ("ii->", (m,), {}, (408, 50)),
            # These are views.
            ("ij->ji", (m,), {}, (0, 0)),
            ("ii->i", (m,), {}, (0, 0)),
            # One loop over all letters, unless NumPy looks for a way with fewer operations.
            ("ij,jk,kl->il", (m, m, m), {}, (4 * 20_000, 3 * 50**4)),
            ("ij,jk,kl->il", (m, m, m), {"optimize": True}, (4 * 20_000, 0)),
            ("ij,k->k", (m, m[0]), {"optimize": True}, (20_000 + 400 + 400, 0)),
            ("ij,jk", (m.astype(int), m.astype(int)), {}, (3 * 20_000, 0)),
        ):
            with self.subTest(subscripts, **options):
                calor.clear_profile()
                self.assertEqual(expected, self.work("einsum", lambda: np.einsum(subscripts, *operands, **options)))
        calor.clear_profile()
        self.assertEqual((0, 0), self.work("einsum", lambda: np.einsum(m, [0, 0])))

    def test_subscripts_that_are_made_for_each_call_are_read_of_each(self):
        m = np.ones((50, 50))

        def run():
            for _ in range(3):
                for output in "ik", "ij":
                    np.einsum("".join(["ij,", "jk" if output == "ik" else "ij", "->", output]), m, m)

        self.assertEqual((6 * 60_000, 3 * (2 * 50**3 + 50**2)), self.work("einsum", run))

    def test_long_lists_of_arrays_are_counted_whole(self):
        parts = [np.ones(10) for _ in range(20)]
        self.assertEqual((2 * 1600, 0), self.work("concatenate", lambda: np.concatenate(parts)))

    def test_arrays_of_other_types_and_single_numbers_pass_unseen(self):
        class Kind(np.ndarray):
            pass

        s, m, number = np.ones((50, 50)).view(Kind), np.matrix(np.ones((3, 3))), np.float64(2.0)
        rows = self.recorded(lambda: (s @ s, s + 1.0, np.dot(s, s), np.exp(s), np.exp(number), np.equal(number, 1.0)))
        self.assertEqual([], [row["name"] for row in rows])
        self.recorded(lambda: m * m)
        self.assertEqual([], [row for row in rows if row["name"] == "dot"])

    def test_what_cannot_be_read_beside_an_array_has_no_shape_and_no_figures(self):
        class Kind(np.ndarray):
            pass

        a, s = np.ones((50, 50)), np.ones((50, 50)).view(Kind)
        for run in (lambda: a @ s, lambda: np.add(a, [1.0] * 50), lambda: np.linalg.solve([[1.0]], np.ones(1))):
            calor.clear_profile()
            row, *_ = [row for row in self.recorded(run) if len(row["path"]) == 1]
            self.assertEqual((0, 0), (row["bytes"], row["flops"]))
            self.assertNotIn("shape", row["labels"])

    def test_a_number_beside_an_array_is_one(self):
        a = np.ones(100)
        for number in (2, 2.0, np.float64(2.0), np.int64(2)):
            calor.clear_profile()
            (row,) = self.recorded(lambda number=number: a * number)
            self.assertEqual(("100,scalar", 1600, 100), (row["labels"]["shape"], row["bytes"], row["flops"]))


if __name__ == "__main__":
    unittest.main()
