//! Programs in Python that do what they are for in the usual way: whatever is found in them is false.

use crate::planted::template::fill;
use crate::planted::{Healthy, Language, Words};

const PLAIN: Healthy =
    Healthy { name: "", language: Language::Python, flags: &[], options: &["--off-cpu"], write: documents };

pub(super) const PROGRAMS: &[Healthy] = &[
    Healthy { name: "python-documents", ..PLAIN },
    Healthy { name: "python-request-handler", write: handler, ..PLAIN },
    Healthy { name: "python-event-loop", write: event_loop, ..PLAIN },
    Healthy { name: "python-sorting", options: &["--heap"], write: sorting, ..PLAIN },
    Healthy { name: "python-log-patterns", write: log_patterns, ..PLAIN },
    Healthy { name: "python-compression", write: compression, ..PLAIN },
    Healthy { name: "python-simulation-of-objects", write: objects, ..PLAIN },
    Healthy { name: "python-table-of-a-database", options: &["--heap"], write: database, ..PLAIN },
    Healthy { name: "python-parser-by-descent", write: parser, ..PLAIN },
    Healthy { name: "numpy-training-step", language: Language::Numpy, write: training, ..PLAIN },
];

/// Documents are read, changed and written.
fn documents(words: &mut Words) -> String {
    let (change, size) = (words.function(), words.between(4_000, 4_600));
    let template = r#"
import json


def $change(document):
    document["total"] = sum(item["price"] * item["count"] for item in document["items"])
    document["items"] = [item for item in document["items"] if item["count"]]
    return document


def main():
    items = [{"name": "item %d" % n, "price": n * 3, "count": n % 4, "tags": ["a", "b"]} for n in range(120)]
    text = json.dumps({"id": 1, "items": items})
    answer = 0
    for _ in range($size):
        answer += len(json.dumps($change(json.loads(text))))
    print(answer)


main()
"#;
    fill(template, &[("change", &change), ("size", &size)])
}

/// Requests are routed, checked, worked on and answered, each by functions of its own.
fn handler(words: &mut Words) -> String {
    let names = [words.function(), words.function(), words.function(), words.function()];
    let template = r#"
import hashlib
import json
import urllib.parse


def $parse(line):
    parts = urllib.parse.urlsplit(line)
    return parts.path, dict(urllib.parse.parse_qsl(parts.query))


def $verify(query):
    signed = "&".join("%s=%s" % pair for pair in sorted(query.items()) if pair[0] != "sign")
    return hashlib.sha256(signed.encode()).hexdigest()


def $list_users(query):
    first = int(query["page"]) % 50
    return {"users": [{"id": n, "name": "user %d" % n} for n in range(first, first + 20)]}


def $respond(line):
    path, query = $parse(line)
    body = {"path": path, "proof": $verify(query)}
    if path == "/users":
        body.update($list_users(query))
    return json.dumps(body, sort_keys=True)


def main():
    answer = 0
    for number in range($size):
        path = ("users", "status", "users")[number % 3]
        answer += len($respond("http://localhost/%s?page=%d&order=name&sign=x%d" % (path, number, number * 7)))
    print(answer)


main()
"#;
    let size = words.between(26_000, 30_000);
    fill(
        template,
        &[
            ("parse", &names[0]),
            ("verify", &names[1]),
            ("list_users", &names[2]),
            ("respond", &names[3]),
            ("size", &size),
        ],
    )
}

/// Tasks of an event loop that wait for timers and queues, beside some work.
fn event_loop(words: &mut Words) -> String {
    let (produce, consume) = (words.function(), words.function());
    let template = r#"
import asyncio
import zlib


async def $produce(queue, count):
    for number in range(count):
        await queue.put(b"%d," % number * 4000)
        if number % 50 == 0:
            await asyncio.sleep(0.001)
    await queue.put(None)


async def $consume(queue):
    total = 0
    while True:
        block = await queue.get()
        if block is None:
            return total
        total += zlib.crc32(block) + len(zlib.compress(block, 1))


async def main():
    queues = [asyncio.Queue(maxsize=10) for _ in range(4)]
    producers = [asyncio.ensure_future($produce(queue, $count)) for queue in queues]
    totals = await asyncio.gather(*[$consume(queue) for queue in queues])
    await asyncio.gather(*producers)
    print(sum(totals))


asyncio.run(main())
"#;
    let count = words.between(3_600, 4_200);
    fill(template, &[("produce", &produce), ("consume", &consume), ("count", &count)])
}

