//! Experiments on real threads: what they measure can be bounded whatever else the machine does, and the programs they slow
//! compute what they always do. How exact they are is in `src/causal/simulated.rs` and in `benches/causal`.

#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use calor::causal::handover::{Handover, VARIABLE};
use calor::causal::{CausalError, Plan, experiment};
use calor::sync::{Barrier, Condvar, Mutex, channel, scope, spawn, sync_channel};
use support::alone;

/// Sleeps stand for work: how long they take at least does not depend on how busy the machine is.
fn work(name: &'static str, millis: u64) {
    let _scope = calor::Scope::enter(calor::Site::named(name));
    std::thread::sleep(Duration::from_millis(millis));
}

#[test]
fn what_a_scope_of_the_only_thread_takes_is_taken_off() {
    let _alone = alone();
    let (answer, without) = experiment("causal serial", 1.0, || {
        work("causal serial", 30);
        7
    })
    .unwrap();
    assert_eq!(
        (answer, without.scope, without.wall),
        (7, Some("causal serial".to_owned()), without.effective)
    );
    let ((), with) = experiment("causal serial", f64::INFINITY, || work("causal serial", 30)).unwrap();
    assert!(with.wall - with.effective >= Duration::from_millis(30), "{with:?}");
    let ((), half) = experiment("causal serial", 2.0, || {
        // Also of a scope around others, once.
        calor::scope!("causal serial");
        work("causal serial", 30);
        work("causal other", 30);
    })
    .unwrap();
    let gained = half.wall - half.effective;
    assert!(gained >= Duration::from_millis(30) && gained <= half.wall / 2, "{half:?}");
}

#[test]
fn a_profile_of_what_was_slowed_says_so() {
    let _alone = alone();
    calor::enable();
    calor::reset();
    let is_told = || support::warned_at_all(&calor::snapshot(), "slowed_by_experiments");
    assert!(!is_told());
    experiment("causal told", 1.0, || work("causal told", 1)).unwrap();
    assert!(!is_told());
    experiment("causal told", 2.0, || work("causal told", 1)).unwrap();
    assert!(is_told());
    calor::reset();
    assert!(!is_told());
}

#[test]
fn a_scope_that_nobody_waits_for_gives_nothing() {
    let _alone = alone();
    let ((), with) = experiment("causal beside", f64::INFINITY, || {
        scope(|s| {
            s.spawn(|| work("causal long", 120));
            s.spawn(|| work("causal beside", 20));
        });
    })
    .unwrap();
    assert!(with.effective >= Duration::from_millis(120), "{with:?}");
}

#[test]
fn waiting_inside_a_scope_does_not_become_faster() {
    let _alone = alone();
    let ((), with) = experiment("causal waiting", f64::INFINITY, || {
        let (sender, receiver) = channel();
        let worker = spawn(move || {
            work("causal sending", 60);
            sender.send(1).unwrap();
        });
        {
            calor::scope!("causal waiting");
            assert_eq!(receiver.recv(), Ok(1));
        }
        worker.join().unwrap();
    })
    .unwrap();
    assert!(with.effective >= Duration::from_millis(60), "{with:?}");
}

#[test]
fn a_condition_variable_hands_credit_on() {
    let _alone = alone();
    let ((), with) = experiment("causal preparing", f64::INFINITY, || {
        let (is_ready, woken) = (Mutex::new(false), Condvar::new());
        scope(|s| {
            s.spawn(|| {
                work("causal preparing", 60);
                *is_ready.lock().unwrap() = true;
                woken.notify_all();
            });
            let guard = woken.wait_while(is_ready.lock().unwrap(), |is_ready| !*is_ready);
            assert!(*guard.unwrap());
        });
    })
    .unwrap();
    // Whoever was woken goes on with what the other has, and waits no more for having waited.
    assert!(with.wall - with.effective >= Duration::from_millis(55), "{with:?}");
}

/// Three threads that lock, send, receive and meet; what they compute together.
fn busy_program(n: u64) -> u64 {
    let (sum, barrier) = (Mutex::new(0), Barrier::new(2));
    let (sender, receiver) = sync_channel(2);
    scope(|s| {
        s.spawn(|| {
            for i in 0..n {
                calor::scope!("causal produce");
                sender.send(i).unwrap();
                *sum.lock().unwrap() += 1;
                barrier.wait();
            }
            drop(sender);
        });
        s.spawn(|| {
            for _ in 0..n {
                {
                    calor::scope!("causal meet");
                    barrier.wait();
                }
                *sum.lock().unwrap() += 1;
            }
        });
        for i in &receiver {
            calor::scope!("causal consume");
            *sum.lock().unwrap() += i;
            calor::progress!("causal item");
        }
        assert!(receiver.try_recv().is_err() && receiver.recv_timeout(Duration::ZERO).is_err());
    });
    assert!(sum.try_lock().is_ok());
    sum.into_inner().unwrap()
}

