//! Whole programs on a clock of their own: threads that work, lock, send, receive and meet, once with a scope really
//! faster and once in an experiment. Both have to take equally long, whatever the program, to the tick; no thread of the
//! machine and no real time is involved.

use super::account::{Account, Moment, Rate};

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    /// Works in a scope, or in none that could be meant.
    Work(Option<char>, u64),
    Send(usize),
    Receive(usize),
    Lock(usize),
    Unlock(usize),
    Meet(usize),
}

use Step::{Lock, Meet, Receive, Send, Unlock, Work};

/// The steps of each thread.
type Program = Vec<Vec<Step>>;

/// How a scope is made faster.
#[derive(Clone, Copy)]
enum Manner {
    Really,
    Experiment,
}

/// A thread on its way.
#[derive(Default)]
struct Lane {
    at: usize,
    /// When it goes on; `None` while it waits for another thread.
    goes_on: Option<u64>,
    account: Account,
    asked: Moment,
    is_at_work: bool,
    is_paid: bool,
}

#[derive(Default)]
struct Object {
    /// What was sent and not received; when a lock was released last; who arrived, of a meeting.
    moments: Vec<Moment>,
    is_held: bool,
    waiting: Vec<usize>,
}

struct Machine<'p> {
    program: &'p Program,
    manner: Manner,
    scope: char,
    rate: Rate,
    lanes: Vec<Lane>,
    channels: Vec<Object>,
    locks: Vec<Object>,
    meetings: Vec<Object>,
}

/// How long a program takes with a scope so many times as fast.
fn length(program: &Program, manner: Manner, scope: char, factor: f64) -> i64 {
    let objects = || (0..4).map(|_| Object::default()).collect();
    let lane = |_| Lane { goes_on: Some(0), ..Lane::default() };
    let mut machine = Machine {
        program,
        manner,
        scope,
        rate: Rate::of_factor(factor),
        lanes: program.iter().map(lane).collect(),
        channels: objects(),
        locks: objects(),
        meetings: objects(),
    };
    let mut last = 0;
    let next = |lanes: &[Lane]| {
        let ready = |(at, lane): (usize, &Lane)| Some((lane.goes_on?, at));
        lanes.iter().enumerate().filter_map(ready).min()
    };
    while let Some((now, at)) = next(&machine.lanes) {
        if machine.lanes[at].at == program[at].len() {
            machine.lanes[at].goes_on = None;
            last = last.max(Moment { ticks: now, credit: machine.lanes[at].account.credit }.virtual_ticks());
        } else {
            machine.go_on(at, now);
        }
    }
    for (lane, steps) in machine.lanes.iter().zip(program) {
        assert_eq!(lane.at, steps.len(), "a thread waits for ever");
    }
    last
}

impl Machine<'_> {
    fn go_on(&mut self, at: usize, now: u64) {
        let step = self.program[at][self.lanes[at].at];
        if self.lanes[at].is_at_work {
            let lane = &mut self.lanes[at];
            lane.account = lane.account.settled(now, self.rate);
            lane.is_at_work = false;
            return self.done(at, now);
        }
        if matches!(self.manner, Manner::Experiment) && !self.lanes[at].is_paid {
            let even =
                self.lanes.iter().map(|lane| lane.account.credit_at(now, self.rate)).max().unwrap_or(0);
            let lane = &mut self.lanes[at];
            let owed = even - lane.account.credit_at(now, self.rate);
            if owed > 0 {
                lane.account.credit += owed;
                lane.goes_on = Some(now + owed);
                return;
            }
            lane.is_paid = true;
        }
        let moment = Moment { ticks: now, credit: self.lanes[at].account.credit };
        match step {
            Work(scope, ticks) => self.work(at, now, scope == Some(self.scope), ticks),
            Send(channel) => {
                self.channels[channel].moments.push(moment);
                if let Some(receiver) = self.channels[channel].waiting.pop() {
                    let sent = self.channels[channel].moments.remove(0);
                    self.wake(receiver, sent, now);
                }
                self.done(at, now);
            }
            Receive(channel) => {
                self.lanes[at].asked = moment;
                if self.channels[channel].moments.is_empty() {
                    self.channels[channel].waiting.push(at);
                    self.lanes[at].goes_on = None;
                } else {
                    let sent = self.channels[channel].moments.remove(0);
                    self.wake(at, sent, now);
                }
            }
            Lock(lock) => {
                self.lanes[at].asked = moment;
                if std::mem::replace(&mut self.locks[lock].is_held, true) {
                    self.locks[lock].waiting.push(at);
                    self.lanes[at].goes_on = None;
                } else {
                    let released = self.locks[lock].moments.pop().unwrap_or(moment);
                    self.wake(at, released, now);
                }
            }
            Unlock(lock) => {
                if self.locks[lock].waiting.is_empty() {
                    self.locks[lock].is_held = false;
                    self.locks[lock].moments = vec![moment];
                } else {
                    let next = self.locks[lock].waiting.remove(0);
                    self.wake(next, moment, now);
                }
                self.done(at, now);
            }
            Meet(meeting) => {
                self.lanes[at].asked = moment;
                let n_threads = self.lanes.len();
                let object = &mut self.meetings[meeting];
                object.moments.push(moment);
                object.waiting.push(at);
                self.lanes[at].goes_on = None;
                if object.waiting.len() == n_threads {
                    let object = std::mem::take(object);
                    let last = *object.moments.iter().max_by_key(|moment| moment.virtual_ticks()).unwrap();
                    object.waiting.into_iter().for_each(|waiting| self.wake(waiting, last, now));
                }
            }
        }
    }

    fn work(&mut self, at: usize, now: u64, is_meant: bool, ticks: u64) {
        let lane = &mut self.lanes[at];
        lane.is_at_work = true;
        let taken = match self.manner {
            Manner::Really if is_meant => self.rate.of(ticks),
            Manner::Experiment if is_meant => {
                // A moment of 0 stands for none.
                lane.account.since = now.max(1);
                0
            }
            _ => 0,
        };
        lane.goes_on = Some(now + ticks - taken);
        if now == 0 && lane.account.since == 1 {
            lane.account.credit += self.rate.of(1);
        }
    }

    fn wake(&mut self, at: usize, available: Moment, now: u64) {
        let lane = &mut self.lanes[at];
        lane.account.credit = lane.asked.after_wait(available, now);
        self.done(at, now);
    }

    fn done(&mut self, at: usize, now: u64) {
        let lane = &mut self.lanes[at];
        (lane.at, lane.goes_on, lane.is_paid) = (lane.at + 1, Some(now), false);
    }
}

