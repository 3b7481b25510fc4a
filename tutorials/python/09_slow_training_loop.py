"""A case: a training loop that is slow, found out and repaired.

    python 09_slow_training_loop.py

The loop learns the same in both forms. The slow one has what such loops often have: one sample at a time, and twice the
width of number that it needs.
"""

import calor
import numpy as np

rng = np.random.default_rng(0)
samples = rng.normal(size=(512, 64))
targets = samples @ rng.normal(size=(64, 8))


def epoch_of_samples(weights, rate):
    gradient = np.zeros_like(weights)
    loss = 0.0
    for sample, target in zip(samples, targets):
        with calor.scope("forward"):
            error = sample @ weights - target
            loss += float((error**2).mean())
        with calor.scope("backward"):
            gradient += np.outer(sample, error)
    with calor.scope("step"):
        weights -= rate * gradient / len(samples)
    return loss / len(samples)


def epoch_of_batches(weights, rate, inputs, wanted):
    with calor.scope("forward"):
        error = inputs @ weights - wanted
        loss = float((error**2).mean())
    with calor.scope("backward"):
        gradient = inputs.T @ error
    with calor.scope("step"):
        weights -= rate * gradient / len(inputs)
    return loss


def trained(name, epoch, weights, *arguments):
    calor.clear_profile()
    with calor.profiling():
        with calor.ProfileContext("training"):
            losses = [epoch(weights, 0.1, *arguments) for _ in range(10)]
    report = calor.profile_report(format="json")
    n_operations = sum(row["count"] for row in report["operations"])
    took = report["training"]["total_time_ms"]
    print(f"{name}: {took:.1f} ms, {n_operations} operations, loss {losses[0]:.3f} -> {losses[-1]:.3f}")
    return losses, n_operations


slow, n_slow = trained("one sample at a time", epoch_of_samples, np.zeros((64, 8)))
print(calor.profile_report(context="training", top=5))
for advice in calor.get_recommendations()[:3]:
    print(f"[{advice['priority']}] {advice['title']} ({advice['estimated_speedup']})")

quick, n_quick = trained(
    "whole batches, float32",
    epoch_of_batches,
    np.zeros((64, 8), dtype=np.float32),
    samples.astype(np.float32),
    targets.astype(np.float32),
)
assert np.allclose(slow, quick, rtol=1e-3), (slow, quick)
assert n_quick * 100 < n_slow, (n_quick, n_slow)

# Whether it is quicker is a question of its own, with an answer that says how sure it is.
single, double = np.zeros((64, 8), dtype=np.float32), np.zeros((64, 8))
batch = (samples.astype(np.float32), targets.astype(np.float32))
print(calor.ab(lambda: epoch_of_samples(double, 0.1), lambda: epoch_of_batches(single, 0.1, *batch), max_time=2))
