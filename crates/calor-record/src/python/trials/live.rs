//! What is read from a running interpreter's memory, compared with what it says of itself.

use std::time::{Duration, Instant};

use super::running::Running;
use super::{Installed, interpreters};
use crate::python::code::{CodeReader, Refusal};
use crate::python::fields::Fields;
use crate::python::layout::{Gil, Rank, ThreadFrame};
use crate::python::memory::Memory;

/// How long to wait for a process that is on its way to where it waits.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn functions_are_read_from_a_running_interpreter() {
    for installed in interpreters() {
        let running = start(&installed);
        let functions = running.said_of("code");
        assert!(functions.len() > 20);
        for code_type in [Some(running.code_type), None] {
            let reader = CodeReader::new(&running.memory, &running.layout, code_type);
            for fields in &functions {
                let [address, n_bytes, first_line, name, file] = fields[..] else { panic!("{fields:?}") };
                let read = reader.read(number(address)).unwrap_or_else(|error| panic!("{fields:?}: {error}"));
                assert_eq!((&*read.name, &*read.file), (name, file));
                assert_eq!(u64::from(read.first_line), number(first_line));
                assert_eq!(read.bytecode.end - read.bytecode.start, number(n_bytes));
            }
            let refused = |kind| {
                running
                    .said_of(kind)
                    .into_iter()
                    .map(|fields| reader.read(number(fields[0])))
                    .collect::<Vec<_>>()
            };
            assert_eq!(refused("long"), [Err(Refusal::NoText)]);
            assert_eq!(refused("other"), [const { Err(Refusal::OtherType) }; 5]);
            assert_eq!(reader.read(running.runtime & !7 | 1), Err(Refusal::Unreadable));
            assert_eq!(reader.read(0), Err(Refusal::Unreadable));
            assert_eq!(reader.read(1 << 63), Err(Refusal::Unreadable));
        }
    }
}

#[test]
fn threads_and_their_frames_are_found_from_the_runtime() {
    for installed in interpreters() {
        let running = start(&installed);
        let mut told: Vec<ThreadSeen> =
            running.said_of("thread").iter().map(|fields| told(&running, fields)).collect();
        told.sort();
        assert_eq!(told.len(), 2);
        until(|| {
            let mut seen = threads(&running).unwrap_or_default();
            seen.sort();
            (seen == told).then_some(()).ok_or(format!("{}: {seen:?}, not {told:?}", installed.version))
        });
        let finalizing =
            running.memory.pointer(running.runtime + u64::from(running.layout.runtime.finalizing));
        assert_eq!(finalizing, Some(0));
    }
}

#[test]
fn calls_of_the_evaluation_loop_are_told_apart() {
    for installed in interpreters() {
        let running = start(&installed);
        // Since 3.11 the function that waits, and the generator that calls it, share one call of the loop, which `list`
        // made; `outer` and the module share another.
        let expected: &[&[&str]] = match installed.version.minor {
            ..11 => &[&["last"], &["steps"], &["outer"], &["<module>"]],
            _ => &[&["last", "steps"], &["outer", "<module>"]],
        };
        until(|| {
            let calls = main_calls(&running).unwrap_or_default();
            let calls: Vec<Vec<&str>> =
                calls.iter().map(|call| call.iter().map(|name| short(name)).collect()).collect();
            (calls == expected).then_some(()).ok_or(format!("{}: {calls:?}", installed.version))
        });
    }
}

#[test]
fn the_lock_is_free_while_all_wait_and_held_by_the_one_that_runs() {
    for installed in interpreters() {
        let mut running = start(&installed);
        if running.layout.is_free_threaded {
            eprintln!("{} is built to run without the lock", installed.version);
            continue;
        }
        until(|| match lock(&running) {
            Some((0, holder)) if thread_states(&running).is_some_and(|all| all.contains(&holder)) => Ok(()),
            other => Err(format!("{}: {other:x?} while all wait", installed.version)),
        });
        running.go_on();
        let main = thread_states(&running)
            .and_then(|all| main_of(&running, &all))
            .expect("the main thread is there");
        until(|| match lock(&running) {
            Some((1, holder)) if holder == main => Ok(()),
            other => Err(format!("{}: {other:x?} while {main:x} runs", installed.version)),
        });
    }
}

/// A thread: what the system and what pthreads call it, and its frames with their lines.
type ThreadSeen = (Option<u64>, u64, Vec<String>);

fn start(installed: &Installed) -> Running {
    Running::start(installed, include_str!("live.py"))
}

