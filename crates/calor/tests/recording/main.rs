//! Recordings: what is in the file when a program finishes, exits, is killed, forks, or has no room to write.
//!
//! The programs are this test binary itself, started again with the name of a role: see [`role`].

#![cfg(unix)]
#![expect(unsafe_code, reason = "fork, kill and resource limits are C interfaces")]
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

#[path = "../support/mod.rs"]
mod support;

mod end;
mod fork;
mod killed;
mod sinks;
mod trouble;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use calor::model::Profile;
use calor::{RecordingOptions, start_recording, stop_recording, try_start_recording};
use support::{get, warned};

const ROLE: &str = "CALOR_TEST_ROLE";
const FILE: &str = "CALOR_TEST_FILE";

/// Starts this binary again to play a role.
fn start(role: &str, file: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["role", "--exact", "--nocapture"])
        .env(ROLE, role)
        .env(FILE, file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn run(role: &str, file: &Path) -> (String, String, Option<i32>) {
    let output = start(role, file).wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

fn read(file: &Path) -> Profile {
    calor_formats::read(&std::fs::read(file).unwrap()).unwrap()
}

/// Plays the role that the environment names; without one, it checks that there is none to play.
#[test]
fn role() {
    let Ok(role) = std::env::var(ROLE) else {
        assert!(std::env::var_os(FILE).is_none());
        return;
    };
    let file = std::env::var_os(FILE).unwrap();
    match role.as_str() {
        "finish" => end::finish(Path::new(&file)),
        "exit" => {
            start_recording(&file);
            work(1000);
            let _open = calor::open!("open at the exit");
            std::thread::sleep(Duration::from_millis(2));
            std::process::exit(7);
        }
        "tick" => killed::tick(Path::new(&file)),
        "busy" => killed::busy(Path::new(&file)),
        "no room" => trouble::no_room(Path::new(&file)),
        "fork" => fork::fork(Path::new(&file)),
        "fork first" => fork::fork_first(Path::new(&file)),
        "no thread" => trouble::no_thread(Path::new(&file)),
        "send on" => sinks::send_on(Path::new(&file)),
        "stuck" => sinks::stuck(),
        "stop and exit" => end::stop_and_exit(Path::new(&file)),
        other => panic!("no role {other}"),
    }
}

fn work(n: u64) {
    for _ in 0..n {
        calor::scope!("outer");
        calor::scope!("inner", flops = 10);
    }
}