/// Records are sorted by several keys, grouped and merged.
fn sorting(words: &mut Words) -> String {
    let (rank, size) = (words.function(), words.between(50_000, 60_000));
    let template = r#"
import heapq
import itertools
import operator


def $rank(records):
    records = sorted(records, key=operator.itemgetter(1, 0))
    groups = itertools.groupby(records, key=operator.itemgetter(1))
    best = [max(group) for _, group in groups]
    return sum(score for score, _, _ in heapq.nlargest(100, best))


def main():
    answer = 0
    for step in (7919, 104729, 1299709, 15485863):
        records = [(n * step % 65537, n * step % 1009, "name %d" % n) for n in range($size)]
        answer += $rank(records)
        answer += len(list(heapq.merge(sorted(records[::2]), sorted(records[1::2]))))
    print(answer)


main()
"#;
    fill(template, &[("rank", &rank), ("size", &size)])
}

/// Lines of a log are taken apart by a pattern that is compiled once.
fn log_patterns(words: &mut Words) -> String {
    let (summary, size) = (words.function(), words.between(400_000, 460_000));
    let template = r#"
import collections
import re

LINE = re.compile(r"(\d+)-(\d+)-(\d+) (\w+) \[(\w+)\] (?:GET|POST) (/[\w/]*) in (\d+) ms")


def $summary(lines):
    levels, times = collections.Counter(), collections.defaultdict(int)
    for line in lines:
        found = LINE.match(line)
        if found:
            levels[found.group(4)] += 1
            times[found.group(6)] += int(found.group(7))
    return sum(levels.values()) + sum(times.values())


def main():
    lines = ["2026-11-%02d INFO [worker] GET /a/b%d in %d ms" % (n % 28 + 1, n % 90, n % 700) for n in range($size)]
    print($summary(lines))


main()
"#;
    fill(template, &[("summary", &summary), ("size", &size)])
}

/// Blocks are compressed by a pool of threads, which need the interpreter next to never.
fn compression(words: &mut Words) -> String {
    let (pack, size) = (words.function(), words.between(60, 70));
    let template = r#"
import concurrent.futures
import os
import zlib


def $pack(number):
    block = b"".join(b"%d;" % (n * number) for n in range(12000))
    return len(zlib.compress(block, 9)) + len(zlib.compress(block[::-1], 9))


def main():
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        print(sum(pool.map($pack, range($size))))


main()
"#;
    fill(template, &[("pack", &pack), ("size", &size)])
}

/// Objects with methods that call each other: the time is spread over many functions.
fn objects(words: &mut Words) -> String {
    let names = [words.function(), words.function(), words.function(), words.function()];
    let template = r#"
import dataclasses
import heapq


@dataclasses.dataclass(order=True)
class Event:
    at: int
    station: int
    item: int


@dataclasses.dataclass
class Station:
    number: int
    waiting: list = dataclasses.field(default_factory=list)
    served: int = 0

    def $arrive(self, item, clock):
        self.waiting.append(item)
        return Event(clock + self.$effort(item), self.number, item)

    def $effort(self, item):
        return 3 + (item * 31 + self.number * 7) % 11

    def $leave(self, item):
        self.waiting.remove(item)
        self.served += 1
        return (self.number + item) % 5


def $simulate(count):
    stations = [Station(number) for number in range(5)]
    events = []
    for item in range(count):
        heapq.heappush(events, stations[item % 5].$arrive(item, item * 4))
        while events and events[0].at <= item * 4:
            event = heapq.heappop(events)
            following = stations[event.station].$leave(event.item)
            if event.item % 3 == 0 and event.item < count:
                heapq.heappush(events, stations[following].$arrive(event.item + count, event.at))
    return sum(station.served for station in stations)


def main():
    print($simulate($size))


main()
"#;
    let size = words.between(240_000, 280_000);
    fill(
        template,
        &[
            ("arrive", &names[0]),
            ("effort", &names[1]),
            ("leave", &names[2]),
            ("simulate", &names[3]),
            ("size", &size),
        ],
    )
}

