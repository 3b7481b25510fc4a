"""Set limits, and be told what exceeds them.

    python 07_baselines.py

Limits in milliseconds are for what you can promise. For the rest, runs are kept under a name and compared as
distributions: the answer says how large a difference is and how sure that is, and `calor check` asks the same in CI.
"""

import time

import calor


def requests(pause):
    calor.clear_profile()
    with calor.profiling():
        for _ in range(5):
            with calor.ProfileContext("parse"):
                time.sleep(0.001)
            with calor.ProfileContext("model"):
                time.sleep(pause)
    return calor.snapshot()


# Milliseconds of one call; up to half more is let pass, which `tolerance` changes.
calor.set_baseline({"parse": 50.0, "model": 20.0}, per="call")

before = requests(0.002)
assert calor.check_baseline() == []

after = requests(0.060)
for regression in calor.check_baseline():
    print("over its limit:", regression["message"])
assert [regression["section"] for regression in calor.check_baseline()] == ["model"]

# Two snapshots can be compared, too. One run on a side rarely decides anything, and then it says so.
print(calor.compare(before, after))

# Under a name it stays in the project's store, for later runs and for `calor check`.
calor.set_baseline("tutorial", profile=before)
