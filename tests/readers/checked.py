"""What the checks of JSON files have in common: reading strictly, and telling what is wrong.

A script hands its `check` to `main`: a function that takes the document and returns a line of figures and a list of faults.
"""

import json
import sys


def without_repeats(pairs):
    """An object whose keys are all different; readers disagree on which of two would count."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        repeated = sorted({key for key in keys if keys.count(key) > 1})
        raise ValueError(f"an object has the keys {repeated} more than once")
    return dict(pairs)


def no_number(word):
    """JSON has no word for what is not finite; Python would take it."""
    raise ValueError(f"{word} is no number in JSON")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=without_repeats, parse_constant=no_number)


def main(about, check):
    """Checks every file that the command line names. Exit code 0 when all hold, 1 otherwise."""
    paths = sys.argv[1:]
    if not paths:
        sys.exit(about)
    failed = False
    for path in paths:
        try:
            counts, faults = check(load(path))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            counts, faults = "not read", [repr(error)]
        for fault in faults[:20]:
            print(f"{path}: {fault}", file=sys.stderr)
        failed |= bool(faults)
        print(f"{path}: {counts}, {len(faults)} faults")
    sys.exit(1 if failed else 0)
