//! The log of a service: time that goes on, few hosts and modules, many users and ids.

use std::io::Write;

use super::frequent;
use crate::Random;

const HOSTS: &[&str] = &["api-01", "api-02", "api-03", "worker-01", "worker-02", "edge-fra-1", "edge-iad-2"];
const MODULES: &[&str] = &[
    "http.server",
    "auth.session",
    "db.pool",
    "cache.redis",
    "queue.consumer",
    "billing.invoice",
    "search.index",
];
const METHODS: &[&str] = &["GET", "POST", "PUT", "DELETE", "PATCH"];
const PATHS: &[&str] = &[
    "/api/v2/users/",
    "/api/v2/orders/",
    "/api/v2/items/",
    "/static/app.js?v=",
    "/login?next=",
    "/api/v2/search?q=",
    "/healthz?node=",
    "/api/v1/export/",
];
const STATUS: &[u16] = &[200, 200, 304, 201, 404, 204, 500, 429, 302];
const LEVELS: &[&str] = &["INFO", "INFO", "DEBUG", "WARN", "ERROR"];

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

pub(super) fn write(random: &mut Random, out: &mut Vec<u8>, length: usize) {
    let mut millis = 0_u64;
    let users: Vec<u64> = (0..5_000).map(|_| random.bits() % 9_000_000 + 1_000_000).collect();
    while out.len() < length {
        millis += u64::from(random.below(40));
        line(random, out, millis, &users);
    }
}

fn line(random: &mut Random, out: &mut Vec<u8>, millis: u64, users: &[u64]) {
    let (day, of_day) = (millis / DAY % 28 + 1, millis % DAY);
    let [hour, minute, second] = [of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1_000 % 60];
    let (host, level) = (frequent(random, HOSTS), frequent(random, LEVELS));
    let module = frequent(random, MODULES);
    let (user, request) = (*frequent(random, users), random.bits());
    let micros = 200 + (random.unit().powi(6) * 900_000.0) as u32;
    // Writing to memory does not fail.
    let _ = write!(
        out,
        "2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z {host} {level:<5} {module}: ",
        of_day % 1_000
    );
    let _ = match random.below(10) {
        0..=6 => {
            let (method, path) = (frequent(random, METHODS), frequent(random, PATHS));
            let (status, bytes) = (frequent(random, STATUS), random.below(60_000));
            let [net, part, address] = [user % 7, user % 31, user % 250];
            writeln!(
                out,
                "request_id={request:016x} client=10.{net}.{part}.{address} \"{method} {path}{user}\" status={status} \
                 bytes={bytes} duration_us={micros}"
            )
        }
        7 => writeln!(out, "user {user} signed in session={request:016x} mfa={}", random.below(4) != 0),
        8 => writeln!(out, "pool size=32 idle={} waited_us={micros}", random.below(32)),
        _ => {
            let (shard, attempt) = (random.below(64), random.below(5) + 1);
            writeln!(
                out,
                "timeout after {micros} us waiting for shard {shard}, retrying (attempt {attempt} of 5)"
            )
        }
    };
}