/// Differences of a tick for each piece of work are rounding.
fn check(program: &Program) {
    let slack = program.iter().map(Vec::len).sum::<usize>() as i64 * 2;
    for scope in ['x', 'y', 'z'] {
        for factor in [4.0 / 3.0, 2.0, 4.0, f64::INFINITY] {
            let truth = length(program, Manner::Really, scope, factor);
            let found = length(program, Manner::Experiment, scope, factor);
            assert!((truth - found).abs() <= slack, "{scope} x {factor}: {truth} really, {found} tried");
        }
    }
}

#[test]
fn two_threads_that_meet_take_as_long_as_the_slower_one() {
    let mut program = vec![Vec::new(), Vec::new()];
    for _ in 0..5 {
        program[0].extend([Work(Some('x'), 10_000), Meet(0), Work(Some('z'), 2_000), Meet(1)]);
        program[1].extend([Work(Some('y'), 7_000), Meet(0), Meet(1)]);
    }
    let tried = |factor| length(&program, Manner::Experiment, 'x', factor);
    // x from 10 to 7.5; then y, which takes 7, is the longer one.
    assert!((tried(4.0 / 3.0) - 47_500).abs() < 20, "{}", tried(4.0 / 3.0));
    assert!((tried(2.0) - 45_000).abs() < 20 && (tried(4.0) - 45_000).abs() < 20);
    check(&program);
}

#[test]
fn a_pipeline_is_as_fast_as_its_slowest_stage() {
    let mut program = vec![Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..20 {
        program[0].extend([Work(Some('x'), 3_000), Send(0)]);
        program[1].extend([Receive(0), Work(Some('y'), 5_000), Send(1)]);
        program[2].extend([Receive(1), Work(Some('z'), 4_000)]);
    }
    check(&program);
}

#[test]
fn work_outside_of_the_path_gives_nothing() {
    let program = vec![
        vec![Work(Some('x'), 50_000), Send(0)],
        vec![Work(Some('y'), 10_000), Receive(0), Work(Some('z'), 5_000)],
    ];
    assert!((length(&program, Manner::Experiment, 'y', f64::INFINITY) - 55_000).abs() < 10);
    check(&program);
}

#[test]
fn a_scope_that_several_threads_run_at_once_is_faster_on_all_of_them() {
    let thread = vec![Work(Some('x'), 10_000), Work(None, 5_000), Meet(0)];
    let program = vec![thread.clone(), thread.clone(), thread];
    assert!((length(&program, Manner::Experiment, 'x', 2.0) - 10_000).abs() < 10);
    check(&program);
}

#[test]
fn threads_that_take_turns_with_a_lock_do_so_in_an_experiment() {
    let thread = |own| {
        let one = [Work(Some('y'), own), Lock(0), Work(Some('x'), 4_000), Unlock(0)];
        one.repeat(10)
    };
    check(&vec![thread(1_000), thread(1_100), thread(1_230)]);
}

/// Programs at random in which every message that is awaited is sent and no two locks are held at once.
fn generated(seed: u64) -> Program {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |limit: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 33) % limit
    };
    let n_threads = 2 + below(3) as usize;
    let mut program = vec![Vec::new(); n_threads];
    for _ in 0..8 {
        for steps in &mut program {
            let scope = [Some('x'), Some('y'), Some('z'), None][below(4) as usize];
            steps.push(Work(scope, 1_000 + below(9_000)));
        }
        let (from, to) = (below(n_threads as u64) as usize, below(n_threads as u64) as usize);
        match below(3) {
            0 if from < to => {
                program[from].push(Send(0));
                program[to].push(Receive(0));
                // One receiver at a time, so that messages have one order.
                program.iter_mut().for_each(|steps| steps.push(Meet(1)));
            }
            1 => program.iter_mut().for_each(|steps| steps.push(Meet(0))),
            _ => {}
        }
    }
    program
}

#[test]
fn programs_at_random_take_as_long_tried_as_really_changed() {
    for seed in 1..=300 {
        check(&generated(seed));
    }
}
