"""Checks the checks: breaks good files in one place each, and every break has to be found.

    python3 tests/readers/broken_check.py TRACE.json PROFILE.json

The first is a Chrome trace and the second a profile for the Firefox Profiler, both without a fault.
"""

import copy
import sys

import checked
import chrome_check
import firefox_check


def calls(trace):
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


def with_event(**event):
    return lambda trace: trace["traceEvents"].append({**calls(trace)[0], **event})


CHROME = {
    "a call that ends before it begins": lambda trace: calls(trace)[0].update(dur=-1),
    "a process that is a text": lambda trace: calls(trace)[0].update(pid="one"),
    "a call without a name": lambda trace: calls(trace)[0].pop("name"),
    "a call that ends after its caller": lambda trace: trace["traceEvents"].append(
        {**calls(trace)[0], "ts": calls(trace)[0]["ts"] + 0.5 * calls(trace)[0]["dur"]}),
    "a unit that is not known": lambda trace: trace.update(displayTimeUnit="us"),
    "a B without an E": with_event(ph="B", ts=1),
    "an E without a B": with_event(ph="E", ts=1),
    "metadata that is not known": with_event(ph="M", name="thread_color"),
    "a counter of texts": with_event(ph="C", args={"value": "many"}),
    "a mark without a scope": with_event(ph="i"),
    "a thread without a name": with_event(tid=987654),
}


def cell(table, column, value):
    return lambda profile: profile["threads"][0][table][column].__setitem__(0, value)


def field(**fields):
    return lambda profile: profile["threads"][0].update(fields)


FIREFOX = {
    "a process that is a number": field(pid=3),
    "a process without a main thread": field(isMainThread=False),
    "a field that the format does not have": field(color="red"),
    "a thread without markers": lambda profile: profile["threads"][0].pop("markers"),
    "time that goes back": cell("samples", "timeDeltas", -1.0),
    "a stack that is not there": cell("samples", "stack", 1 << 30),
    "a caller behind its callee": cell("stackTable", "prefix", 0),
    "a subcategory that is not there": cell("frameTable", "subcategory", 1),
    "a category without a subcategory": cell("frameTable", "subcategory", None),
    "a number where a truth belongs": cell("funcTable", "isJS", 0),
    "a text that is there twice": lambda profile: profile["threads"][0]["stringArray"].append(
        profile["threads"][0]["stringArray"][0]),
    "a column that is too short": lambda profile: profile["threads"][0]["frameTable"]["line"].pop(),
    "a marker without an end": cell("markers", "endTime", None),
    "a marker of no schema": cell("markers", "data", {"type": "Nothing"}),
    "a colour that is not known": lambda profile: profile["meta"]["categories"][0].update(color="pink"),
    "a place of display that is not known": lambda profile: profile["meta"]["markerSchema"][0].update(display=["top"]),
    "a unit that is not known": lambda profile: profile["meta"]["sampleUnits"].update(time="s"),
    "another version": lambda profile: profile["meta"].update(preprocessedProfileVersion=54),
}


def main(trace_path, profile_path):
    missed, n_breaks = [], 0
    for path, check, breaks in [(trace_path, chrome_check.check, CHROME), (profile_path, firefox_check.check, FIREFOX)]:
        good = checked.load(path)
        if check(good)[1]:
            missed.append(f"{path} has faults before it is broken")
        for words, break_it in breaks.items():
            n_breaks += 1
            broken = copy.deepcopy(good)
            break_it(broken)
            if not check(broken)[1]:
                missed.append(f"{path}: {words} is not found")
    print("\n".join(missed) or f"all {n_breaks} broken files are found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
