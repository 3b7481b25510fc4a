//! Lists that are gone over from one end to the other for each element, so that twice the input takes four times as long.

use super::program;
use crate::planted::{Case, Language, Saves, Twins, Words};

/// Looking whether a list has an element already.
pub(super) const MEMBERS: Case = Case {
    name: "python-search-in-a-list",
    rule: "PYTHON-LIST-SCANS",
    also_right: &[],
    language: Language::Python,
    flags: &[],
    options: &[],
    saves: Saves::Cpu,
    write: members,
};

/// Taking from the front of a list, or putting there, moves all the rest.
pub(super) const FRONT: Case =
    Case { name: "python-front-of-a-list", also_right: &["CPU-MEMORY-COPIES"], write: front, ..MEMBERS };

fn members(words: &mut Words) -> Twins {
    let work = words.function();
    let (slow, fast) = [
        (
            "seen = []\n    kept = 0\n    for item in items:\n        if item not in seen:\n            seen.append(item)\n            kept += item\n    return kept",
            "seen = set()\n    kept = 0\n    for item in items:\n        if item not in seen:\n            seen.add(item)\n            kept += item\n    return kept",
        ),
        (
            "order = sorted(set(items))\n    total = 0\n    for item in items:\n        total += order.index(item)\n    return total",
            "order = {item: place for place, item in enumerate(sorted(set(items)))}\n    total = 0\n    for item in items:\n        total += order[item]\n    return total",
        ),
    ][words.between(0, 1) as usize];
    let template = "
$surroundings


def $work(items):
    $body


def main():
    answer = $around
    items = [number * $step % $distinct for number in range($size)]
    answer += $work(items)
    print(answer)


main()
";
    let step = words.one_of(&["7919", "104729", "1299709"]);
    let (distinct, size) = (words.between(4_000, 5_000), words.between(15_000, 18_000));
    let values =
        &[("work", &work as _), ("step", &step as _), ("distinct", &distinct as _), ("size", &size as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}

fn front(words: &mut Words) -> Twins {
    let work = words.function();
    let (slow, fast) = [
        (
            "pending = list(range(count))\n    done = 0\n    while pending:\n        item = pending.pop(0)\n        done += item * (len(pending) % 7)\n    return done",
            "pending = collections.deque(range(count))\n    done = 0\n    while pending:\n        item = pending.popleft()\n        done += item * (len(pending) % 7)\n    return done",
        ),
        (
            "latest = []\n    for item in range(count):\n        latest.insert(0, item * 3)\n    return latest[0] + latest[count // 2]",
            "latest = collections.deque()\n    for item in range(count):\n        latest.appendleft(item * 3)\n    return latest[0] + latest[count // 2]",
        ),
    ][words.between(0, 1) as usize];
    let template = "
import collections
$surroundings


def $work(count):
    $body


def main():
    answer = $around
    for count in range($first, $last, 1000):
        answer += $work(count)
    print(answer)


main()
";
    let first = words.between(30_000, 34_000);
    let last = first + 3_500;
    let values = &[("work", &work as _), ("first", &first as _), ("last", &last as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}
