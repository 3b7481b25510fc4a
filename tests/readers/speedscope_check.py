"""Checks a speedscope file that Calor wrote against the schema of the speedscope package.

    python speedscope_check.py SCHEMA.json FILE.json [MORE.json ...]

The schema is `dist/release/file-format-schema.json` of the npm package. Beyond it, what the viewer relies on is
checked: frame indexes inside the table, as many weights as samples, opens and closes that pair up in order of time.
Exit code 0 when every file holds, 1 with one line for each fault otherwise.
"""

import json
import sys

import jsonschema


def faults_of(profile, n_frames):
    name = profile["name"]
    if profile["type"] == "sampled":
        if len(profile["samples"]) != len(profile["weights"]):
            yield f"{name}: {len(profile['samples'])} samples and {len(profile['weights'])} weights"
        if any(not 0 <= frame < n_frames for stack in profile["samples"] for frame in stack):
            yield f"{name}: a frame outside the table"
        return
    open_frames, last = [], profile["startValue"]
    for event in profile["events"]:
        if event["at"] < last:
            yield f"{name}: time goes back to {event['at']}"
        last = event["at"]
        if not 0 <= event["frame"] < n_frames:
            yield f"{name}: a frame outside the table"
        if event["type"] == "O":
            open_frames.append(event["frame"])
        elif not open_frames or open_frames.pop() != event["frame"]:
            yield f"{name}: frame {event['frame']} closes where it is not the innermost"
    if open_frames:
        yield f"{name}: {len(open_frames)} frames are never closed"


def main(schema_path, *paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    faults = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        faults += [f"{path}: {error.message}" for error in jsonschema.Draft7Validator(schema).iter_errors(document)]
        if not document["profiles"]:
            faults.append(f"{path}: no profile in it")
        for profile in document["profiles"]:
            faults += [f"{path}: {fault}" for fault in faults_of(profile, len(document["shared"]["frames"]))]
    print("\n".join(faults[:20]) or f"{len(paths)} speedscope files are as they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
