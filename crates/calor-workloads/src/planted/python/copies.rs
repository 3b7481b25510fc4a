//! Copies that nobody needs: of all that was put together so far, of all that is still to be read, and of whole trees
//! of objects that are only looked at.

use super::program;
use crate::planted::{Case, Language, Saves, Twins, Words};

/// A text or a block that grows by `+=`, copied each time.
pub(super) const JOINED: Case = Case {
    name: "python-block-built-by-adding",
    rule: "CPU-MEMORY-COPIES",
    also_right: &["HEAP-STEPWISE-GROWTH"],
    language: Language::Python,
    flags: &[],
    options: &[],
    saves: Saves::Cpu,
    write: joined,
};

/// The rest of a block, copied for each piece that is taken off its front.
pub(super) const SLICED: Case =
    Case { name: "python-rest-of-a-block-sliced", also_right: &[], write: sliced, ..JOINED };

/// `deepcopy` of what is only read.
pub(super) const DEEP: Case =
    Case { name: "python-deep-copies", rule: "PYTHON-DEEP-COPIES", also_right: &[], write: deep, ..JOINED };

fn joined(words: &mut Words) -> Twins {
    let work = words.function();
    let (slow, fast, least) = [
        (
            "page = b''\n    for number in range(pieces):\n        page += b'%08d,%s;' % (number, filler)\n    return page",
            "return b''.join([b'%08d,%s;' % (number, filler) for number in range(pieces)])",
            17_000,
        ),
        (
            "page = b''\n    number = 0\n    while number < pieces:\n        page = page + b'%08d,' % number + filler + b';'\n        number += 1\n    return page",
            "page = bytearray()\n    for number in range(pieces):\n        page += b'%08d,%s;' % (number, filler)\n    return bytes(page)",
            10_000,
        ),
    ][words.between(0, 1) as usize];
    let template = "
import zlib
$surroundings


def $work(pieces):
    filler = b'$filler' * 6
    $body


def main():
    answer = $around
    answer += zlib.crc32($work($pieces))
    print(answer)


main()
";
    let filler = words.one_of(&["temperature", "wavelength", "attenuation"]);
    let pieces = words.between(least, least + 1_000);
    let values = &[("work", &work as _), ("filler", &filler as _), ("pieces", &pieces as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}

fn sliced(words: &mut Words) -> Twins {
    let work = words.function();
    let slow = "total = 0\n    while block:\n        size = 40 + block[0] % $spread\n        total += sum(block[:size])\n        block = block[size:]\n    return total";
    let fast = "total = 0\n    at = 0\n    while at < len(block):\n        size = 40 + block[at] % $spread\n        total += sum(block[at:at + size])\n        at += size\n    return total";
    let template = "
$surroundings


def $work(block):
    $body


def main():
    answer = $around
    block = bytes(range(256)) * $size
    answer += $work(block)
    print(answer)


main()
";
    let (spread, size) = (words.between(30, 50), words.between(5_600, 6_400));
    let values = &[("work", &work as _), ("spread", &spread as _), ("size", &size as _)];
    program(words, template, (slow, fast), Some(work.clone()), values)
}

fn deep(words: &mut Words) -> Twins {
    let work = words.function();
    let template = r#"
import copy
$surroundings


def $work(settings, request):
    own = $body
    limit = own["$section"]["limits"][request % 8]["rate"]
    return limit * request % 1009


def main():
    answer = $around
    limits = [{"rate": number * 3, "burst": [number, number + 1], "name": "l%d" % number} for number in range(8)]
    settings = {"$section": {"limits": limits, "paths": ["/a", "/b", "/c"]}, "version": (1, 2, 3)}
    for request in range($requests):
        answer += $work(settings, request)
    print(answer)


main()
"#;
    let section = words.one_of(&["routes", "tenants", "models"]);
    let requests = words.between(13_000, 16_000);
    let values = &[("work", &work as _), ("section", &section as _), ("requests", &requests as _)];
    program(words, template, ("copy.deepcopy(settings)", "settings"), Some(work.clone()), values)
}
