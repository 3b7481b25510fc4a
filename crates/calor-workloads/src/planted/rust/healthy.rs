//! Programs that do what they do as well as it is usually done: what is found in them is false.

use crate::planted::template::{Values, fill};
use crate::planted::{Healthy, Language, Words};

const PLAIN: Healthy =
    Healthy { name: "", language: Language::Rust, flags: &[], options: &[], write: |_| String::new() };
const ALL: &[&str] = &["--heap", "--off-cpu"];

pub(super) const SORTING: Healthy = Healthy { name: "sorting", options: ALL, write: sorting, ..PLAIN };
pub(super) const ORDERED_MAP: Healthy =
    Healthy { name: "ordered-map", options: ALL, write: ordered_map, ..PLAIN };
pub(super) const WORD_COUNT: Healthy =
    Healthy { name: "word-count", options: ALL, write: word_count, ..PLAIN };
pub(super) const FILTER: Healthy = Healthy { name: "recursive-filter", write: filter, ..PLAIN };
pub(super) const PRODUCT: Healthy = Healthy {
    name: "matrix-product",
    flags: &["-Ctarget-cpu=native"],
    options: ALL,
    write: product,
    ..PLAIN
};
pub(super) const SHAPES: Healthy = Healthy { name: "trait-objects", write: shapes, ..PLAIN };
pub(super) const WORKERS: Healthy =
    Healthy { name: "pool-of-workers", options: ALL, write: workers, ..PLAIN };
pub(super) const BODIES: Healthy = Healthy { name: "bodies-in-space", write: bodies, ..PLAIN };
pub(super) const STREAM: Healthy =
    Healthy { name: "stream-at-the-roof", language: Language::RustWithCalor, write: stream, ..PLAIN };

const DRAW: &str = "
use std::hint::black_box;

