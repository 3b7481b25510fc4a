"""Checks a profile for the Firefox Profiler that Calor wrote, with nothing but the standard library.

    python3 tests/readers/firefox_check.py PROFILE.json [MORE.json ...]

Exit code 0 when every file holds, 1 with one line for each fault otherwise. Checked is what the viewer's own types say of
version 55 of the processed format, and what its conversion to later versions touches: the fields that must be there and no
others, of the types they must have; columns as long as their table says; every index inside the table it points into;
callers before callees; times that do not go back; colours, places of display and formats of fields that the viewer knows;
subcategories that their category has; markers whose fields their schema has. Prints the sum of the weights of each file, to
compare with the total of the profile.
"""

import math
import re

import checked

NUMBER, TEXT, TRUTH, NOTHING = (int, float), str, bool, type(None)
META = {"interval": NUMBER, "startTime": NUMBER, "product": TEXT, "processType": int, "version": int,
        "preprocessedProfileVersion": int, "categories": list, "markerSchema": list, "stackwalk": int,
        "extensions": dict, "sampleUnits": dict, "symbolicated": TRUTH, "debug": TRUTH}
META_IF_THERE = {"oscpu": TEXT, "logicalCPUs": int, "pausedRanges": list, "usesOnlyOneStackType": TRUTH,
                 "sourceCodeIsNotOnSearchfox": TRUTH}
THREAD = {"name": TEXT, "pid": TEXT, "tid": (int, str), "isMainThread": TRUTH, "processType": TEXT,
          "registerTime": NUMBER, "unregisterTime": (int, float, NOTHING), "processStartupTime": NUMBER,
          "processShutdownTime": (int, float, NOTHING), "pausedRanges": list, "samples": dict, "markers": dict,
          "stackTable": dict, "frameTable": dict, "funcTable": dict, "resourceTable": dict, "nativeSymbols": dict,
          "stringArray": list}
THREAD_IF_THERE = {"processName": TEXT, "showMarkersInTimeline": TRUTH}
COUNTER = {"name": TEXT, "category": TEXT, "description": TEXT, "pid": TEXT, "mainThreadIndex": int, "samples": dict}
# The type of a column's cells.
INDEX, INDEX_OR_NOTHING = int, (int, NOTHING)
TABLES = {
    "samples": {"stack": INDEX_OR_NOTHING, "timeDeltas": NUMBER, "weight": NUMBER},
    "markers": {"category": INDEX, "data": (dict, NOTHING), "endTime": (int, float, NOTHING), "name": INDEX,
                "phase": int, "startTime": (int, float, NOTHING)},
    "stackTable": {"prefix": INDEX_OR_NOTHING, "frame": INDEX},
    "frameTable": {"address": int, "inlineDepth": int, "category": INDEX_OR_NOTHING, "subcategory": INDEX_OR_NOTHING,
                   "func": INDEX, "nativeSymbol": INDEX_OR_NOTHING, "innerWindowID": INDEX_OR_NOTHING,
                   "line": INDEX_OR_NOTHING, "column": INDEX_OR_NOTHING},
    "funcTable": {"name": INDEX, "isJS": TRUTH, "relevantForJS": TRUTH, "resource": int, "fileName": INDEX_OR_NOTHING,
                  "lineNumber": INDEX_OR_NOTHING, "columnNumber": INDEX_OR_NOTHING},
    "resourceTable": {"lib": INDEX_OR_NOTHING, "name": INDEX, "host": INDEX_OR_NOTHING, "type": int},
    "nativeSymbols": {"address": int, "functionSize": INDEX_OR_NOTHING, "libIndex": INDEX, "name": INDEX},
}
COLOURS = {"transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown", "magenta", "red",
           "lightred", "darkgrey", "grey"}
DISPLAYS = {"marker-chart", "marker-table", "timeline-overview", "timeline-memory", "timeline-ipc", "timeline-fileio",
            "timeline-network", "stack-chart"}
FORMATS = {"url", "file-path", "sanitized-string", "string", "unique-string", "flow-id", "terminating-flow-id",
           "duration", "time", "seconds", "milliseconds", "microseconds", "nanoseconds", "bytes", "percentage",
           "integer", "decimal", "hexadecimal", "pid", "tid", "list"}
# Which of start and end a marker of a phase has.
PHASES = {0: (True, False), 1: (True, True), 2: (True, False), 3: (False, True)}


def is_of(value, types):
    """Whether a value is of one of the types; True and False are no numbers here."""
    types = types if isinstance(types, tuple) else (types,)
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, types) and (not isinstance(value, float) or math.isfinite(value))


