"""One line turns profiling on, one prints what it saw.

    python 01_first_report.py

`calor.enable_profiling()` sees every operation on NumPy arrays from then on: what it is, on which line, how often, how
long, on how many bytes. Nothing has to be changed in the code between the two lines.
"""

import calor
import numpy as np

calor.enable_profiling()

data = np.random.default_rng(0).normal(size=1_000_000)
normalised = (data - data.mean()) / data.std()
total = normalised.sum()

calor.disable_profiling()
print(calor.profile_report())

# The same as figures, for scripts. Times are nanoseconds; what could not be measured is None, never 0.
report = calor.profile_report(format="json")
slowest = max(report["operations"], key=lambda operation: operation["total_ns"])
print(f"slowest: {slowest['operation']} on line {slowest['line']}, {slowest['total_ns'] / 1e6:.2f} ms")

names = {operation["operation"] for operation in report["operations"]}
assert {"subtract", "divide"} <= names, names