fn draw(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
";

fn program(text: &str, values: &Values<'_>) -> String {
    format!("#![allow(dead_code, unused_imports)]\n{}{}", fill(DRAW, values), fill(text, values))
}

fn sorting(words: &mut Words) -> String {
    let (name, length) = (words.function(), words.between(300_000, 700_000));
    program(
        "
fn $name(values: &mut [u64], state: &mut u64) -> u64 {
    values.fill_with(|| draw(state));
    values.sort_unstable_by_key(|value| value.rotate_left(9));
    values[$length / 3] ^ values[0]
}

fn main() {
    let mut state = 88_172_645_463_325_252;
    let mut values = vec![0; $length];
    println!(\"{}\", (0..black_box($rounds)).fold(0, |sum, _| sum ^ $name(&mut values, &mut state)));
}
",
        &[("name", &name), ("length", &length), ("rounds", &(15_000_000 / length))],
    )
}

fn ordered_map(words: &mut Words) -> String {
    let (name, length) = (words.function(), words.between(150_000, 300_000));
    program(
        "
fn $name(map: &std::collections::BTreeMap<u64, u64>, state: &mut u64) -> u64 {
    map.range(draw(state)..).next().map_or(1, |(_, value)| *value)
}

fn main() {
    let mut state = 7;
    let map = (0..$length).map(|n| (draw(&mut state), n)).collect();
    println!(\"{}\", (0..black_box(1_200_000)).fold(0, |sum, _| sum ^ $name(&map, &mut state)));
}
",
        &[("name", &name), ("length", &length)],
    )
}

fn word_count(words: &mut Words) -> String {
    let (name, distinct, rounds) = (words.function(), words.between(2_000, 9_000), words.between(10, 14));
    program(
        "
fn $name(text: &str) -> usize {
    let mut counts: std::collections::HashMap<&str, u32> = std::collections::HashMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word).or_default() += 1;
    }
    counts.values().filter(|count| **count > 40).count()
}

fn main() {
    let (mut text, mut state) = (String::new(), 7);
    for _ in 0..400_000 {
        text += &format!(\"w{} \", draw(&mut state) % $distinct);
    }
    // Much memory that is looked at once.
    let table: Vec<u64> = (0..4_000_000).collect();
    println!(\"{}\", table.iter().sum::<u64>());
    println!(\"{}\", (0..black_box($rounds)).map(|_| $name(black_box(&text))).sum::<usize>());
}
",
        &[("name", &name), ("distinct", &distinct), ("rounds", &rounds)],
    )
}

fn filter(words: &mut Words) -> String {
    let (name, length, keep) = (words.function(), words.between(20_000, 90_000), words.between(80, 97));
    program(
        "
#[inline(never)]
fn $name(input: &[f64], output: &mut [f64]) {
    let mut held = 0.0;
    for (out, x) in output.iter_mut().zip(input) {
        held = 0.$keep * held + (1.0 - 0.$keep) * x;
        *out = held;
    }
}

fn main() {
    let input: Vec<f64> = (0..$length).map(|n| f64::from(n % 977) * 0.01).collect();
    let mut output = vec![0.0; input.len()];
    for _ in 0..black_box($rounds) {
        $name(black_box(&input), &mut output);
    }
    println!(\"{}\", output[$length / 2]);
}
",
        &[("name", &name), ("length", &length), ("keep", &keep), ("rounds", &(300_000_000 / length))],
    )
}

fn product(words: &mut Words) -> String {
    let (name, side) = (words.function(), words.between(50, 70) * 8);
    program(
        "
#[inline(never)]
fn $name(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    for (a, c) in a.chunks_exact(n).zip(c.chunks_exact_mut(n)) {
        for (x, b) in a.iter().zip(b.chunks_exact(n)) {
            for (sum, y) in c.iter_mut().zip(b) {
                *sum += x * y;
            }
        }
    }
}

fn main() {
    let n = black_box($side);
    let a: Vec<f32> = (0..n * n).map(|at| (at % 13) as f32).collect();
    let b: Vec<f32> = (0..n * n).map(|at| (at % 7) as f32).collect();
    let mut c = vec![0.0; n * n];
    for _ in 0..black_box($rounds) {
        $name(&a, &b, &mut c, n);
    }
    println!(\"{}\", c[n * n / 3]);
}
",
        &[("name", &name), ("side", &side), ("rounds", &(12_000_000_000_u64 / u64::from(side).pow(3)))],
    )
}

fn shapes(words: &mut Words) -> String {
    let (name, n) = (words.function(), words.between(1_000, 5_000));
    program(
        "
trait Shape {
    fn $name(&self) -> f64;
}

struct Circle(f64);
struct Rectangle(f64, f64);
struct Triangle(f64, f64, f64);

impl Shape for Circle {
    fn $name(&self) -> f64 {
        self.0 * self.0 * 3.1
    }
}

impl Shape for Rectangle {
    fn $name(&self) -> f64 {
        self.0 * self.1
    }
}

impl Shape for Triangle {
    fn $name(&self) -> f64 {
        let half = (self.0 + self.1 + self.2) / 2.0;
        (half * (half - self.0) * (half - self.1) * (half - self.2)).abs().sqrt()
    }
}

fn main() {
    let mut state = 5;
    let shapes: Vec<Box<dyn Shape>> = (0..$n)
        .map(|n| -> Box<dyn Shape> {
            let x = (draw(&mut state) % 100) as f64;
            match n % 3 {
                0 => Box::new(Circle(x)),
                1 => Box::new(Rectangle(x, 2.0)),
                _ => Box::new(Triangle(x, x + 1.0, x + 2.0)),
            }
        })
        .collect();
    let mut total = 0.0;
    for _ in 0..black_box($rounds) {
        total += black_box(&shapes).iter().map(|shape| shape.$name()).sum::<f64>();
    }
    println!(\"{total}\");
}
",
        &[("name", &name), ("n", &n), ("rounds", &(200_000_000 / n))],
    )
}

fn workers(words: &mut Words) -> String {
    let (name, steps) = (words.function(), words.between(100_000, 300_000));
    program(
        "
fn $name(item: u64) -> u64 {
    (0..$steps).fold(item, |sum, step| sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step))
}

fn main() {
    use std::sync::{Arc, Mutex, mpsc};
    let (items, queue) = mpsc::channel::<u64>();
    let (results, answers) = mpsc::channel();
    let queue = Arc::new(Mutex::new(queue));
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let workers: Vec<_> = (0..cores)
        .map(|_| {
            let (queue, results) = (Arc::clone(&queue), results.clone());
            std::thread::spawn(move || {
                loop {
                    let item = queue.lock().unwrap().recv();
                    let Ok(item) = item else { break };
                    results.send($name(item)).unwrap();
                }
            })
        })
        .collect();
    drop(results);
    for item in 0..black_box($rounds) {
        items.send(item).unwrap();
    }
    drop(items);
    println!(\"{}\", answers.iter().fold(0, |sum, answer| sum ^ answer));
    for worker in workers {
        worker.join().unwrap();
    }
}
",
        &[("name", &name), ("steps", &steps), ("rounds", &(900_000_000 / steps))],
    )
}

fn bodies(words: &mut Words) -> String {
    let (name, n) = (words.function(), words.between(20, 60));
    program(
        "
#[derive(Clone)]
struct Body {
    place: [f64; 3],
    speed: [f64; 3],
    mass: f64,
}

#[inline(never)]
fn $name(bodies: &mut [Body], step: f64) {
    for one in 0..bodies.len() {
        for other in one + 1..bodies.len() {
            let apart: [f64; 3] = std::array::from_fn(|axis| bodies[one].place[axis] - bodies[other].place[axis]);
            let square = apart.iter().map(|x| x * x).sum::<f64>() + 0.01;
            let pull = step / (square * square.sqrt());
            let (mine, theirs) = (bodies[one].mass, bodies[other].mass);
            for axis in 0..3 {
                bodies[one].speed[axis] -= apart[axis] * theirs * pull;
                bodies[other].speed[axis] += apart[axis] * mine * pull;
            }
        }
    }
    for body in bodies {
        for axis in 0..3 {
            body.place[axis] += step * body.speed[axis];
        }
    }
}

fn main() {
    let mut bodies: Vec<Body> = (0..$n)
        .map(|n| Body {
            place: [f64::from(n), f64::from(n * 7 % 13), f64::from(n * 3 % 5)],
            speed: [0.0; 3],
            mass: 1.0 + f64::from(n) * 0.1,
        })
        .collect();
    for _ in 0..black_box($rounds) {
        $name(&mut bodies, 0.001);
    }
    println!(\"{:.6}\", bodies[3].place[0]);
}
",
        &[("name", &name), ("n", &n), ("rounds", &(100_000_000 / (n * n)))],
    )
}

fn stream(words: &mut Words) -> String {
    let (name, length) = (words.function(), words.between(20, 30) << 20);
    program(
        "
#[inline(never)]
fn $name(from: &[f32], to: &mut [f32]) {
    calor::scope!(\"$name\", bytes = from.len() as u64 * 12, flops = from.len() as u64 * 2);
    for (to, from) in to.iter_mut().zip(from) {
        *to = *to * 0.5 + from;
    }
}

fn main() {
    let _recording = std::env::args().nth(1).map(calor::start_recording);
    let from: Vec<f32> = (0..$length).map(|n| (n % 1_001) as f32).collect();
    let mut to = from.clone();
    for _ in 0..black_box(14) {
        $name(black_box(&from), &mut to);
    }
    println!(\"{}\", to[$length / 2]);
}
",
        &[("name", &name), ("length", &length)],
    )
}