class Checker:
    def __init__(self, profile):
        self.profile = profile
        self.faults = []
        self.total = 0

    def fault(self, words):
        self.faults.append(words)

    def fields(self, holder, must, may, where):
        """Whether all fields are there and of their types; fields that the format does not know are told."""
        n_faults = len(self.faults)
        for key, types in must.items():
            if key not in holder:
                self.fault(f"{where} has no {key}")
        for key, value in holder.items():
            types = must.get(key, may.get(key))
            if types is None:
                self.fault(f"{where}.{key} is no field of the format")
            elif not is_of(value, types):
                self.fault(f"{where}.{key} is {value!r:.60}")
        return len(self.faults) == n_faults

    def indexes(self, column, limit, where, nothing=()):
        for row, index in enumerate(column):
            if index not in nothing and not 0 <= index < limit:
                return self.fault(f"{where}[{row}] is {index!r} and not below {limit}")
        return None

    def table(self, table, columns, where, more=()):
        for key in table.keys() - columns.keys() - {"length", *more}:
            self.fault(f"{where}.{key} is no column of the format")
        for column, types in columns.items():
            cells = table.get(column)
            if not isinstance(cells, list) or len(cells) != table.get("length"):
                self.fault(f"{where}.{column} is not a list of {table.get('length')} cells")
                return False
            for row, cell in enumerate(cells):
                if not is_of(cell, types):
                    self.fault(f"{where}.{column}[{row}] is {cell!r:.60}")
                    return False
        return True

    def meta(self, meta):
        if not self.fields(meta, META, META_IF_THERE, "meta"):
            return False
        if meta["preprocessedProfileVersion"] != 55:
            self.fault(f"version {meta['preprocessedProfileVersion']} is not the one checked here, 55")
        if meta["interval"] <= 0 or meta["startTime"] < 0:
            self.fault(f"interval {meta['interval']} or startTime {meta['startTime']} is too small")
        units = meta["sampleUnits"]
        known = {"time": {"ms", "bytes"}, "eventDelay": {"ms"},
                 "threadCPUDelta": {"ns", "\u00b5s", "variable CPU cycles"}}
        if units.keys() != known.keys() or any(units[key] not in words for key, words in known.items()):
            self.fault(f"meta.sampleUnits is {units}")
        self.table(meta["extensions"], {"baseURL": TEXT, "id": TEXT, "name": TEXT}, "meta.extensions")
        for place, category in enumerate(meta["categories"]):
            where = f"meta.categories[{place}]"
            if self.fields(category, {"name": TEXT, "color": TEXT, "subcategories": list}, {}, where):
                if category["color"] not in COLOURS:
                    self.fault(f"{where}.color is {category['color']!r}")
                if category["subcategories"][:1] != ["Other"]:
                    self.fault(f"{where}.subcategories does not begin with Other")
        if "grey" not in {category.get("color") for category in meta["categories"]}:
            self.fault("no category is grey, as the one for everything else has to be")
        for place, schema in enumerate(meta["markerSchema"]):
            self.schema(schema, f"meta.markerSchema[{place}]")
        names = [schema.get("name") for schema in meta["markerSchema"]]
        if len(set(names)) != len(names):
            self.fault("two marker schemas have one name")
        return True

    def schema(self, schema, where):
        labels = {"chartLabel": TEXT, "tooltipLabel": TEXT, "tableLabel": TEXT, "description": TEXT}
        if not self.fields(schema, {"name": TEXT, "display": list, "fields": list}, labels, where):
            return
        if not schema["display"] or not set(schema["display"]) <= DISPLAYS:
            self.fault(f"{where}.display is {schema['display']}")
        for field in schema["fields"]:
            may = {"label": TEXT, "searchable": TRUTH, "hidden": TRUTH}
            if self.fields(field, {"key": TEXT, "format": TEXT}, may, f"{where}.fields"):
                if field["format"] not in FORMATS:
                    self.fault(f"{where}.fields: the format {field['format']!r} is not known")
        keys = {field.get("key") for field in schema["fields"]}
        for label in labels:
            for used in re.findall(r"\{marker\.data\.(\w+)", schema.get(label, "")):
                if used not in keys:
                    self.fault(f"{where}.{label} shows {used!r}, which is no field")

    def thread(self, place, thread):
        where = f"threads[{place}]"
        if not self.fields(thread, THREAD, THREAD_IF_THERE, where):
            return
        for name, columns in TABLES.items():
            more = ("weightType",) if name == "samples" else ()
            if not self.table(thread[name], columns, f"{where}.{name}", more):
                return
        strings = thread["stringArray"]
        if not all(isinstance(text, str) for text in strings) or len(set(strings)) != len(strings):
            self.fault(f"{where}.stringArray holds something else than texts, or one twice")
        n_strings = len(strings)
        categories = self.profile["meta"]["categories"]
        stacks, frames, funcs = thread["stackTable"], thread["frameTable"], thread["funcTable"]
        samples, resources = thread["samples"], thread["resourceTable"]
        n_libs = len(self.profile["libs"])
        self.indexes(samples["stack"], stacks["length"], f"{where}.samples.stack", nothing=(None,))
        self.indexes(stacks["frame"], frames["length"], f"{where}.stackTable.frame")
        for row, prefix in enumerate(stacks["prefix"]):
            if prefix is not None and not 0 <= prefix < row:
                self.fault(f"{where}.stackTable.prefix[{row}] is {prefix}, not a row before")
        self.indexes(frames["func"], funcs["length"], f"{where}.frameTable.func")
        self.indexes(frames["category"], len(categories), f"{where}.frameTable.category", nothing=(None,))
        for row, (category, subcategory) in enumerate(zip(frames["category"], frames["subcategory"])):
            if category is not None and subcategory not in range(len(categories[category]["subcategories"])):
                self.fault(f"{where}.frameTable.subcategory[{row}] is {subcategory!r}")
        n_symbols = thread["nativeSymbols"]["length"]
        self.indexes(frames["nativeSymbol"], n_symbols, f"{where}.frameTable.nativeSymbol", nothing=(None,))
        self.indexes(frames["line"], 1 << 32, f"{where}.frameTable.line", nothing=(None,))
        self.indexes(frames["address"], 1 << 53, f"{where}.frameTable.address", nothing=(-1,))
        self.indexes(frames["inlineDepth"], 1 << 16, f"{where}.frameTable.inlineDepth")
        self.indexes(funcs["name"], n_strings, f"{where}.funcTable.name")
        self.indexes(funcs["fileName"], n_strings, f"{where}.funcTable.fileName", nothing=(None,))
        self.indexes(funcs["resource"], resources["length"], f"{where}.funcTable.resource", nothing=(-1,))
        self.indexes(resources["name"], n_strings, f"{where}.resourceTable.name")
        self.indexes(resources["host"], n_strings, f"{where}.resourceTable.host", nothing=(None,))
        self.indexes(resources["lib"], n_libs, f"{where}.resourceTable.lib", nothing=(None,))
        self.indexes(resources["type"], 6, f"{where}.resourceTable.type")
        self.markers(thread["markers"], n_strings, where)
        if any(delta < 0 for delta in samples["timeDeltas"]):
            self.fault(f"{where}.samples.timeDeltas goes back")
        if samples.get("weightType") not in ("samples", "tracing-ms", "bytes"):
            self.fault(f"{where}.samples.weightType is {samples.get('weightType')!r}")
        self.total += sum(samples["weight"])

    def markers(self, markers, n_strings, where):
        self.indexes(markers["name"], n_strings, f"{where}.markers.name")
        n_categories = len(self.profile["meta"]["categories"])
        self.indexes(markers["category"], n_categories, f"{where}.markers.category")
        schemas = {schema["name"]: {field["key"] for field in schema["fields"]}
                   for schema in self.profile["meta"]["markerSchema"]}
        rows = zip(markers["phase"], markers["startTime"], markers["endTime"], markers["data"])
        for row, (phase, start, end, data) in enumerate(rows):
            if PHASES.get(phase) != (start is not None, end is not None):
                self.fault(f"{where}.markers[{row}] of phase {phase} is from {start} to {end}")
            elif phase == 1 and start > end:
                self.fault(f"{where}.markers[{row}] ends at {end}, before {start}")
            if data is not None and data.get("type") not in schemas:
                self.fault(f"{where}.markers.data[{row}] is of type {data.get('type')!r}, which has no schema")
            elif data is not None and not data.keys() - {"type", "cause"} <= schemas[data["type"]]:
                self.fault(f"{where}.markers.data[{row}] has fields that its schema does not have: {data}")

    def counter(self, place, counter):
        where = f"counters[{place}]"
        if not self.fields(counter, COUNTER, {"color": TEXT}, where):
            return
        self.indexes([counter["mainThreadIndex"]], len(self.profile["threads"]), f"{where}.mainThreadIndex")
        if counter["pid"] not in {thread["pid"] for thread in self.profile["threads"]}:
            self.fault(f"{where} is of process {counter['pid']}, which has no thread")
        if self.table(counter["samples"], {"timeDeltas": NUMBER, "count": NUMBER}, f"{where}.samples"):
            if any(delta < 0 for delta in counter["samples"]["timeDeltas"]):
                self.fault(f"{where}.samples.timeDeltas goes back")

    def run(self):
        profile = self.profile
        lists = {"pages": list, "counters": list, "profilerOverhead": list}
        if not self.fields(profile, {"meta": dict, "libs": list, "threads": list}, lists, "the file"):
            return
        if not self.meta(profile["meta"]):
            return
        if not profile["threads"]:
            self.fault("there is no thread, and the viewer opens no such file")
        tids = [thread.get("tid") for thread in profile["threads"]]
        if len(set(tids)) != len(tids):
            self.fault("two threads have the same tid")
        for pid in {thread.get("pid") for thread in profile["threads"]}:
            of_process = [thread for thread in profile["threads"] if thread.get("pid") == pid]
            if sum(bool(thread.get("isMainThread")) for thread in of_process) != 1:
                self.fault(f"process {pid} does not have one main thread")
        for place, thread in enumerate(profile["threads"]):
            self.thread(place, thread)
        for place, counter in enumerate(profile.get("counters", [])):
            self.counter(place, counter)


def check(profile):
    checker = Checker(profile)
    checker.run()
    return f"{len(profile.get('threads', []))} threads, weights of {checker.total:.6f}", checker.faults


if __name__ == "__main__":
    checked.main(__doc__, check)
