//! Threads that stand still for what is elsewhere while nothing else runs: for answers, for the next block, for the next
//! batch. A process beside the program stands for what is elsewhere, and a sleep for the way to it.

use super::program;
use crate::planted::{Case, Language, Saves, Twins, Words};

/// One request after the other, where one could ask for many.
pub(super) const REQUESTS: Case = Case {
    name: "python-request-for-each-key",
    rule: "WAIT-BLOCKING-IO",
    also_right: &[],
    language: Language::Python,
    flags: &[],
    options: &["--off-cpu"],
    saves: Saves::Wall,
    write: requests,
};

/// Blocks that are read and worked on in turns, where the next could be read meanwhile.
pub(super) const READING: Case = Case {
    name: "python-blocks-read-in-turn",
    also_right: &["PYTHON-INPUT-BOUND"],
    write: reading,
    ..REQUESTS
};

/// Steps that wait for one loader, where several could load.
pub(super) const LOADING: Case =
    Case { name: "python-steps-wait-for-a-loader", rule: "PYTHON-INPUT-BOUND", write: loading, ..REQUESTS };

fn requests(words: &mut Words) -> Twins {
    let (work, serve, settle) = (words.function(), words.function(), words.function());
    let slow = "for key in keys:\n        stream.write(b'%d\\n' % key)\n        stream.flush()\n        total += $settle(int(stream.readline()))";
    let fast = "for first in range(0, len(keys), 64):\n        stream.write(b' '.join(b'%d' % key for key in keys[first:first + 64]) + b'\\n')\n        stream.flush()\n        total += sum($settle(int(value)) for value in stream.readline().split())";
    let template = r#"
import hashlib
import multiprocessing
import socket
import time
$surroundings


def $serve(connection):
    stream = connection.makefile("rwb")
    for line in stream:
        if line == b"end\n":
            break
        time.sleep($millis / 1000)
        stream.write(b" ".join(b"%d" % (int(key) * 7 % 1009) for key in line.split()) + b"\n")
        stream.flush()


def $settle(value):
    return sum(hashlib.sha256(b"%d" % value * $size).digest())


def $work(stream, keys):
    total = 0
    $body
    return total


def main():
    answer = $around
    ours, theirs = socket.socketpair()
    service = multiprocessing.Process(target=$serve, args=(theirs,))
    service.start()
    stream = ours.makefile("rwb")
    answer += $work(stream, list(range($keys)))
    stream.write(b"end\n")
    stream.flush()
    service.join()
    print(answer)


if __name__ == "__main__":
    main()
"#;
    let (millis, keys) = (words.between(2, 4), words.between(260, 320));
    let size = words.between(150_000, 200_000);
    let values = &[
        ("work", &work as _),
        ("serve", &serve as _),
        ("settle", &settle as _),
        ("millis", &millis as _),
        ("size", &size as _),
        ("keys", &keys as _),
    ];
    program(words, template, (slow, fast), Some(work.clone()), values)
}

fn reading(words: &mut Words) -> Twins {
    let (work, serve, fetch) = (words.function(), words.function(), words.function());
    let slow = "for _ in range(count):\n        total += $digest($fetch(stream))";
    let fast = "blocks = queue.Queue(maxsize=8)\n    ahead = threading.Thread(target=lambda: [blocks.put($fetch(stream)) for _ in range(count)])\n    ahead.start()\n    for _ in range(count):\n        total += $digest(blocks.get())\n    ahead.join()";
    let template = r#"
import hashlib
import multiprocessing
import queue
import socket
import threading
import time
$surroundings


def $serve(connection):
    stream = connection.makefile("rwb")
    block = bytes(range(250)) * $size
    for line in stream:
        if line == b"end\n":
            break
        time.sleep($millis / 1000)
        stream.write(block)
        stream.flush()


def $fetch(stream):
    stream.write(b"next\n")
    stream.flush()
    return stream.read(250 * $size)


def $digest(block):
    return sum(hashlib.sha512(block * $times).digest())


def $work(stream, count):
    total = 0
    $body
    return total


def main():
    answer = $around
    ours, theirs = socket.socketpair()
    service = multiprocessing.Process(target=$serve, args=(theirs,))
    service.start()
    stream = ours.makefile("rwb")
    answer += $work(stream, $count)
    stream.write(b"end\n")
    stream.flush()
    service.join()
    print(answer, queue.Queue().qsize(), threading.active_count())


if __name__ == "__main__":
    main()
"#;
    let (digest, times) = (words.function(), words.between(90, 110));
    let (millis, count, size) = (words.between(3, 5), words.between(110, 130), words.between(200, 250));
    let values = &[
        ("work", &work as _),
        ("serve", &serve as _),
        ("fetch", &fetch as _),
        ("digest", &digest as _),
        ("times", &times as _),
        ("millis", &millis as _),
        ("size", &size as _),
        ("count", &count as _),
    ];
    program(words, template, (slow, fast), Some(fetch.clone()), values)
}

fn loading(words: &mut Words) -> Twins {
    let (load, train, step) = (words.function(), words.function(), words.function());
    let template = r#"
import hashlib
import queue
import threading
import time
$surroundings


def $load(numbers, batches):
    while True:
        try:
            number = numbers.get_nowait()
        except queue.Empty:
            return
        time.sleep($millis / 1000)
        batches.put(b"%d," % number * $size)


def $step(batch):
    return sum(hashlib.sha512(batch).digest())


def $train(batches, steps):
    total = 0
    for _ in range(steps):
        batch = batches.get()
        total += $step(batch)
    return total


def main():
    answer = $around
    numbers, batches = queue.Queue(), queue.Queue(maxsize=16)
    for number in range($steps):
        numbers.put(1000 + number)
    loaders = [threading.Thread(target=$load, args=(numbers, batches)) for _ in range($body)]
    for loader in loaders:
        loader.start()
    answer += $train(batches, $steps)
    for loader in loaders:
        loader.join()
    print(answer)


main()
"#;
    let (millis, steps, size) =
        (words.between(9, 12), words.between(110, 130), words.between(300_000, 400_000));
    let values = &[
        ("load", &load as _),
        ("train", &train as _),
        ("step", &step as _),
        ("millis", &millis as _),
        ("steps", &steps as _),
        ("size", &size as _),
    ];
    program(words, template, ("1", "6"), Some(train.clone()), values)
}
