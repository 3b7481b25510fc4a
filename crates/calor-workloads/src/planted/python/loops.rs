//! Loops that the interpreter runs element by element, where a built-in function goes over the data.

use super::program;
use crate::planted::{Case, Language, Saves, Twins, Words};

const RULE: &str = "PYTHON-INTERPRETED-LOOP";

/// Sums over numbers.
pub(super) const NUMBERS: Case = Case {
    name: "python-loop-over-numbers",
    rule: RULE,
    also_right: &[],
    language: Language::Python,
    flags: &[],
    options: &[],
    saves: Saves::Cpu,
    write: numbers,
};

/// Counting what occurs how often.
pub(super) const COUNTING: Case = Case { name: "python-loop-that-counts", write: counting, ..NUMBERS };

/// A function of one line that is called for each element.
pub(super) const CALLS: Case = Case { name: "python-small-function-called-often", write: calls, ..NUMBERS };

fn numbers(words: &mut Words) -> Twins {
    let work = words.function();
    let (slow, fast) = [
        (
            "found = 0\n    for i in range(len(left)):\n        if left[i] == $wanted:\n            found += right[0]\n    return found",
            "return left.count($wanted) * right[0]",
        ),
        (
            "total = 0\n    for one, other in zip(left, right):\n        total += one - other\n    return total * $wanted",
            "return (sum(left) - sum(right)) * $wanted",
        ),
        (
            "most = 0\n    for values in (left, right):\n        for value in values:\n            if value > most:\n                most = value\n    return most * $wanted",
            "return max(max(left), max(right)) * $wanted",
        ),
    ][words.between(0, 2) as usize];
    let template = "
$surroundings


def $work(left, right):
    $body


def main():
    left = [number * 37 % 1009 for number in range($size)]
    right = [number * 101 % 997 for number in range($size)]
    answer = $around
    for _ in range($repeats):
        answer += $work(left, right)
    print(answer)


main()
";
    let (size, repeats) = (words.between(80_000, 120_000), words.between(100, 130));
    let wanted = words.between(2, 900);
    program(
        words,
        template,
        (slow, fast),
        Some(work.clone()),
        &[("work", &work), ("size", &size), ("repeats", &repeats), ("wanted", &wanted)],
    )
}

fn counting(words: &mut Words) -> Twins {
    let work = words.function();
    let slow = [
        "counts = {}\n    for item in items:\n        if item in counts:\n            counts[item] += 1\n        else:\n            counts[item] = 1\n    return counts",
        "counts = {}\n    for item in items:\n        counts[item] = counts.get(item, 0) + 1\n    return counts",
    ][words.between(0, 1) as usize];
    let fast = "return {item: items.count(item) for item in set(items)}";
    let template = r#"
$surroundings


def $work(items):
    $body


def main():
    answer = $around
    text = "$text" * $size
    for _ in range($repeats):
        counts = $work(text)
        answer += len(counts) + max(counts.values())
    print(answer)


main()
"#;
    let text = words.one_of(&["the heat of a machine ", "where does the time go ", "samples and scopes "]);
    let (size, repeats) = (words.between(9_000, 12_000), words.between(60, 75));
    program(
        words,
        template,
        (slow, fast),
        Some(work.clone()),
        &[("work", &work), ("text", &text), ("size", &size), ("repeats", &repeats)],
    )
}

fn calls(words: &mut Words) -> Twins {
    let (work, small) = (words.function(), words.function());
    let slow = "total = 0\n    for value in values:\n        total += $small(value)\n    return total";
    let fast = "return $factor * sum(values) + $term * len(values)";
    let template = "
$surroundings


def $small(value):
    return value * $factor + $term


def $work(values):
    $body


def main():
    answer = $around + $small(1)
    values = list(range($size))
    for _ in range($repeats):
        answer += $work(values)
    print(answer)


main()
";
    let (size, repeats) = (words.between(80_000, 120_000), words.between(75, 90));
    let (factor, term) = (words.between(2, 9), words.between(2, 9));
    program(
        words,
        template,
        (slow, fast),
        None,
        &[
            ("work", &work),
            ("small", &small),
            ("size", &size),
            ("repeats", &repeats),
            ("factor", &factor),
            ("term", &term),
        ],
    )
}