#[test]
fn a_program_computes_the_same_in_experiments_and_each_is_tried_in_every_round() {
    let _alone = alone();
    let expected = busy_program(1000);
    let plan = Plan::new()
        .speedup("causal produce", 2.0)
        .speedup("causal meet", f64::INFINITY)
        .speedup("causal nowhere", 4.0)
        .visits(20)
        .shortest(Duration::ZERO);
    calor::causal::start(&plan).unwrap();
    assert!(matches!(calor::causal::start(&plan), Err(CausalError::UnderWay)));
    assert_eq!(busy_program(1000), expected);
    let outcome = calor::causal::stop().expect("they were started");
    assert!(calor::causal::stop().is_none());
    // An experiment takes 20 visits, three to settle and one to begin with; the first visit of all begins the series.
    assert_eq!(outcome.experiments.len(), 999 / 24, "{outcome:?}");
    for round in 1..=outcome.experiments.len() as u64 / 4 {
        let mut tried: Vec<_> = outcome.experiments.iter().filter(|tried| tried.round == round).collect();
        tried.sort_by(|a, b| a.scope.cmp(&b.scope));
        let scopes: Vec<_> = tried.iter().map(|tried| tried.scope.as_deref()).collect();
        assert_eq!(scopes, [None, Some("causal meet"), Some("causal nowhere"), Some("causal produce")]);
        assert!(
            tried.iter().all(|tried| tried.visits == 20 && tried.effective <= tried.wall * 2),
            "{tried:?}"
        );
    }
    assert_eq!(outcome.pairs("causal nowhere", 4.0).len(), outcome.experiments.len() / 4);
    assert!(outcome.overall("causal nowhere", 4.0).is_some() && outcome.overall("another", 4.0).is_none());
    assert_eq!((outcome.left_alone, outcome.threads), (0, 3));
    assert!(outcome.waits_told >= 2000, "{}", outcome.waits_told);
    // Scopes are quick again, and progress is nothing.
    assert_eq!(busy_program(10), 65);
}

#[test]
fn a_plan_without_speedups_is_refused() {
    let _alone = alone();
    assert!(matches!(calor::causal::start(&Plan::new()), Err(CausalError::NothingToTry)));
}

#[test]
fn work_that_panics_ends_its_experiment() {
    let _alone = alone();
    let panicked = std::panic::catch_unwind(|| {
        experiment("causal panic", 2.0, || std::panic::resume_unwind(Box::new(())))
    });
    assert!(panicked.is_err() && calor::causal::stop().is_none());
}

#[test]
fn a_thread_that_comes_to_no_boundary_is_named() {
    let _alone = alone();
    let plan = Plan::new().speedup("causal ahead", f64::INFINITY);
    calor::causal::start(&plan).unwrap();
    let (ready, is_ready) = std::sync::mpsc::channel();
    let (end, is_end) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::Builder::new().name("without boundaries".to_owned());
    let worker = thread.spawn(move || {
        calor::scope!("causal behind");
        ready.send(()).unwrap();
        // Nobody is told of this wait.
        let _ = is_end.recv();
    });
    is_ready.recv().unwrap();
    work("causal ahead", 250);
    let outcome = calor::causal::stop().expect("they were started");
    drop(end);
    worker.unwrap().join().unwrap();
    assert_eq!(outcome.behind, ["without boundaries"]);
    assert_eq!((outcome.threads, outcome.waits_told), (2, 0));
}

const ROLE: &str = "CALOR_TEST_ROLE";

/// The program that is handed a plan: this binary, started again.
#[test]
fn role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.calor");
    if role == "recorded before" {
        std::fs::write(&path, "kept").unwrap();
    }
    calor::start_recording(&path);
    work("causal handed", 40);
    if role == "progress" {
        for _ in 0..40 {
            work("causal handed", 1);
            calor::progress!("step");
        }
    }
    let recorded = calor::stop_recording().expect("it was recorded");
    assert_eq!(recorded.problem, None);
    let left = std::fs::read(&path).unwrap();
    match role.as_str() {
        "recorded before" => assert!(recorded.path != path && left == b"kept", "{recorded:?}"),
        _ => assert!(calor_formats::native::read(&left).is_ok(), "it reads its recording back"),
    }
    drop(folder);
    std::process::exit(0);
}

fn handed(role: &str, whole: usize, folder: &Path) -> (Handover, String) {
    let plan = Plan::new().speedup("causal handed", f64::INFINITY).visits(4).shortest(Duration::ZERO);
    let handover = Handover { plan, whole, results: folder.join("results") };
    let path: PathBuf = folder.join("plan");
    std::fs::write(&path, handover.text()).unwrap();
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["role", "--exact", "--nocapture"]).env(ROLE, role).env(VARIABLE, &path);
    let output = program.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&handover.results).unwrap_or_default();
    (handover, text)
}

#[test]
fn a_program_follows_the_plan_that_it_is_handed_from_beginning_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let (handover, text) = handed("whole", 1, folder.path());
    let outcome = handover.outcome(&text).unwrap_or_else(|| panic!("{text}"));
    let [tried] = &outcome.experiments[..] else { panic!("{text}") };
    assert_eq!((tried.scope.as_deref(), tried.visits), (Some("causal handed"), 0));
    assert!(tried.wall - tried.effective >= Duration::from_millis(40), "{text}");
    // The program had its own recording, which is told; results that are there are not written again.
    let [(_, path)] = Handover::recordings(&text).collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!(path.ends_with("own.calor") && !folder.path().join("results.calor").exists(), "{text}");
    let again = handed("whole", 1, folder.path()).1;
    assert_eq!(handover.outcome(&again), Some(outcome));
}

#[test]
fn a_recording_that_is_there_is_not_replaced_by_one_of_a_program_that_is_slowed() {
    let folder = tempfile::tempdir().unwrap();
    let (handover, text) = handed("recorded before", 1, folder.path());
    assert!(handover.outcome(&text).is_some(), "{text}");
    assert!(folder.path().join("results.calor").exists());
}

#[test]
fn a_program_that_tells_its_progress_tries_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let (handover, text) = handed("progress", 1, folder.path());
    let outcome = handover.outcome(&text).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(outcome.experiments.len(), 39 / 8, "{text}");
    assert!(outcome.experiments.iter().all(|tried| tried.visits == 4), "{text}");
    assert_eq!(outcome.pairs("causal handed", f64::INFINITY).len(), 2);
}
