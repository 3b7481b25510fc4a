//! Repetitions: work that is done again and again inside a scope of its own, so that its times are in the run's profile as
//! well as in the figures. One place decides how often, and by which clock.

use std::hint::black_box;
use std::time::{Duration, Instant};

use calor::{CallWork, Scope, Site};
use calor_analysis::CPU_NANOS;
use calor_report::bench::{Figure, Params};

use crate::clock::thread_nanos;

/// How often work is repeated: until the time is over, but at least and at most so often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Repetitions at least, however long they take.
    pub least: u32,
    /// Repetitions at most, however short they are.
    pub most: u32,
    /// When to stop in between.
    pub time: Duration,
}

impl Plan {
    /// For figures that others rely on.
    #[must_use]
    pub const fn full() -> Self {
        Self { least: 7, most: 200, time: Duration::from_millis(500) }
    }

    /// For a quick look.
    #[must_use]
    pub const fn quick() -> Self {
        Self { least: 3, most: 30, time: Duration::from_millis(60) }
    }
}

/// How long each repetition took.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Times {
    /// On the wall.
    pub wall_ns: Vec<u64>,
    /// On the processor, of the calling thread alone.
    pub cpu_ns: Vec<u64>,
}

/// The site of a case: its name, what it was run with as labels, and what each of its calls does. It is kept for good, so it is
/// made once for each case.
#[must_use]
pub fn site(
    module: &str,
    case: &str,
    labels: &[(&'static str, &str)],
    work: Option<CallWork>,
) -> &'static Site {
    let site = Site::made(case, module, "", 0, labels);
    if let Some(work) = work {
        site.set_call_work(work);
    }
    site
}

/// Does what is around the measured work, such as warming up and checking, with the recorder off: runs are compared by all that is
/// in their profile, and this differs from run to run more than the work itself.
pub fn unrecorded<T>(work: impl FnOnce() -> T) -> T {
    let was_on = calor::is_enabled();
    calor::disable();
    let result = work();
    if was_on {
        calor::enable();
    }
    result
}

/// What a repetition is timed by, for those who compare runs: its scope always has its time on the wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// One thread does all of it: the scope is also told its CPU time, which other programs disturb little.
    Cpu,
    /// Several threads share it.
    Wall,
}

impl Clock {
    /// Tells a scope what one call of it took on the processor, where that is all there was to do.
    pub fn tell(self, scope: &Scope, cpu_nanos: u64) {
        if self == Self::Cpu {
            scope.add(CPU_NANOS, cpu_nanos);
        }
    }
}

/// Does the work once to warm up, unrecorded, and then by plan: each repetition is a call of the scope.
pub fn timed<T>(site: &'static Site, plan: &Plan, work: impl FnMut() -> T) -> Times {
    timed_by(Clock::Cpu, site, plan, work)
}

/// The same of work that may be shared by threads.
pub fn timed_by<T>(clock: Clock, site: &'static Site, plan: &Plan, mut work: impl FnMut() -> T) -> Times {
    unrecorded(|| black_box(work()));
    let mut times = Times::default();
    let begin = Instant::now();
    for done in 0..plan.most {
        if done >= plan.least && begin.elapsed() >= plan.time {
            break;
        }
        let (wall, cpu) = (Instant::now(), thread_nanos());
        let scope = Scope::enter(site);
        let result = work();
        let cpu = thread_nanos().saturating_sub(cpu);
        clock.tell(&scope, cpu);
        drop(scope);
        times.push(wall.elapsed(), cpu);
        // What it made is given back outside of the scope.
        drop(black_box(result));
    }
    times
}

/// A way to do some work, with the site that its repetitions are calls of.
pub type Way<'a> = (&'static Site, &'a mut dyn FnMut());

