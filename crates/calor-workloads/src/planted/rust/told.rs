//! Programs that tell of their work with Calor's scopes: rows that are stored one by one, a cache whose keys never come
//! again, a summary that is made anew now and then, a step that all threads wait for, and passes over data that no cache
//! holds. They record themselves into the file that they are given, and run without a recorder where they are given none.

use super::surroundings::Surroundings;
use super::{CPU, Case};
use crate::planted::{Language, Saves, Twins, Words};

pub(super) const TOLD: Case = Case { language: Language::RustWithCalor, ..CPU };

pub(super) const BATCHABLE: Case =
    Case { name: "row-by-row", rule: "CPU-BATCHABLE-CALLS", write: batchable, ..TOLD };
pub(super) const CACHE: Case =
    Case { name: "keys-that-never-return", rule: "CPU-INEFFECTIVE-CACHE", write: cache, ..TOLD };
pub(super) const TAIL: Case =
    Case { name: "summary-made-anew", rule: "CPU-LATENCY-TAIL", write: tail, ..TOLD };
pub(super) const SERIAL: Case = Case {
    name: "one-thread-prepares",
    rule: "CPU-CRITICAL-SCOPE",
    saves: Saves::Wall,
    write: serial,
    ..TOLD
};
pub(super) const PASSES: Case =
    Case { name: "pass-after-pass", rule: "MACHINE-BANDWIDTH-BOUND", write: passes, ..TOLD };

/// What every such program begins with.
pub(super) const START: &str = "
    let _recording = std::env::args().nth(1).map(calor::start_recording);
";

const MIX: &str = "
#[inline(never)]
fn $work(item: u64, steps: u64) -> u64 {
    (0..steps).fold(item, |sum, step| sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step ^ $mask))
}
";

fn told(around: &Surroundings, items: &str, main: &str, values: &[(&str, &dyn std::fmt::Display)]) -> String {
    around.program(&[MIX, items].concat(), &[START, main].concat(), values)
}

const STORE: &str = "
struct Store {
    rows: Vec<u64>,
}

impl Store {
    /// Each call checks the store's head before anything is added.
    fn add(&mut self, rows: &[u64]) -> u64 {
        let head = $work(7, $price);
        self.rows.extend(rows.iter().map(|row| row ^ $work(*row, $each)));
        head & 1
    }
}

fn $name(store: &mut Store, rows: &[u64]) -> u64 {
    calor::scope!(\"$name\");
    let mut odd = 0;
    for rows in rows.chunks($together) {
        calor::scope!(\"$scope\", elements = rows.len() as u64);
        odd |= store.add(rows);
    }
    odd
}
";

const STORE_ALL: &str = "
    let mut store = Store { rows: Vec::new() };
    let rows: Vec<u64> = (0..$rows).collect();
    let odd = rows.chunks(2_000).fold(0, |odd, rows| odd | $name(&mut store, rows));
    println!(\"{odd} {}\", store.rows.iter().fold(0, |sum, row| sum ^ row));
";

fn batchable(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (60, 200));
    let (name, scope, work) = (words.function(), words.function(), words.function());
    let (price, each) = (words.between(4_000, 20_000), words.between(300, 1_500));
    let rows = 1_000_000_000 / (price + each);
    let (mask, few, many) = (words.between(1, 1 << 20), words.between(1, 3), words.between(100, 500));
    let values = |together| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("scope", &scope),
            ("work", &work),
            ("price", &price),
            ("each", &each),
            ("rows", &rows),
            ("mask", &mask),
            ("together", together),
        ]
    };
    Twins {
        planted: told(&around, STORE, STORE_ALL, &values(&few)),
        healthy: told(&around, STORE, STORE_ALL, &values(&many)),
        function: Some(scope.clone()),
    }
}

const LOOKED_UP: &str = "
struct Question {
    subject: u64,
    number: u64,
}

fn $name(cache: &mut std::collections::HashMap<(u64, u64), u64>, question: &Question) -> u64 {
    let scope = calor::open!(\"$name\");
    if let Some(answer) = cache.get(&$key) {
        scope.add(\"hits\", 1);
        return *answer;
    }
    scope.add(\"misses\", 1);
    let answer = $work(question.subject, $steps);
    cache.insert($key, answer);
    answer
}
";

const ASK: &str = "
    let mut cache = std::collections::HashMap::new();
    let mut total = 0u64;
    for number in 0..black_box($rounds) {
        let question = Question { subject: number * 7 % $subjects, number };
        total = total.wrapping_mul(31).wrapping_add($name(&mut cache, &question));
    }
    println!(\"{total}\");
";

fn cache(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (120, 300));
    let (name, work) = (words.function(), words.function());
    let steps = words.between(8_000, 30_000);
    let rounds = 900_000_000 / steps;
    let (subjects, mask) = (rounds / words.between(6, 14), words.between(1, 1 << 20));
    let values = |key| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("work", &work),
            ("steps", &steps),
            ("rounds", &rounds),
            ("subjects", &subjects),
            ("mask", &mask),
            ("key", key),
        ]
    };
    Twins {
        planted: told(&around, LOOKED_UP, ASK, &values(&"(question.subject, question.number)")),
        healthy: told(&around, LOOKED_UP, ASK, &values(&"(question.subject, 0)")),
        function: Some(name.clone()),
    }
}

const SUMMARY: &str = "
struct Log {
    rows: Vec<u64>,
    summary: u64,
}

fn $name(log: &mut Log, row: u64) {
    calor::scope!(\"$name\");
    log.rows.push($work(row, $steps));
    $summarise
}
";

const APPEND: &str = "
    let mut log = Log { rows: Vec::new(), summary: 0 };
    let mut total = 0u64;
    for row in 0..black_box($rounds) {
        $name(&mut log, row);
        total = total.wrapping_add(if log.rows.len() % $every == 1 { log.summary } else { 0 });
        if log.rows.len() == 4_096 {
            log = Log { rows: Vec::new(), summary: 0 };
        }
    }
    println!(\"{total}\");
";

fn tail(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (60, 200));
    let (name, work) = (words.function(), words.function());
    let (steps, every, mask) = (words.between(500, 1_500), words.between(20, 60), words.between(1, 1 << 20));
    // A row is gone over again about 2,048 times in `every` calls.
    let again = words.between(30, 80);
    let rounds = 900_000_000 / (steps + 2_048 * again / every);
    let anew = format!(
        "if log.rows.len() % {every} == 1 {{
        log.summary = log.rows.iter().fold(0, |sum, row| sum ^ $work(*row, {again}));
    }}"
    );
    let by_row = format!("log.summary ^= $work(log.rows[log.rows.len() - 1], {again});");
    let values = |summarise| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("work", &work),
            ("steps", &steps),
            ("rounds", &rounds),
            ("every", &every),
            ("mask", &mask),
            ("summarise", summarise),
        ]
    };
    Twins {
        planted: told(&around, SUMMARY, APPEND, &values(&anew)),
        healthy: told(&around, SUMMARY, APPEND, &values(&by_row)),
        function: Some(name.clone()),
    }
}

