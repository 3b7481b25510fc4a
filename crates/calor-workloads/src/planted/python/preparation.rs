//! What can be prepared once is prepared again for each use: patterns and expressions that are compiled from their text.

use super::program;
use crate::planted::{Case, Language, Saves, Twins, Words};

/// More patterns than `re` keeps, each from its text every time.
pub(super) const PATTERNS: Case = Case {
    name: "python-patterns-compiled-again",
    rule: "PYTHON-REPEATED-PREPARATION",
    also_right: &[],
    language: Language::Python,
    flags: &[],
    options: &[],
    saves: Saves::Cpu,
    write: patterns,
};

/// An expression that is read and compiled for each row.
pub(super) const EXPRESSIONS: Case =
    Case { name: "python-expression-evaluated-from-text", write: expressions, ..PATTERNS };

fn patterns(words: &mut Words) -> Twins {
    let work = words.function();
    let slow = "found = 0\n    for name in names:\n        if re.search(r'\\b%s\\s*=\\s*(\\d+|[a-z]{2,9})' % name, line):\n            found += 1\n    return found";
    let fast = "found = 0\n    for name in names:\n        if name not in compiled:\n            compiled[name] = re.compile(r'\\b%s\\s*=\\s*(\\d+|[a-z]{2,9})' % name)\n        if compiled[name].search(line):\n            found += 1\n    return found";
    let template = r#"
import re
$surroundings

compiled = {}


def $work(names, line):
    $body


def main():
    answer = $around + len(compiled)
    names = ["$stem%d" % number for number in range($names)]
    for number in range($lines):
        answer += $work(names, "$stem%d = %d, other " % (number * 5, number) + "and more, " * 200)
    print(answer)


main()
"#;
    let stem = words.one_of(&["field", "key", "column"]);
    let (names, lines) = (words.between(560, 640), words.between(19, 22));
    let values =
        &[("work", &work as _), ("stem", &stem as _), ("names", &names as _), ("lines", &lines as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}

fn expressions(words: &mut Words) -> Twins {
    let work = words.function();
    let slow = "total = 0\n    for price in prices:\n        total += eval(rule, {}, {'price': price, 'count': price % 7})\n    return total";
    let fast = "total = 0\n    code = compile(rule, '<rule>', 'eval')\n    for price in prices:\n        total += eval(code, {}, {'price': price, 'count': price % 7})\n    return total";
    let template = r#"
$surroundings


def $work(rule, prices):
    $body


def main():
    answer = $around
    answer += $work("price * $factor + (count * $other if price > $limit else count) - $limit", range($size))
    print(answer)


main()
"#;
    let (factor, other, limit) = (words.between(2, 9), words.between(2, 9), words.between(100, 900));
    let size = words.between(32_000, 40_000);
    let values = &[
        ("work", &work as _),
        ("factor", &factor as _),
        ("other", &other as _),
        ("limit", &limit as _),
        ("size", &size as _),
    ];
    program(words, template, (slow, fast), Some(work.clone()), values)
}
