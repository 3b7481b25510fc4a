"""A flame graph: the width is time, what is above was called by what is below.

    python 05_flame_graph.py

Open flame.svg or page.html in a browser; both are one file each and need nothing else. `calor flame` and `calor report`
make the same from a profile that was saved, and speedscope.app, Perfetto, the Firefox Profiler and pprof read what
`export` writes for them.
"""

import calor
import numpy as np


@calor.profile
def attention(queries, keys, values):
    with calor.scope("scores"):
        scores = queries @ keys.T / np.sqrt(queries.shape[1])
    with calor.scope("softmax"):
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
    with calor.scope("mix"):
        return weights @ values


random = np.random.default_rng(0)
queries, keys, values = (random.normal(size=(256, 64)) for _ in range(3))

with calor.profiling():
    for _ in range(50):
        attention(queries, keys, values)

calor.export("flame.svg")
calor.export("page.html")
print("open flame.svg or page.html in a browser")

with open("flame.svg") as file:
    assert "softmax" in file.read()
