//! Threads that wait: for a lock that is held during a slow call, for a service that is asked one question at a time, and
//! for turns on the cores, since there are too many of them.

use super::surroundings::Surroundings;
use super::{CPU, Case};
use crate::planted::{Saves, Twins, Words};

pub(super) const LOCK: Case = Case {
    name: "call-under-a-lock",
    rule: "WAIT-LOCK-CONTENTION",
    options: &["--off-cpu"],
    saves: Saves::Wall,
    write: lock,
    ..CPU
};
pub(super) const SERVICE: Case = Case {
    name: "one-question-at-a-time",
    rule: "WAIT-BLOCKING-IO",
    options: &["--off-cpu"],
    saves: Saves::Wall,
    write: service,
    ..CPU
};
pub(super) const TURNS: Case = Case {
    name: "more-threads-than-cores",
    rule: "THREADS-OVERSUBSCRIBED",
    options: &["--off-cpu"],
    write: turns,
    ..CPU
};

const MIX: &str = "
#[inline(never)]
fn $work(item: u64) -> u64 {
    (0..$steps).fold(item, |sum, step| sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step))
}
";

const UPDATE: &str = "
#[inline(never)]
fn $name(total: &std::sync::Mutex<u64>, item: u64) {
    $update
}
";

const THREADS: &str = "
    let total = std::sync::Mutex::new(0u64);
    std::thread::scope(|scope| {
        for thread in 0..$threads {
            let total = &total;
            scope.spawn(move || (0..black_box($rounds)).for_each(|item| $name(total, item * 8 + thread)));
        }
    });
    println!(\"{}\", total.lock().unwrap());
";

fn lock(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (20, 100));
    let (name, work) = (words.function(), words.function());
    let (steps, threads, delay) =
        (words.between(20_000, 60_000), words.between(3, 5), words.between(150, 400));
    let rounds = 600_000 / ((delay + 80) * threads);
    // Stands for a call to somewhere else.
    let call = format!("std::thread::sleep(std::time::Duration::from_micros({delay}));");
    let within = format!("let mut total = total.lock().unwrap();\n    {call}\n    *total ^= $work(item);");
    let outside = format!("{call}\n    let worked = $work(item);\n    *total.lock().unwrap() ^= worked;");
    let values = |update| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("work", &work),
            ("steps", &steps),
            ("rounds", &rounds),
            ("threads", &threads),
            ("update", update),
        ]
    };
    let items = [MIX, UPDATE].concat();
    Twins {
        planted: around.program(&items, THREADS, &values(&within)),
        healthy: around.program(&items, THREADS, &values(&outside)),
        function: Some(name.clone()),
    }
}

const ASKED: &str = "
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

/// Stands for a service elsewhere: answers whatever questions have come, after a while.
fn serve(mut socket: UnixStream) {
    let mut questions = [0; 1 << 16];
    loop {
        let n = socket.read(&mut questions).unwrap();
        if n == 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_micros($delay));
        for question in &mut questions[..n] {
            *question = question.wrapping_mul(31) ^ 0x5a;
        }
        socket.write_all(&questions[..n]).unwrap();
    }
}

#[inline(never)]
fn $name(socket: &mut UnixStream, questions: &[u8]) -> Vec<u8> {
    $ask
}
";

const ONE_BY_ONE: &str = "let mut answers = Vec::with_capacity(questions.len());
    for question in questions {
        socket.write_all(&[*question]).unwrap();
        let mut answer = [0];
        socket.read_exact(&mut answer).unwrap();
        answers.push(answer[0]);
    }
    answers";

const AT_ONCE: &str = "socket.write_all(questions).unwrap();
    let mut answers = vec![0; questions.len()];
    socket.read_exact(&mut answers).unwrap();
    answers";

const QUESTIONS: &str = "
    let (mut here, there) = UnixStream::pair().unwrap();
    let service = std::thread::spawn(move || serve(there));
    let mut total = 0u64;
    for round in 0..black_box($rounds) {
        let questions: Vec<u8> = (0..$questions).map(|n| ($work(round * 100 + n) >> 7) as u8).collect();
        let answers = $name(&mut here, &questions);
        total = answers.iter().fold(total, |sum, answer| sum.wrapping_mul(31).wrapping_add(u64::from(*answer)));
    }
    drop(here);
    service.join().unwrap();
    println!(\"{total}\");
";

fn service(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (20, 100));
    let (name, work) = (words.function(), words.function());
    // In so few rounds that waiting for one answer a round is no habit.
    let (rounds, delay) = (words.between(6, 10), words.between(200, 500));
    let questions = 700_000 / (rounds * delay);
    let steps = words.between(100_000, 200_000);
    let items = [MIX, ASKED].concat();
    let values = |ask| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("work", &work),
            ("questions", &questions),
            ("delay", &delay),
            ("rounds", &rounds),
            ("steps", &steps),
            ("ask", ask),
        ]
    };
    Twins {
        planted: around.program(&items, QUESTIONS, &values(&ONE_BY_ONE)),
        healthy: around.program(&items, QUESTIONS, &values(&AT_ONCE)),
        function: Some(name.clone()),
    }
}

const TEAM: &str = "
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

struct Team {
    members: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
}

/// Waits until all members are here, and gives way meanwhile.
#[inline(never)]
fn $name(team: &Team) {
    let round = team.round.load(SeqCst);
    if team.arrived.fetch_add(1, SeqCst) + 1 == team.members {
        team.arrived.store(0, SeqCst);
        team.round.store(round + 1, SeqCst);
    }
    while team.round.load(SeqCst) == round {
        std::thread::yield_now();
    }
}
";

const ROUNDS: &str = "
    let cores = std::thread::available_parallelism().unwrap().get();
    let members = $members;
    let team = Team { members, arrived: AtomicUsize::new(0), round: AtomicUsize::new(0) };
    let parts: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..members)
            .map(|member| {
                let team = &team;
                scope.spawn(move || {
                    let mut sum = 0;
                    for round in 0..black_box($rounds) {
                        for part in (member..$parts * cores).step_by(members) {
                            sum ^= $work(round * 1_000 + part as u64);
                        }
                        $name(team);
                    }
                    sum
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    println!(\"{}\", parts.into_iter().fold(0, |sum, part| sum ^ part));
";

fn turns(words: &mut Words) -> Twins {
    let around = Surroundings::of(words, (20, 60));
    let (name, work) = (words.function(), words.function());
    let parts = words.between(8, 14);
    let steps = words.between(6_000, 15_000);
    let rounds = 150_000_000 / (steps * parts);
    let items = [MIX, TEAM].concat();
    let values = |members| -> Vec<(&str, &dyn std::fmt::Display)> {
        vec![
            ("name", &name),
            ("work", &work),
            ("parts", &parts),
            ("steps", &steps),
            ("rounds", &rounds),
            ("members", members),
        ]
    };
    let many = format!("{parts} * cores");
    Twins {
        planted: around.program(&items, ROUNDS, &values(&many)),
        healthy: around.program(&items, ROUNDS, &values(&"cores")),
        function: None,
    }
}
