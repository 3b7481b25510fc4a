"""What to change, why, and how much it would give.

    python 04_recommendations.py

Recommendations are the findings of `calor findings`: rules with a measured threshold each, and with an estimate of what the
whole program gains. A rule that does not have enough to go by says nothing, so a short run can have none.
"""

import time

import calor
import numpy as np

prices = np.random.default_rng(0).uniform(1, 100, size=200_000)
amounts = np.random.default_rng(1).uniform(0, 10, size=200_000)


def one_by_one():
    total = 0.0
    for i in range(len(prices)):
        total += prices[i] * amounts[i]
    return total


def at_once():
    return float(prices @ amounts)


def measured(function):
    calor.clear_profile()
    with calor.profiling():
        began = time.perf_counter()
        result = function()
        seconds = time.perf_counter() - began
    n_operations = sum(row["count"] for row in calor.profile_report(format="json")["operations"])
    print(f"{function.__name__}: {n_operations} operations, {seconds * 1e3:.1f} ms")
    return result, n_operations


before, n_before = measured(one_by_one)
advice = calor.get_recommendations()
for found in advice:
    print(f"\n[{found['priority']}] {found['title']}: {found['estimated_speedup']} for the whole program")
    print(f"{found['location']['file']}:{found['location']['line']}")
    print(found["description"])
    print(found["code_example"])
assert "ARRAY-SCALAR-INDEXING" in [found["rule"] for found in advice]

print()
after, n_after = measured(at_once)
assert np.isclose(before, after)
assert n_after < 10 < n_before