/// Does several ways of the same work by turns, so that what else goes on in the machine meets all of them alike: differences and
/// ratios of one round are of one moment. Each is done once before, unrecorded, and has the plan's time to itself.
pub fn interleaved(clock: Clock, ways: &mut [Way<'_>], plan: &Plan) -> Vec<Times> {
    unrecorded(|| ways.iter_mut().for_each(|(_, work)| work()));
    let mut all = vec![Times::default(); ways.len()];
    let time = plan.time * u32::try_from(ways.len()).unwrap_or(1);
    let begin = Instant::now();
    for done in 0..plan.most {
        if done >= plan.least && begin.elapsed() >= time {
            break;
        }
        for ((site, work), times) in ways.iter_mut().zip(&mut all) {
            let (wall, cpu) = (Instant::now(), thread_nanos());
            let scope = Scope::enter(site);
            work();
            let cpu = thread_nanos().saturating_sub(cpu);
            clock.tell(&scope, cpu);
            drop(scope);
            times.push(wall.elapsed(), cpu);
        }
    }
    all
}

impl Times {
    /// Adds a repetition that was timed elsewhere.
    pub fn push(&mut self, wall: Duration, cpu_nanos: u64) {
        self.wall_ns.push(u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX));
        self.cpu_ns.push(cpu_nanos);
    }

    /// Repetitions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.wall_ns.len()
    }

    /// Whether there was none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wall_ns.is_empty()
    }

    /// The figure of work that one thread does: `value` makes of its CPU time in nanoseconds what is told, such as a rate.
    /// `None` without repetitions.
    #[must_use]
    pub fn figure(
        &self,
        case: impl Into<String>,
        params: Params,
        unit: impl Into<String>,
        value: impl Fn(f64) -> f64,
    ) -> Option<Figure> {
        figure(&self.cpu_ns, case, params, unit, value)
    }

    /// The same of work that several threads share: of its time on the wall.
    #[must_use]
    pub fn wall_figure(
        &self,
        case: impl Into<String>,
        params: Params,
        unit: impl Into<String>,
        value: impl Fn(f64) -> f64,
    ) -> Option<Figure> {
        figure(&self.wall_ns, case, params, unit, value)
    }
}

fn figure(
    nanos: &[u64],
    case: impl Into<String>,
    params: Params,
    unit: impl Into<String>,
    value: impl Fn(f64) -> f64,
) -> Option<Figure> {
    // A clock may stand still over work that is shorter than its step, and nothing is infinitely fast.
    let values: Vec<f64> = nanos.iter().map(|nanos| value((*nanos).max(1) as f64)).collect();
    Figure::of(case, params, unit, &values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_repeated_by_plan_and_once_before() {
        let plan = Plan { least: 3, most: 5, time: Duration::ZERO };
        let mut calls = 0;
        let times = timed(site("test", "repeated", &[], None), &plan, || calls += 1);
        assert_eq!((times.len(), times.cpu_ns.len(), calls), (3, 3, 4));
        let plan = Plan { time: Duration::from_secs(60), ..plan };
        assert_eq!(timed(site("test", "repeated", &[], None), &plan, || ()).len(), 5);
    }

    #[test]
    fn ways_take_turns_after_each_was_done_once() {
        let order = std::cell::RefCell::new(String::new());
        let mut a = || order.borrow_mut().push('a');
        let mut b = || order.borrow_mut().push('b');
        let plan = Plan { least: 2, most: 5, time: Duration::ZERO };
        let at = site("test", "by turns", &[], None);
        let times = interleaved(Clock::Cpu, &mut [(at, &mut a), (at, &mut b)], &plan);
        assert_eq!((times.len(), times[0].len(), times[1].len()), (2, 2, 2));
        assert_eq!(*order.borrow(), "ababab");
    }

    #[test]
    fn a_figure_is_the_median_of_what_the_times_are_made_into() {
        let times = Times { wall_ns: vec![9; 3], cpu_ns: vec![2, 4, 8] };
        let figure = times.figure("x", Params::new(), "GB/s", |nanos| 16.0 / nanos).unwrap();
        assert_eq!((figure.median, figure.low, figure.high, figure.n), (4.0, 2.0, 8.0, 3));
        assert_eq!(times.wall_figure("x", Params::new(), "ns", |nanos| nanos).unwrap().median, 9.0);
        assert!(Times::default().figure("x", Params::new(), "ns", |nanos| nanos).is_none());
    }
}
