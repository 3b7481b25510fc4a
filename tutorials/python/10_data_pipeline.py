"""A case: a data pipeline, stage by stage, with rates.

    python 10_data_pipeline.py

Stages are scopes; what they worked on is counted, so that a stage is slow per row and not only slow.
"""

import io

import calor
import numpy as np

text = "\n".join(f"{n},{n * 0.5},{n % 7}" for n in range(20_000))


@calor.profile
def parse_rows(text):
    return np.array([[float(field) for field in line.split(",")] for line in text.splitlines()])


@calor.profile
def parse_table(text):
    return np.loadtxt(io.StringIO(text), delimiter=",")


def pipeline(parse):
    with calor.ProfileContext("pipeline"):
        table = parse(text)
        with calor.scope("filter") as stage:
            stage.add("rows", len(table))
            kept = table[table[:, 2] < 5]
        with calor.scope("aggregate") as stage:
            stage.add("rows", len(kept))
            stage.bytes(kept.nbytes)
            groups = [kept[kept[:, 2] == group, 1].mean() for group in range(5)]
    return groups


results = {}
for parse in (parse_rows, parse_table):
    calor.clear_profile()
    with calor.profiling():
        for _ in range(3):
            results[parse.__name__] = pipeline(parse)
    report = calor.profile_report(format="json")
    stages = {name: report[name]["total_time_ms"] for name in (parse.__name__, "filter", "aggregate")}
    slowest = max(stages, key=stages.get)
    print(", ".join(f"{name} {took:.1f} ms" for name, took in stages.items()), f"- slowest: {slowest}")
    print(calor.profile_report(context="pipeline", top=5))
    assert report[parse.__name__]["count"] == 3

assert np.allclose(results["parse_rows"], results["parse_table"])
