"""Decodes a pprof file with Google's protobuf package and compares it with what it should hold.

    python pprof_check.py FILE EXPECTATIONS.json

The messages are described here at run time, so neither a protobuf compiler nor any code of Calor takes part.
Exit status 0 when everything agrees, 1 when something does not.
"""

import gzip
import json
import sys
from collections import Counter

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# Name of the message, then number, name and type of each field; `*` marks a field that repeats.
MESSAGES = {
    "Profile": [
        (1, "sample_type", "*ValueType"), (2, "sample", "*Sample"), (3, "mapping", "*Mapping"),
        (4, "location", "*Location"), (5, "function", "*Function"), (6, "string_table", "*string"),
        (7, "drop_frames", "int64"), (8, "keep_frames", "int64"), (9, "time_nanos", "int64"),
        (10, "duration_nanos", "int64"), (11, "period_type", "ValueType"), (12, "period", "int64"),
        (13, "comment", "*int64"), (14, "default_sample_type", "int64"), (15, "doc_url", "int64"),
    ],
    "ValueType": [(1, "type", "int64"), (2, "unit", "int64")],
    "Sample": [(1, "location_id", "*uint64"), (2, "value", "*int64"), (3, "label", "*Label")],
    "Label": [(1, "key", "int64"), (2, "str", "int64"), (3, "num", "int64"), (4, "num_unit", "int64")],
    "Mapping": [
        (1, "id", "uint64"), (2, "memory_start", "uint64"), (3, "memory_limit", "uint64"),
        (4, "file_offset", "uint64"), (5, "filename", "int64"), (6, "build_id", "int64"),
        (7, "has_functions", "bool"), (8, "has_filenames", "bool"), (9, "has_line_numbers", "bool"),
        (10, "has_inline_frames", "bool"),
    ],
    "Location": [
        (1, "id", "uint64"), (2, "mapping_id", "uint64"), (3, "address", "uint64"), (4, "line", "*Line"),
        (5, "is_folded", "bool"),
    ],
    "Line": [(1, "function_id", "uint64"), (2, "line", "int64"), (3, "column", "int64")],
    "Function": [
        (1, "id", "uint64"), (2, "name", "int64"), (3, "system_name", "int64"), (4, "filename", "int64"),
        (5, "start_line", "int64"),
    ],
}


def profile_class():
    """The class of the outermost message."""
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package="check", syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, field_name, kind in fields:
            field = message.field.add(name=field_name, number=number)
            field.label = kinds.LABEL_REPEATED if kind.startswith("*") else kinds.LABEL_OPTIONAL
            kind = kind.lstrip("*")
            if kind in MESSAGES:
                field.type, field.type_name = kinds.TYPE_MESSAGE, f".check.{kind}"
            else:
                field.type = getattr(kinds, f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("check.Profile"))


def problems(profile, expected):
    """A line for everything that is not as it should be."""
    text = profile.string_table
    if not text or text[0] != "":
        yield "the first string is not empty"
    names = [text[of.type] for of in profile.sample_type]
    sums = dict.fromkeys(names, 0)
    for sample in profile.sample:
        if len(sample.value) != len(names):
            yield f"a sample has {len(sample.value)} values for {len(names)} sample types"
        for name, value in zip(names, sample.value):
            sums[name] += value
    if sums != expected["sums"]:
        for name in sorted(sums.keys() | expected["sums"].keys()):
            if sums.get(name) != expected["sums"].get(name):
                yield f"{name}: expected a sum of {expected['sums'].get(name)}, found {sums.get(name)}"

    functions = {function.id: function for function in profile.function}
    locations = {location.id: location for location in profile.location}
    mappings = {mapping.id for mapping in profile.mapping}
    for kind, ids in [("function", functions), ("location", locations), ("mapping", mappings)]:
        if 0 in ids or len(ids) != len(getattr(profile, kind)):
            yield f"numbers of {kind}s are 0 or not unique"
    own, threads = Counter(), set()
    for sample in profile.sample:
        for place in sample.location_id:
            if place not in locations:
                yield f"a sample names location {place}, which is not there"
        leaf = locations[sample.location_id[0]]
        own[text[functions[leaf.line[0].function_id].name]] += sample.value[names.index("cpu")]
        threads |= {text[label.str] for label in sample.label if text[label.key] == "thread"}
    for location in profile.location:
        if location.mapping_id and location.mapping_id not in mappings:
            yield f"location {location.id} names mapping {location.mapping_id}, which is not there"
    for name, nanos in expected["self_cpu"].items():
        if own[name] != nanos:
            yield f"{name}: expected {nanos} ns of its own, found {own[name]}"
    if sorted(threads) != expected["threads"]:
        yield f"expected the threads {expected['threads']}, found {sorted(threads)}"
    if text[profile.default_sample_type] != expected["default_sample_type"]:
        yield f"the default sample type is {text[profile.default_sample_type]!r}"


def main(path, expectations):
    with gzip.open(path) as file:
        profile = profile_class().FromString(file.read())
    with open(expectations, encoding="utf-8") as file:
        expected = json.load(file)
    found = list(problems(profile, expected))
    for problem in found:
        print(f"{path}: {problem}", file=sys.stderr)
    if found:
        return 1
    print(f"{path}: {len(profile.sample)} samples of {len(profile.sample_type)} types are as they should be")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
