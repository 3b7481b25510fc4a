//! A real program of several threads, recorded through the SDK and read back from its file: the critical path goes through
//! the work that the others waited for.

use std::time::Duration;

use calor::model::{LinkKind, Profile};
use calor::sync::{Barrier, Mutex, channel, scope, spawn_named};
use calor_analysis::{Basis, CriticalPath, PathScope, Speedup};

/// Sleeps stand for work: how long they take at least does not depend on how busy the machine is.
fn work(name: &'static str, millis: u64) {
    let _scope = calor::Scope::enter(calor::Site::named(name));
    std::thread::sleep(Duration::from_millis(millis));
}

/// One loads and then hands to an encoder, which takes long; a hasher beside it does not; both share a lock at the end and
/// meet at a barrier.
fn program() {
    calor::scope!("program");
    work("load", 20);
    let (sender, receiver) = channel();
    let (sum, barrier) = (Mutex::new(0), Barrier::new(2));
    let writer = spawn_named("writer", move || {
        for part in &receiver {
            work("write", part);
        }
    });
    scope(|s| {
        s.spawn(|| {
            work("encode", 400);
            *sum.lock().expect("nobody panicked") += 1;
            barrier.wait();
        });
        s.spawn(|| {
            work("hash", 10);
            *sum.lock().expect("nobody panicked") += 1;
            barrier.wait();
        });
    });
    sender.send(30).expect("the writer receives");
    drop(sender);
    writer.expect("a thread can be had").join().expect("it does not panic");
}

fn recorded() -> Profile {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("program.calor");
    calor::try_start_recording(&path, &calor::RecordingOptions::new()).expect("nobody else records");
    program();
    assert_eq!(calor::stop_recording().expect("it was recorded").problem, None);
    let bytes = std::fs::read(&path).expect("it was written");
    calor_formats::native::read(&bytes).expect("it is whole")
}

#[test]
fn the_path_of_a_real_program_is_as_long_as_its_run_and_goes_through_what_was_waited_for() {
    let profile = recorded();
    let path = CriticalPath::of(&profile).unwrap();
    assert_eq!((path.basis, path.n_threads), (Basis::Told, 4));
    assert_eq!(path.nanos(), path.wall_nanos);
    let scope = |name: &str| -> PathScope {
        let is_meant = |scope: &&PathScope| profile.strings.get(scope.name) == name;
        path.scopes.iter().find(is_meant).unwrap_or_else(|| panic!("no {name}")).clone()
    };
    for (name, least) in [("load", 20), ("encode", 400), ("write", 30)] {
        assert!(scope(name).path_nanos >= least * 1_000_000, "{name}: {:?}", scope(name));
    }
    let hash = scope("hash");
    assert_eq!(hash.path_nanos, 0);
    assert!(hash.slack_nanos.is_some_and(|slack| slack > 0), "{hash:?}");
    assert!(path.waits.iter().any(|wait| wait.kind == LinkKind::Join), "{:?}", path.waits);

    let ask = |scope: &str, factor: f64| {
        path.what_if(&profile, &[Speedup { scope: scope.to_owned(), factor }]).unwrap()
    };
    assert!((ask("hash", 2.0).overall - 1.0).abs() < 1e-9);
    // Half of 400 ms of waiting work is 200 ms less: nothing else is near, unless a busy machine keeps a thread from running.
    let gained = path.wall_nanos - ask("encode", 2.0).wall_nanos;
    let half = scope("encode").path_nanos / 2;
    assert!(gained.abs_diff(half) < half / 10, "{gained} of {half}");
}