/// Calls `look` until it is content, and panics with its complaint when that takes too long.
#[track_caller]
fn until(mut look: impl FnMut() -> Result<(), String>) {
    let begin = Instant::now();
    while let Err(complaint) = look() {
        assert!(begin.elapsed() < PATIENCE, "{complaint}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn told(running: &Running, fields: &[&str]) -> ThreadSeen {
    let native_id = running.layout.thread.native_id.map(|_| number(fields[0]));
    (native_id, number(fields[1]), fields[2].split(';').map(str::to_owned).collect())
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn interpreter(running: &Running) -> Option<u64> {
    let first = running.memory.pointer(running.runtime + u64::from(running.layout.runtime.interpreters))?;
    let next = running.memory.pointer(first + u64::from(running.layout.interpreter.next))?;
    (next == 0).then_some(first)
}

fn thread_states(running: &Running) -> Option<Vec<u64>> {
    let mut found = Vec::new();
    let mut at =
        running.memory.pointer(interpreter(running)? + u64::from(running.layout.interpreter.threads))?;
    while at != 0 && found.len() < 10 {
        found.push(at);
        at = running.memory.pointer(at + u64::from(running.layout.thread.next))?;
    }
    Some(found)
}

/// The thread state of the main thread, which was the last to tell of itself.
fn main_of(running: &Running, all: &[u64]) -> Option<u64> {
    let told = running.said_of("thread");
    let ids: Vec<u64> = told.iter().map(|fields| number(fields[1])).collect();
    let id_of = |state: u64| running.memory.pointer(state + u64::from(running.layout.thread.id));
    all.iter().copied().find(|state| id_of(*state) == ids.last().copied())
}

fn threads(running: &Running) -> Option<Vec<ThreadSeen>> {
    let layout = &running.layout;
    let states = thread_states(running)?.into_iter();
    states
        .map(|state| {
            let mut copy = vec![0; layout.thread_bytes()];
            let fields = (running.memory.read(state, &mut copy) == copy.len()).then_some(Fields(&copy))?;
            assert_eq!(fields.word(layout.thread.interpreter), interpreter(running));
            let native_id = layout.thread.native_id.and_then(|at| fields.word(at));
            let names = frames(running, fields)?.into_iter().filter_map(|(_, name)| name).collect();
            Some((native_id, fields.word(layout.thread.id)?, names))
        })
        .collect()
}

/// The frames of a thread, shims included, which have no name.
fn frames(running: &Running, thread: Fields<'_>) -> Option<Vec<(Rank, Option<String>)>> {
    let layout = &running.layout;
    let mut at = match layout.thread.frame {
        ThreadFrame::Object { frame } => thread.word(frame)?,
        ThreadFrame::CFrame { cframe, current_frame, .. } => {
            running.memory.pointer(thread.word(cframe)? + u64::from(current_frame))?
        }
        ThreadFrame::Current { current_frame } => thread.word(current_frame)?,
    };
    let reader = CodeReader::new(&running.memory, layout, Some(running.code_type));
    let mut found = Vec::new();
    while at != 0 && found.len() < 100 {
        let mut copy = vec![0; layout.frame_bytes()];
        let frame = (running.memory.read(at, &mut copy) == copy.len()).then(|| layout.frame_in(&copy))??;
        let name = if frame.rank == Rank::Shim {
            None
        } else {
            let code = reader.read(frame.code).ok()?;
            Some(format!("{}:{}", code.name, code.line_at(frame.instruction)?))
        };
        found.push((frame.rank, name));
        at = frame.back;
    }
    Some(found)
}

/// The names of the main thread's frames, by calls of the evaluation loop, innermost first.
fn main_calls(running: &Running) -> Option<Vec<Vec<String>>> {
    let state = main_of(running, &thread_states(running)?)?;
    let mut copy = vec![0; running.layout.thread_bytes()];
    (running.memory.read(state, &mut copy) == copy.len()).then_some(())?;
    let mut calls = vec![Vec::new()];
    for (rank, name) in frames(running, Fields(&copy))? {
        let name = name.and_then(|name| Some(name.split_once(':')?.0.to_owned()));
        calls.last_mut()?.extend(name);
        if rank != Rank::Inner {
            calls.push(Vec::new());
        }
    }
    calls.retain(|call| !call.is_empty());
    Some(calls)
}

/// Whether the lock is held, and the thread state that holds it or did so last.
fn lock(running: &Running) -> Option<(i32, u64)> {
    let memory = &running.memory;
    match running.layout.gil {
        Gil::OfRuntime { locked, holder, current } => {
            let is_locked = memory.int(running.runtime + u64::from(locked))?;
            let holder = memory.pointer(running.runtime + u64::from(holder))?;
            let current = memory.pointer(running.runtime + u64::from(current))?;
            // Both are told, one after the other.
            (is_locked == 0 || current == holder).then_some((is_locked, holder))
        }
        Gil::OfInterpreter { pointer, locked, holder, .. } => {
            let gil = memory.pointer(interpreter(running)? + u64::from(pointer))?;
            Some((memory.int(gil + u64::from(locked))?, memory.pointer(gil + u64::from(holder))?))
        }
    }
}
