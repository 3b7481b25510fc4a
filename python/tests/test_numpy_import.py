"""NumPy that comes later, and NumPy that cannot be hooked: told in a fresh interpreter."""

import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    numpy = None

TOLD = """
from calor import _calor
for row in _calor.operation_rows():
    if row["calls"] and len(row["path"]) == 1:
        print(row["name"], row["calls"], row["line"])
for code, message in _calor.warnings():
    print(code, message)
"""


def run(program, **environment):
    done = subprocess.run(
        [sys.executable, "-c", program + TOLD],
        env=dict(os.environ, **environment),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@unittest.skipIf(numpy is None, "NumPy is not installed")
class Imports(unittest.TestCase):
    def test_numpy_imported_later_is_hooked_then(self):
        told = run(
            "import sys, calor\n"
            "calor.enable_profiling(torch=False)\n"
            "assert 'numpy' not in sys.modules\n"
            "import numpy as np\n"
            "a = np.zeros(3)\n"
            "a + a\n"
            "np.random.default_rng(1).normal(size=3)\n"
            "calor.disable_profiling()\n"
            "assert np.__spec__.loader.exec_module.__qualname__ == '_LoaderBasics.exec_module'\n"
        )
        self.assertIn("zeros 1 5", told)
        self.assertIn("add 1 6", told)
        self.assertIn("Generator.normal 1 7", told)

    def test_what_a_module_does_while_it_is_imported_is_told_by_the_line_that_imports_it(self):
        told = run(
            "import calor, numpy as np\n"
            "calor.enable_profiling(torch=False)\n"
            "np.random.rand(3)\n"
            "calor.disable_profiling()\n"
            "from calor import _calor\n"
            "files = {row['file'] or '' for row in _calor.operation_rows() if row['calls'] and len(row['path']) == 1}\n"
            "print('frozen', sorted(file for file in files if file.startswith('<frozen') or 'calor/_' in file))\n"
        )
        self.assertIn("frozen []", told)

    def test_what_numpy_does_to_be_imported_is_nobodys_line(self):
        told = run(
            "import calor, sys, numpy as np\n"
            "was_there = 'numpy.random' in sys.modules\n"
            "calor.enable_profiling(torch=False)\n"
            "np.random.rand(3)\n"
            "calor.disable_profiling()\n"
            "print('there', was_there)\n"
        )
        if "there True" in told:
            self.skipTest("this NumPy imports numpy.random with itself")
        self.assertEqual(["there False", "RandomState.random_sample 1 4"], told)

    def test_numpy_is_not_imported_for_it(self):
        self.assertEqual(
            ["False"],
            run(
                "import sys, calor\ncalor.enable_profiling(torch=False)\ncalor.disable_profiling()\n"
                "print('numpy' in sys.modules)\n"
            ),
        )

    def test_several_who_ask_for_one_import_are_all_told_of_it(self):
        told = run(
            "import sys, calor\n"
            "calor.enable_profiling(memory=True)\n"
            "import numpy as np\n"
            "a = np.zeros(300_000)\n"
            "a + a\n"
            "calor.disable_profiling()\n"
            "assert not [finder for finder in sys.meta_path if 'calor' in type(finder).__module__]\n"
        )
        self.assertIn("zeros 1 4", told)
        self.assertIn("add 1 5", told)

    def test_a_script_may_import_numpy_under_the_option_for_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "x.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write("import numpy as np\nprint(np.zeros(3).sum())\n")
            done = subprocess.run(
                [sys.executable, "-m", "calor", "--memory", script], capture_output=True, text=True, check=False
            )
        self.assertEqual((0, "0.0\n"), (done.returncode, done.stdout), done.stderr)

    def test_a_hook_of_another_package_that_asks_all_others_is_no_endless_way(self):
        told = run(
            "import sys, calor\n"
            "class Other:\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            "        if name != 'numpy':\n"
            "            return None\n"
            "        specs = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)\n"
            "        return next((spec for spec in specs if spec is not None), None)\n"
            "sys.meta_path.insert(0, Other())\n"
            "calor.enable_profiling(torch=False)\n"
            "import numpy as np\n"
            "np.zeros(3)\n"
            "calor.disable_profiling()\n"
        )
        self.assertIn("zeros 1 11", told)

    def test_imports_are_as_before_when_profiling_ends(self):
        told = run(
            "import sys, calor\nbefore = list(sys.meta_path)\ncalor.enable_profiling(torch=False)\n"
            "calor.disable_profiling()\nprint(before == sys.meta_path)\n"
        )
        self.assertEqual(["True"], told)

    def test_without_hooks_functions_are_seen_and_a_note_says_what_is_not(self):
        told = run(
            "import calor, numpy as np\n"
            "mean = np.mean\n"
            "calor.enable_profiling(torch=False)\n"
            "a = np.ones(3)\n"
            "assert np.mean(a) == 1.0 and np.mean.__name__ == 'mean'\n"
            "np.linalg.norm(a); a + a\n"
            "calor.disable_profiling()\n"
            "assert np.mean is mean\n",
            CALOR_NUMPY_HOOKS="off",
        )
        self.assertIn("mean 1 5", told)
        self.assertIn("linalg.norm 1 6", told)
        note = [line for line in told if line.startswith("numpy_fallback")]
        self.assertEqual(1, len(note), told)
        self.assertIn("operators, ufuncs, methods and indexing of NumPy are not recorded", note[0])
        self.assertFalse([line for line in told if line.startswith("add ")])

    def test_ten_times_as_many_operations_take_no_more_memory(self):
        program = (
            "import calor, numpy as np\n"
            "def resident():\n"
            "    with open('/proc/self/status') as file:\n"
            "        return next(int(line.split()[1]) for line in file if line.startswith('VmRSS'))\n"
            "a = np.ones(10)\n"
            "def work(n):\n"
            "    for _ in range(n):\n"
            "        a + a; a.copy(); a[1:]; np.dot(a, a)\n"
            "def cycles(n):\n"
            "    for _ in range(n):\n"
            "        calor.enable_profiling(torch=False); work(10); calor.disable_profiling()\n"
            "calor.enable_profiling(torch=False); work(10000); calor.disable_profiling(); cycles(5)\n"
            "before = resident()\n"
            "calor.enable_profiling(torch=False); work(100000); calor.disable_profiling(); cycles(50)\n"
            "print('grown', resident() - before < 2048)\n"
        )
        self.assertIn("grown True", run(program))


if __name__ == "__main__":
    unittest.main()
