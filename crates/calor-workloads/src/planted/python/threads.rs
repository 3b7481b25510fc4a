//! Threads that cannot run at once: for the interpreter's lock, or for one of the program's own.

use super::program;
use crate::planted::{Case, Language, Saves, Twins, Words};

/// Threads that all have Python to run.
pub(super) const INTERPRETER_LOCK: Case = Case {
    name: "python-threads-that-compute",
    rule: "PYTHON-GIL-BOUND",
    also_right: &[],
    language: Language::Python,
    flags: &[],
    options: &["--off-cpu"],
    saves: Saves::Wall,
    write: interpreter_lock,
};

/// A lock that is held while a block is compressed, which would not need it.
pub(super) const LOCK: Case =
    Case { name: "python-lock-held-for-long", rule: "WAIT-LOCK-CONTENTION", write: lock, ..INTERPRETER_LOCK };

fn interpreter_lock(words: &mut Words) -> Twins {
    let work = words.function();
    let template = r#"
import concurrent.futures
import json
$surroundings


def $work(part):
    rows = [{"part": part, "id": number, "values": [number, number * 2]} for number in range(400)]
    total = 0
    for _ in range($rounds):
        text = json.dumps(rows, sort_keys=True)
        total += len(text) + len(json.loads(text))
    return total


def main():
    answer = $around
    with concurrent.futures.$body(max_workers=$workers) as pool:
        answer += sum(pool.map($work, range($parts)))
    print(answer)


if __name__ == "__main__":
    main()
"#;
    let workers = words.between(3, 4);
    let (parts, rounds) = (words.between(12, 14), words.between(90, 110));
    let values =
        &[("work", &work as _), ("workers", &workers as _), ("parts", &parts as _), ("rounds", &rounds as _)];
    program(words, template, ("ThreadPoolExecutor", "ProcessPoolExecutor"), None, values)
}

fn lock(words: &mut Words) -> Twins {
    let work = words.function();
    let slow =
        "with lock:\n            packed = zlib.compress(block, 6)\n            sizes.append(len(packed))";
    let fast = "packed = zlib.compress(block, 6)\n        with lock:\n            sizes.append(len(packed))";
    let template = r#"
import threading
import zlib
$surroundings

lock = threading.Lock()
sizes = []


def $work(part):
    for number in range($blocks):
        block = b"".join(b"%d,%d;" % (part, item * number) for item in range(8000))
        $body


def main():
    answer = $around
    threads = [threading.Thread(target=$work, args=(part,)) for part in range($threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(answer + sum(sizes))


main()
"#;
    let threads = words.between(3, 4);
    let blocks = words.between(90, 100) / threads;
    let values = &[("work", &work as _), ("threads", &threads as _), ("blocks", &blocks as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}
