"""Checks a profile for the Firefox Profiler that Calor wrote, with nothing but the standard library.

    python3 tests/readers/firefox_check.py PROFILE.json [MORE.json ...]

Exit code 0 when every file holds, 1 with one line for each fault otherwise. Checked is what the viewer relies on in
version 55 of the processed format: the fields that must be there, columns as long as their table says, every index
inside the table it points into, callers before callees, times that do not go back. Prints the sum of the weights of
each file, to compare with the total of the profile.
"""

import json
import math
import sys

META = ["interval", "startTime", "product", "processType", "version", "preprocessedProfileVersion", "categories",
        "markerSchema", "stackwalk", "extensions"]
# fxprof-processed-profile leaves `stackwalk` out, and the viewer does without.
OPTIONAL_META = {"stackwalk"}
THREAD = ["name", "pid", "tid", "isMainThread", "processType", "registerTime", "unregisterTime",
          "processStartupTime", "processShutdownTime", "pausedRanges", "samples", "markers", "stackTable",
          "frameTable", "funcTable", "resourceTable", "nativeSymbols", "stringArray"]
TABLES = {
    "samples": ["stack", "timeDeltas", "weight"],
    "markers": ["category", "data", "endTime", "name", "phase", "startTime"],
    "stackTable": ["prefix", "frame"],
    "frameTable": ["address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID",
                   "line", "column"],
    "funcTable": ["name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber"],
    "resourceTable": ["lib", "name", "host", "type"],
    "nativeSymbols": ["address", "functionSize", "libIndex", "name"],
}


class Checker:
    def __init__(self, profile):
        self.profile = profile
        self.faults = []
        self.total = 0

    def fault(self, words):
        self.faults.append(words)

    def require(self, holder, keys, where):
        for key in keys:
            if key not in holder:
                self.fault(f"{where} has no {key}")
                return False
        return True

    def indexes(self, column, limit, where, nothing=()):
        for row, index in enumerate(column):
            if index in nothing:
                continue
            if not isinstance(index, int) or not 0 <= index < limit:
                self.fault(f"{where}[{row}] is {index!r} and not below {limit}")
                return

    def numbers(self, column, where, from_zero=False):
        for row, value in enumerate(column):
            is_number = isinstance(value, (int, float)) and math.isfinite(value)
            if not is_number or (from_zero and value < 0):
                self.fault(f"{where}[{row}] is {value!r}")
                return

    def thread(self, place, thread):
        where = f"threads[{place}]"
        if not self.require(thread, THREAD, where):
            return
        for name, columns in TABLES.items():
            table = thread[name]
            if not self.require(table, ["length", *columns], f"{where}.{name}"):
                return
            for column in columns:
                if len(table[column]) != table["length"]:
                    self.fault(f"{where}.{name}.{column} has {len(table[column])} rows, not {table['length']}")
                    return
        n_strings = len(thread["stringArray"])
        n_categories = len(self.profile["meta"]["categories"])
        stacks, frames, funcs = thread["stackTable"], thread["frameTable"], thread["funcTable"]
        samples, markers, resources = thread["samples"], thread["markers"], thread["resourceTable"]
        self.indexes(samples["stack"], stacks["length"], f"{where}.samples.stack", nothing=(None,))
        self.indexes(stacks["frame"], frames["length"], f"{where}.stackTable.frame")
        for row, prefix in enumerate(stacks["prefix"]):
            if prefix is not None and not 0 <= prefix < row:
                self.fault(f"{where}.stackTable.prefix[{row}] is {prefix}, not a row before")
        self.indexes(frames["func"], funcs["length"], f"{where}.frameTable.func")
        self.indexes(frames["category"], n_categories, f"{where}.frameTable.category", nothing=(None,))
        self.indexes(funcs["name"], n_strings, f"{where}.funcTable.name")
        self.indexes(funcs["fileName"], n_strings, f"{where}.funcTable.fileName", nothing=(None,))
        self.indexes(funcs["resource"], resources["length"], f"{where}.funcTable.resource", nothing=(-1,))
        self.indexes(resources["name"], n_strings, f"{where}.resourceTable.name")
        self.indexes(markers["name"], n_strings, f"{where}.markers.name")
        self.indexes(markers["category"], n_categories, f"{where}.markers.category")
        self.indexes(markers["phase"], 4, f"{where}.markers.phase")
        schemas = {schema["name"] for schema in self.profile["meta"]["markerSchema"]}
        for row, data in enumerate(markers["data"]):
            if data is not None and data["type"] not in schemas:
                self.fault(f"{where}.markers.data[{row}] is of type {data['type']!r}, which has no schema")
        for row, (phase, start, end) in enumerate(zip(markers["phase"], markers["startTime"], markers["endTime"])):
            if phase == 1 and not start <= end:
                self.fault(f"{where}.markers[{row}] ends at {end}, before {start}")
        self.numbers(samples["timeDeltas"], f"{where}.samples.timeDeltas", from_zero=True)
        self.numbers(samples["weight"], f"{where}.samples.weight")
        if samples.get("weightType") not in ("samples", "tracing-ms", "bytes"):
            self.fault(f"{where}.samples.weightType is {samples.get('weightType')!r}")
        self.total += sum(samples["weight"])

    def counter(self, place, counter):
        where = f"counters[{place}]"
        keys = ["name", "category", "description", "pid", "mainThreadIndex", "samples"]
        if not self.require(counter, keys, where):
            return
        self.indexes([counter["mainThreadIndex"]], len(self.profile["threads"]), f"{where}.mainThreadIndex")
        samples = counter["samples"]
        for column in ("timeDeltas", "count"):
            if len(samples[column]) != samples["length"]:
                self.fault(f"{where}.samples.{column} has {len(samples[column])} rows, not {samples['length']}")
        self.numbers(samples["timeDeltas"], f"{where}.samples.timeDeltas", from_zero=True)
        self.numbers(samples["count"], f"{where}.samples.count")

    def run(self):
        profile = self.profile
        if not self.require(profile, ["meta", "libs", "threads"], "the file"):
            return
        if not self.require(profile["meta"], [key for key in META if key not in OPTIONAL_META], "meta"):
            return
        if profile["meta"]["preprocessedProfileVersion"] != 55:
            self.fault(f"version {profile['meta']['preprocessedProfileVersion']} is not the one checked here, 55")
        if not profile["threads"]:
            self.fault("there is no thread, and the viewer opens no such file")
        tids = [thread.get("tid") for thread in profile["threads"]]
        if len(set(tids)) != len(tids):
            self.fault("two threads have the same tid")
        for place, thread in enumerate(profile["threads"]):
            self.thread(place, thread)
        for place, counter in enumerate(profile.get("counters", [])):
            self.counter(place, counter)


def main(paths):
    if not paths:
        sys.exit(__doc__)
    failed = False
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                checker = Checker(json.load(file))
            checker.run()
            threads, total, faults = len(checker.profile.get("threads", [])), checker.total, checker.faults
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            threads, total, faults = 0, 0, [repr(error)]
        for fault in faults:
            print(f"{path}: {fault}", file=sys.stderr)
        failed |= bool(faults)
        print(f"{path}: {threads} threads, weights of {total:.6f}, {len(faults)} faults")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
