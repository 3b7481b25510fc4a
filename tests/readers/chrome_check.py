"""Checks a Chrome trace that Calor wrote, with nothing but the standard library.

    python3 tests/readers/chrome_check.py TRACE.json [MORE.json ...]

Exit code 0 when every file holds, 1 with one line for each fault otherwise. Checked is what chrome://tracing and Perfetto
rely on, where an event that does not nest is dropped or drawn in the wrong place without a word: every B has its E of the
same name on the same thread, the calls of a thread nest whichever way they are written, a caller stands before its callees,
names, processes and threads are what the format says they are, every process and thread that has events has one name,
times are numbers from zero, counters have numeric values and go forward in time, marks have a scope.
"""

import math

import checked

ROUNDING_MICROS = 0.0011
METADATA = {"process_name": "name", "process_labels": "labels", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}
# Perfetto keeps no more open calls than this on a thread.
MOST_DEPTH = 512


def thread_of(event):
    return event["pid"], event["tid"]


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


class Checker:
    def __init__(self):
        self.faults = []
        self.calls = {}
        self.pairs = {}
        self.counters = {}
        self.named = {"process_name": {}, "thread_name": {}}
        self.used = set()

    def fault(self, words):
        self.faults.append(words)

    def event(self, event):
        # A counter belongs to a process as a whole.
        for field in ("pid",) if event.get("ph") == "C" else ("pid", "tid"):
            if not isinstance(event.get(field), int) or isinstance(event.get(field), bool):
                return self.fault(f"{field} is {event.get(field)!r} in {event}")
        phase = event.get("ph")
        if phase == "M":
            return self.metadata(event)
        if phase not in ("X", "B", "E", "I", "i", "C"):
            return self.fault(f"phase {phase!r} in {event}")
        for field in ("ts", "dur") if phase == "X" else ("ts",):
            if not is_number(event.get(field)) or event[field] < 0:
                return self.fault(f"{field} is {event.get(field)!r} in {event}")
        if phase != "E" and not isinstance(event.get("name"), str):
            return self.fault(f"the name is no text in {event}")
        if not isinstance(event.get("cat", ""), str) or not isinstance(event.get("args", {}), dict):
            return self.fault(f"cat is no text or args is no object in {event}")
        if phase == "C":
            return self.counter(event)
        self.used.add(thread_of(event))
        if phase == "X":
            self.calls.setdefault(thread_of(event), []).append(event)
        elif phase in "BE":
            self.pairs.setdefault(thread_of(event), []).append(event)
        elif event.get("s") not in ("t", "p", "g"):
            self.fault(f"a mark without a scope: {event}")
        return None

    def metadata(self, event):
        key = METADATA.get(event.get("name"))
        value = event.get("args", {}).get(key)
        if key is None or not isinstance(value, int if key == "sort_index" else str):
            return self.fault(f"metadata that no viewer knows: {event}")
        if event["name"] in self.named:
            named = self.named[event["name"]]
            about = thread_of(event) if event["name"] == "thread_name" else event["pid"]
            if about in named:
                self.fault(f"{about} is named twice, {named[about]!r} and {value!r}")
            named[about] = value
        return None

    def counter(self, event):
        values = event.get("args", {})
        if not values or not all(is_number(value) for value in values.values()):
            self.fault(f"a counter without numbers: {event}")
        series = (event["pid"], event["name"], event.get("id"))
        if event["ts"] < self.counters.get(series, 0):
            self.fault(f"the counter {series} goes back in time at {event['ts']}")
        self.counters[series] = event["ts"]

    def paired(self, thread, events):
        """The calls that Bs and Es stand for; the file's own order decides between equal times."""
        opened = []
        for event in sorted(events, key=lambda event: event["ts"]):
            if event["ph"] == "B":
                opened.append(event)
            elif not opened:
                self.fault(f"thread {thread}: an E without a B at {event['ts']}")
            else:
                begin = opened.pop()
                if event.get("name") not in (None, "", begin["name"]):
                    self.fault(f"thread {thread}: {event['name']!r} ends where {begin['name']!r} is open")
                yield {**begin, "dur": event["ts"] - begin["ts"]}
        for begin in opened:
            self.fault(f"thread {thread}: {begin['name']!r} has no E")

    def nesting(self, thread, calls):
        ends = []
        for call in sorted(calls, key=lambda call: (call["ts"], -call["dur"])):
            begin, end = call["ts"], call["ts"] + call["dur"]
            while ends and ends[-1] <= begin + ROUNDING_MICROS:
                ends.pop()
            if ends and end > ends[-1] + ROUNDING_MICROS:
                self.fault(f"thread {thread}: {call['name']!r} at {begin} ends after the call it is in")
            ends.append(end)
            if len(ends) > MOST_DEPTH:
                return self.fault(f"thread {thread}: more than {MOST_DEPTH} calls are open at {begin}")
        return None

    def order(self, thread, calls):
        """Viewers sort by time; of calls that begin together the file's own order tells who called whom."""
        longest = {}
        for call in calls:
            if call["dur"] > longest.get(call["ts"], math.inf):
                return self.fault(f"thread {thread}: {call['name']!r} at {call['ts']} stands behind its callee")
            longest[call["ts"]] = call["dur"]
        return None

    def finish(self):
        for thread, calls in self.calls.items():
            self.order(thread, calls)
        for thread, events in self.pairs.items():
            self.calls.setdefault(thread, []).extend(self.paired(thread, events))
        for thread, calls in self.calls.items():
            self.nesting(thread, calls)
        for thread in sorted(self.used - self.named["thread_name"].keys()):
            self.fault(f"thread {thread} has events and no name")
        # 0 is the process of files that know of none.
        for pid in sorted({pid for pid, _ in self.used} - self.named["process_name"].keys() - {0}):
            self.fault(f"process {pid} has events and no name")


def check(trace):
    checker = Checker()
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    if isinstance(trace, dict) and trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        checker.fault(f"displayTimeUnit is {trace['displayTimeUnit']!r}")
    for event in events:
        checker.event(event)
    checker.finish()
    n_calls = sum(map(len, checker.calls.values()))
    return f"{len(events)} events, {n_calls} calls, {len(checker.used)} threads", checker.faults


if __name__ == "__main__":
    checked.main(__doc__, check)