const PREPARED: &str = "
fn part(of: std::ops::Range<u64>) -> Vec<u64> {
    of.map(|item| $work(item, $steps)).collect()
}

fn $name(n: u64) -> Vec<u64> {
    $prepare
}

fn $use(table: &[u64], thread: u64) -> u64 {
    calor::scope!(\"$use\");
    (0..$uses).fold(thread, |sum, n| sum ^ $work(table[(n * 7 + thread) as usize % table.len()], $steps))
}
";

const ALONE: &str = "calor::scope!(\"$name\");
    part(0..n)";

const TOGETHER: &str = "calor::sync::scope(|scope| {
        let halves = [0..n / 2, n / 2..n].map(|half| {
            scope.spawn(move || {
                calor::scope!(\"$name\");
                part(half)
            })
        });
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    })";

const PREPARE_AND_USE: &str = "
    let mut total = 0u64;
    for round in 0..black_box($rounds) {
        let table = $name($items + round);
        total ^= calor::sync::scope(|scope| {
            let table = &table;
            let threads = [1, 2].map(|thread| scope.spawn(move || $use(table, thread)));
            threads.into_iter().fold(0, |sum, thread| sum ^ thread.join().unwrap())
        });
    }
    println!(\"{total}\");
";

fn serial(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (5, 10));
    let (name, usage, work) = (words.function(), words.function(), words.function());
    let (steps, rounds, mask) = (words.between(2_000, 8_000), words.between(4, 9), words.between(1, 1 << 20));
    let items = 500_000_000 / (steps * rounds);
    let uses = items / words.between(3, 6);
    let values = |prepare| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("use", &usage),
            ("work", &work),
            ("steps", &steps),
            ("rounds", &rounds),
            ("mask", &mask),
            ("items", &items),
            ("uses", &uses),
            ("prepare", prepare),
        ]
    };
    Twins {
        planted: told(&around, PREPARED, PREPARE_AND_USE, &values(&ALONE)),
        healthy: told(&around, PREPARED, PREPARE_AND_USE, &values(&TOGETHER)),
        function: Some(name.clone()),
    }
}

const STEPS: &str = "
#[inline(never)]
fn shift(values: &mut [f32]) {
    calor::scope!(\"shift\", bytes = values.len() as u64 * 8);
    values.iter_mut().for_each(|value| *value += $shift);
}

#[inline(never)]
fn scale(values: &mut [f32]) {
    calor::scope!(\"scale\", bytes = values.len() as u64 * 8);
    values.iter_mut().for_each(|value| *value *= 0.5);
}

#[inline(never)]
fn clamp(values: &mut [f32]) {
    calor::scope!(\"clamp\", bytes = values.len() as u64 * 8);
    values.iter_mut().for_each(|value| *value = value.min($most));
}

fn $name(values: &mut [f32]) {
    calor::scope!(\"$name\");
    for values in values.chunks_mut($piece) {
        shift(values);
        scale(values);
        clamp(values);
    }
}
";

const PASS: &str = "
    let mut values: Vec<f32> = (0..$length).map(|n| (n % 1_001) as f32).collect();
    for _ in 0..black_box($rounds) {
        $name(black_box(&mut values));
    }
    println!(\"{}\", values[$length / 2]);
";

fn passes(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (40, 100));
    let (name, work) = (words.function(), words.function());
    let length = words.between(24, 32) << 20;
    let (rounds, shift, most) = (words.between(12, 18), words.between(1, 50), words.between(500, 900));
    let (shift, most) = (format!("{shift}.0"), format!("{most}.0"));
    let (all, few) = ("usize::MAX", 16_384);
    let values = |piece| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("work", &work),
            ("mask", &1),
            ("length", &length),
            ("rounds", &rounds),
            ("shift", &shift),
            ("most", &most),
            ("piece", piece),
        ]
    };
    Twins {
        planted: told(&around, STEPS, PASS, &values(&all)),
        healthy: told(&around, STEPS, PASS, &values(&few)),
        function: Some(name.clone()),
    }
}