/// A table is filled in one go, indexed and asked.
fn database(words: &mut Words) -> String {
    let (ask, rows) = (words.function(), words.between(110_000, 130_000));
    let template = r#"
import sqlite3


def $ask(connection, town):
    query = "SELECT street, COUNT(*), SUM(price) FROM house WHERE town = ? GROUP BY street ORDER BY 3 DESC"
    return sum(row[2] for row in connection.execute(query, (town,)))


def main():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE house (town INTEGER, street TEXT, price INTEGER)")
    rows = ((n % 97, "street %d" % (n % 1013), n % 5003) for n in range($rows))
    with connection:
        connection.executemany("INSERT INTO house VALUES (?, ?, ?)", rows)
    connection.execute("CREATE INDEX by_town ON house (town)")
    print(sum($ask(connection, town) for _ in range(3) for town in range(97)))


main()
"#;
    fill(template, &[("ask", &ask), ("rows", &rows)])
}

/// Expressions are taken apart and worked out by functions that call each other.
fn parser(words: &mut Words) -> String {
    let names = [words.function(), words.function(), words.function(), words.function()];
    let template = r#"
import re

TOKEN = re.compile(r"\s*(\d+|[-+*/()])")


def $tokens(text):
    found = TOKEN.findall(text)
    found.reverse()
    return found


def $sum_of(tokens):
    value = $product_of(tokens)
    while tokens and tokens[-1] in "+-":
        value = value + $product_of(tokens) if tokens.pop() == "+" else value - $product_of(tokens)
    return value


def $product_of(tokens):
    value = $value_of(tokens)
    while tokens and tokens[-1] in "*/":
        value = value * $value_of(tokens) if tokens.pop() == "*" else value // max(1, $value_of(tokens))
    return value


def $value_of(tokens):
    token = tokens.pop()
    if token == "(":
        value = $sum_of(tokens)
        tokens.pop()
        return value
    return int(token)


def main():
    answer = 0
    for number in range($size):
        answer += $sum_of($tokens("(%d + 4) * (17 - %d / 3) + 2 * (8 - (3 + %d))" % (number, number, number % 7)))
    print(answer % 1000003)


main()
"#;
    let size = words.between(90_000, 100_000);
    fill(
        template,
        &[
            ("tokens", &names[0]),
            ("sum_of", &names[1]),
            ("product_of", &names[2]),
            ("value_of", &names[3]),
            ("size", &size),
        ],
    )
}

/// A network of two layers learns: products of matrices, with the loss worked out on whole arrays.
fn training(words: &mut Words) -> String {
    let (step, steps) = (words.function(), words.between(24, 28));
    let template = r#"
import numpy as np


def $step(inputs, targets, weights, rate):
    hidden = np.maximum(inputs @ weights[0], 0)
    outputs = hidden @ weights[1]
    error = outputs - targets
    gradient = error @ weights[1].T * (hidden > 0)
    weights[1] -= rate * (hidden.T @ error) / len(inputs)
    weights[0] -= rate * (inputs.T @ gradient) / len(inputs)
    return float((error * error).mean())


def main():
    source = np.random.RandomState(7)
    inputs = source.rand(512, 256).astype(np.float32)
    targets = inputs @ source.rand(256, 16).astype(np.float32)
    weights = [source.rand(256, 384).astype(np.float32) / 20, source.rand(384, 16).astype(np.float32) / 20]
    first = $step(inputs, targets, weights, np.float32(0.0001))
    for _ in range($steps):
        last = $step(inputs, targets, weights, np.float32(0.0001))
    print(last < first)


main()
"#;
    fill(template, &[("step", &step), ("steps", &steps)])
}
