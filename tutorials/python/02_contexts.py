"""Profile the part that matters, and report it alone.

    python 02_contexts.py

A scope is a named piece of work. A context is a scope that can be reported alone: large programs have much that is slow
and cannot be changed, and it should not stand between you and what can.
"""

import calor
import numpy as np


def load():
    with calor.scope("load") as scope:
        rows = np.random.default_rng(0).normal(size=(20_000, 32))
        # What a scope worked on becomes a rate in reports.
        scope.add("rows", len(rows))
        scope.bytes(rows.nbytes)
        return rows


def preprocess(rows):
    with calor.ProfileContext("preprocessing"):
        with calor.scope("clip"):
            rows = np.clip(rows, -3, 3)
        with calor.scope("scale"):
            return (rows - rows.mean(axis=0)) / rows.std(axis=0)


with calor.profiling():
    for _ in range(5):
        preprocess(load())

print(calor.profile_report(context="preprocessing"))

report = calor.profile_report(format="json")
section = report["preprocessing"]
print(f"preprocessing: {section['count']} times, {section['total_time_ms']:.2f} ms")
assert section["count"] == 5 and report["load"]["count"] == 5

alone = calor.profile_report(context="preprocessing", format="json")
assert "load" not in alone and "scale" in alone
