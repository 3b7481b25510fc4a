"""Functions, generators and coroutines by a decorator, or all of them without one.

    python 03_decorators.py
"""

import asyncio

import calor


@calor.profile
def tokenise(text):
    return text.split()


@calor.profile(name="batches")
def batches(words, size):
    # A generator's time is that of its steps: what its consumer does in between is not its own.
    for start in range(0, len(words), size):
        yield words[start : start + size]


@calor.profile
async def send(batch):
    await asyncio.sleep(0.001)
    return len(batch)


async def main():
    words = tokenise("the quick brown fox jumps over the lazy dog " * 200)
    return sum([await send(batch) for batch in batches(words, 100)])


with calor.profiling():
    sent = asyncio.run(main())

# Of `send` that is what the processor did for it: while it waits, others run. Each time it goes on is counted, so a call
# that waits once is two.
print(calor.profile_report())
report = calor.profile_report(format="json")
assert sent == 1800 and report["send"]["count"] >= 18 and report["tokenise"]["count"] == 1


# Nothing decorated at all: each call of a Python function, found by the interpreter itself.
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


calor.clear_profile()
with calor.profiling(functions="trace"):
    fibonacci(15)

print(calor.profile_report())
