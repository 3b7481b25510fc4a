"""Take a profile elsewhere: the ending of the file says how it is written.

    python 06_export.py
"""

import csv
import json
import os

import calor
import numpy as np

with calor.profiling():
    with calor.ProfileContext("products"):
        matrix = np.ones((200, 200), dtype=np.float32)
        for _ in range(20):
            matrix = matrix @ matrix / 200

for name in [
    "profile.calor",            # everything, for the calor command: report, flame, compare, findings
    "report.json",              # figures for scripts
    "report.csv",               # the table of operations
    "report.md",                # for a pull request
    "profile.speedscope.json",  # speedscope.app
    "profile.trace.json",       # chrome://tracing, Perfetto
    "profile.pb.gz",            # pprof
    "profile.folded",           # flame graph tools
]:
    calor.export(name)
    print(f"{os.path.getsize(name):>8} bytes  {name}")

with open("report.json") as file:
    report = json.load(file)
product = next(row for row in report["operations"] if row["operation"] == "matmul")
print(f"matmul: {product['flops'] / 1e6:.0f} Mflop, {product['flops_per_s'] / 1e9:.1f} Gflop/s")
assert product["flops"] == 20 * 2 * 200**3

with open("report.csv", newline="") as file:
    assert any(row["operation"] == "matmul" for row in csv.DictReader(file))
