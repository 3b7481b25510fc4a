"""Checks a Chrome trace that Calor wrote, with nothing but the standard library.

    python3 tests/readers/chrome_check.py TRACE.json [MORE.json ...]

Exit code 0 when every file holds, 1 with one line for each fault otherwise. Checked is what viewers rely on:
every B has its E on the same thread and the X events of a thread nest; every thread that has events has a name;
times are finite numbers from zero, counters have numeric values, marks have a scope.
"""

import json
import math
import sys

ROUNDING_MICROS = 0.0011


def thread_of(event):
    return event.get("pid"), event.get("tid")


def check_numbers(event, faults):
    for field in ("ts", "dur") if event["ph"] == "X" else ("ts",):
        value = event.get(field)
        if not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
            faults.append(f"{field} is {value!r} in {event}")
            return False
    return True


def check_pairs(thread, events, faults):
    open_names = []
    for event in sorted(events, key=lambda event: event["ts"]):
        if event["ph"] == "B":
            open_names.append(event.get("name"))
        elif not open_names:
            faults.append(f"thread {thread}: an E without a B at {event['ts']}")
        else:
            name = open_names.pop()
            if event.get("name") not in (None, "", name):
                faults.append(f"thread {thread}: {event['name']!r} ends where {name!r} is open")
    for name in open_names:
        faults.append(f"thread {thread}: {name!r} has no E")


def check_nesting(thread, events, faults):
    ends = []
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        begin, end = event["ts"], event["ts"] + event["dur"]
        while ends and ends[-1] <= begin + ROUNDING_MICROS:
            ends.pop()
        if ends and end > ends[-1] + ROUNDING_MICROS:
            faults.append(f"thread {thread}: {event['name']!r} at {begin} ends after the event it is in")
        ends.append(end)


def check(path):
    faults = []
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    pairs, wholes, named, used = {}, {}, set(), set()
    for event in events:
        phase = event.get("ph")
        if phase == "M":
            if event["name"] == "thread_name":
                if not isinstance(event["args"]["name"], str):
                    faults.append(f"the name of a thread is no text in {event}")
                if thread_of(event) in named:
                    faults.append(f"thread {thread_of(event)} is named twice")
                named.add(thread_of(event))
            continue
        if phase not in ("X", "B", "E", "I", "i", "C"):
            faults.append(f"phase {phase!r} in {event}")
            continue
        if not check_numbers(event, faults):
            continue
        if phase == "C":
            values = event.get("args", {}).values()
            if not values or not all(isinstance(value, (int, float)) for value in values):
                faults.append(f"a counter without numbers: {event}")
            continue
        used.add(thread_of(event))
        if phase == "X":
            wholes.setdefault(thread_of(event), []).append(event)
        elif phase in "BE":
            pairs.setdefault(thread_of(event), []).append(event)
        elif event.get("s") not in ("t", "p", "g"):
            faults.append(f"a mark without a scope: {event}")
    for thread, of_thread in pairs.items():
        check_pairs(thread, of_thread, faults)
    for thread, of_thread in wholes.items():
        check_nesting(thread, of_thread, faults)
    faults += [f"thread {thread} has events and no name" for thread in sorted(used - named, key=str)]
    counts = f"{len(events)} events, {sum(map(len, wholes.values()))} whole calls, {len(used)} threads"
    return counts, faults


def main(paths):
    if not paths:
        sys.exit(__doc__)
    failed = False
    for path in paths:
        try:
            counts, faults = check(path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            counts, faults = "not read", [repr(error)]
        for fault in faults:
            print(f"{path}: {fault}", file=sys.stderr)
        failed |= bool(faults)
        print(f"{path}: {counts}, {len(faults)} faults")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
