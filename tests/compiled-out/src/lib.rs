//! A program that uses everything the SDK offers, with Calor compiled out.

use calor::{InScope, Options, RecordingOptions, Scope, Scoped, Site};

/// Scopes in place.
#[inline(never)]
pub fn with_scope(x: u64) -> u64 {
    calor::scope!("with", flops = x, bytes = 8, backend = "none");
    calor::context!("context");
    x.rotate_left(7) ^ 0x5bd1_e995
}

/// Attributed, sync.
#[calor::profile]
pub fn attributed(x: u64) -> u64 {
    let scope = calor::open!("inner", time_one_in = 16, elements = 1);
    scope.add("counter", 2).flops(1);
    drop(scope);
    x + 1
}

/// Attributed, async.
#[calor::profile("renamed")]
pub async fn attributed_async(x: u64) -> Result<u64, std::num::ParseIntError> {
    let parsed: u64 = "1".parse()?;
    Ok(x + parsed)
}

/// A type with an attributed block.
pub struct Model;

#[calor::profile]
impl Model {
    /// Attributed.
    pub fn forward(&self) -> u64 {
        2
    }

    /// Not.
    #[calor::skip]
    pub fn skipped(&self) -> u64 {
        3
    }
}

/// Labels and experiments.
#[inline(never)]
pub fn tried(x: u64) -> u64 {
    use calor::causal::{Plan, experiment, start, stop};
    calor::scope!("labelled", n = x, codec = "none", elements = 2, time_one_in = 4, is_last = true);
    let _site = Scope::enter(calor::site!("labelled").labelled(&[("n", x.into())]));
    calor::progress!("step");
    let plan = Plan::new().speedup("with", 2.0).visits(3).point("step").seed(1);
    assert!(start(&plan.shortest(std::time::Duration::ZERO)).is_err() && stop().is_none());
    assert!(experiment("with", 2.0, || ()).is_err());
    x
}

/// What threads wait for each other.
pub fn linked(x: u64) -> u64 {
    use calor::sync::{Barrier, Condvar, Mutex, channel, scope, spawn, spawn_named, sync_channel};
    let sum = Mutex::new(x);
    let ready = calor::link::signal();
    scope(|s| {
        s.spawn(|| *sum.lock().unwrap() += 1).join().unwrap();
    });
    calor::link::wait().end(ready);
    let (sender, receiver) = channel();
    let (other, _receiver) = sync_channel(1);
    spawn(move || (sender.send(1), other.send(1))).join().unwrap().0.unwrap();
    spawn_named("named", || ()).unwrap().join().unwrap();
    Barrier::new(1).wait();
    let condvar = Condvar::new();
    condvar.notify_all();
    drop(condvar.wait_while(sum.lock().unwrap(), |_| false).unwrap());
    receiver.iter().sum::<u64>() + sum.into_inner().unwrap()
}

/// Everything else.
pub async fn control() -> u64 {
    calor::enable_with(&Options::new().timeline(true).timeline_events(1 << 20).time_one_in(4));
    calor::enable();
    calor::set_label("model", "small");
    let recording = calor::start_recording("never-written.calor");
    assert!(recording.problem().is_some());
    assert!(calor::try_start_recording("never-written.calor", &RecordingOptions::new().timeline(false)).is_err());
    assert!(calor::stop_recording().is_none() && recording.stop().is_none());
    let options = calor::sampling::SamplingOptions::new().rate(99).off_cpu(true);
    assert!(calor::sampling::start_with(&options).is_err());
    if let Ok(sampling) = calor::sampling::start(999) {
        let _ = sampling.progress();
    }
    let scope = Scope::enter(Site::named("at run time"));
    assert!(!scope.is_recorded());
    drop(scope);
    let a = async { 1 }.in_scope(calor::site!("a")).await;
    let b = Scoped::new(calor::site!("b"), async { 2 }).await;
    let outcome = calor::ab!("a" => || a, "b" => || b; margin = 0.05, max_pairs = 5);
    assert!(outcome.verdict() == calor::ab::Verdict::Undecided && outcome.effect().is_none());
    assert!(calor::ab!(with = || 1, |x| x, |x| x + 1).to_string().contains("compiled out"));
    calor::reset();
    calor::disable();
    assert!(!calor::is_enabled());
    a + b
}
