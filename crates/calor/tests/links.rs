//! Threads, locks, channels and barriers of `calor::sync` behave as those of `std`, and tell who waited for whom.

mod support;

use std::time::Duration;

use calor::model::{Link, LinkKind, Profile};
use calor::sync::{Barrier, Condvar, Mutex, channel, scope, spawn, spawn_named, sync_channel};
use support::alone;

/// The links of a fresh timeline of what `program` does.
fn links_of(program: impl FnOnce()) -> (Profile, Vec<Link>) {
    calor::enable_with(&calor::Options::new().timeline(true));
    calor::reset();
    program();
    let profile = calor::snapshot();
    let links = profile.timeline.links.clone();
    (profile, links)
}

fn of_kind(links: &[Link], kind: LinkKind) -> Vec<Link> {
    links.iter().filter(|link| link.kind == kind).copied().collect()
}

fn name(profile: &Profile, thread: calor::model::ThreadId) -> &str {
    profile.strings.get(profile.threads.get(thread).name)
}

#[test]
fn a_thread_tells_who_started_it_and_who_waited_for_its_end() {
    let _alone = alone();
    let (profile, links) = links_of(|| {
        let worker = spawn_named("linked worker", || {
            calor::scope!("linked work");
            std::thread::sleep(Duration::from_millis(20));
            7
        });
        assert_eq!(worker.unwrap().join().unwrap(), 7);
    });
    let [started] = of_kind(&links, LinkKind::Spawn)[..] else { panic!("{links:?}") };
    let [joined] = of_kind(&links, LinkKind::Join)[..] else { panic!("{links:?}") };
    assert_eq!((started.from, started.to), (joined.to, joined.from));
    assert_eq!(name(&profile, started.to), "linked worker");
    assert!(started.from_nanos <= started.to_nanos && started.to_nanos < joined.from_nanos);
    assert!(joined.is_wait() && joined.from_nanos <= joined.to_nanos, "{joined:?}");
    // The worker is the same thread for its spans as for its links.
    let track = profile.timeline.track(started.to).expect("the worker has a track");
    let span = track.spans[0];
    assert!(started.to_nanos <= span.start_nanos, "{started:?} {span:?}");
    assert!(span.start_nanos + span.duration_nanos <= joined.from_nanos, "{joined:?} {span:?}");
}

#[test]
fn a_thread_that_panics_still_tells_its_end() {
    let _alone = alone();
    let (_, links) = links_of(|| {
        let worker = spawn(|| std::panic::resume_unwind(Box::new(1)));
        assert!(worker.join().is_err());
    });
    assert_eq!(of_kind(&links, LinkKind::Join).len(), 1);
}

#[test]
fn borrowing_threads_are_waited_for_at_the_end_of_their_scope() {
    let _alone = alone();
    let mut counted = [0_u64; 3];
    let (profile, links) = links_of(|| {
        scope(|s| {
            for (at, count) in counted.iter_mut().enumerate() {
                s.spawn(move || {
                    std::thread::sleep(Duration::from_millis(5 * at as u64));
                    *count = at as u64 + 1;
                });
            }
        });
    });
    assert_eq!(counted, [1, 2, 3]);
    assert_eq!(of_kind(&links, LinkKind::Spawn).len(), 3);
    let begun = of_kind(&links, LinkKind::Spawn);
    let joined = of_kind(&links, LinkKind::Join);
    // As if they had been joined one after the other, in the order in which they ended.
    assert_eq!(joined.len(), 3, "{links:?}");
    for (at, link) in joined.iter().enumerate() {
        assert!(begun.iter().any(|begun| begun.to == link.from), "{links:?}");
        assert!(link.from_nanos <= link.to_nanos && link.since_nanos <= link.to_nanos, "{link:?}");
        if let Some(next) = joined.get(at + 1) {
            assert_eq!(link.to_nanos, next.since_nanos, "{joined:?}");
        }
    }
    assert_eq!(profile.warnings, []);
}

#[test]
fn a_scope_that_starts_many_threads_remembers_the_last_to_end() {
    let _alone = alone();
    let (_, links) = links_of(|| {
        scope(|s| {
            for _ in 0..100 {
                s.spawn(|| ()).join().unwrap();
            }
        });
    });
    // Each was joined by its handle, and 64 at the end of the scope again.
    let joined = of_kind(&links, LinkKind::Join);
    assert_eq!(joined.len(), 164);
    assert!(joined[100..].iter().all(|link| !link.is_wait()), "{joined:?}");
}

#[test]
fn a_lock_tells_whom_a_thread_waited_for_and_how_long_it_held_it() {
    let _alone = alone();
    let (_, links) = links_of(|| {
        let lock = Mutex::new(0);
        let (ready, is_ready) = std::sync::mpsc::channel();
        std::thread::scope(|s| {
            let mut held = lock.lock().unwrap();
            s.spawn(|| {
                ready.send(()).unwrap();
                *lock.lock().unwrap() += 1;
            });
            is_ready.recv().unwrap();
            // Until the other thread surely asks.
            std::thread::sleep(Duration::from_millis(30));
            *held += 1;
        });
        assert_eq!(lock.into_inner().unwrap(), 2);
    });
    let locks = of_kind(&links, LinkKind::Lock);
    let [first, second] = locks[..] else { panic!("{links:?}") };
    assert!(!first.is_wait() && first.from == first.to && first.held_nanos >= 30_000_000, "{first:?}");
    assert_eq!((second.from, second.object), (first.to, first.object));
    assert!(second.is_wait() && second.from_nanos >= first.to_nanos + first.held_nanos, "{second:?}");
}

#[test]
fn a_condition_variable_tells_who_woke_whom_and_gives_the_lock_up_meanwhile() {
    let _alone = alone();
    let (_, links) = links_of(|| {
        let (is_ready, woken) = (Mutex::new(false), Condvar::new());
        scope(|s| {
            // Held until this thread waits, so that the other one surely finds it waiting.
            let guard = is_ready.lock().unwrap();
            s.spawn(|| {
                *is_ready.lock().unwrap() = true;
                woken.notify_one();
            });
            let guard = woken.wait_while(guard, |is_ready| !*is_ready).unwrap();
            assert!(*guard);
            let (guard, result) = woken.wait_timeout(guard, Duration::from_millis(1)).unwrap();
            assert!(result.timed_out() && *guard);
        });
    });
    let worker = of_kind(&links, LinkKind::Spawn)[0].to;
    let [.., woke] = of_kind(&links, LinkKind::Other)[..] else { panic!("{links:?}") };
    assert!(woke.from == worker && woke.to != worker && woke.is_wait(), "{woke:?}");
    // While one waited the other had the lock, and nobody held it for as long as the wait took.
    let locks = of_kind(&links, LinkKind::Lock);
    assert!(locks.iter().any(|link| link.to == worker), "{locks:?}");
    assert!(
        locks.iter().all(
            |link| link.to_nanos + link.held_nanos <= woke.from_nanos || link.to_nanos >= woke.from_nanos
        )
    );
}

#[test]
fn a_lock_is_poisoned_and_tried_as_that_of_std() {
    let _alone = alone();
    let lock = Mutex::new(1);
    {
        let guard = lock.lock().unwrap();
        assert!(matches!(lock.try_lock(), Err(std::sync::TryLockError::WouldBlock)));
        drop(guard);
    }
    assert_eq!(*lock.try_lock().unwrap(), 1);
    std::thread::scope(|s| {
        let poisoner = s.spawn(|| {
            let _guard = lock.lock().unwrap();
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(poisoner.join().is_err());
    });
    assert!(lock.is_poisoned() && lock.lock().is_err());
    assert_eq!(lock.into_inner().unwrap_err().into_inner(), 1);
}

#[test]
fn a_message_tells_when_and_where_it_was_sent() {
    let _alone = alone();
    let (_, links) = links_of(|| {
        let (sender, receiver) = channel();
        let worker = spawn(move || {
            for message in 0..3 {
                std::thread::sleep(Duration::from_millis(5));
                sender.send(message).unwrap();
            }
        });
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
        worker.join().unwrap();
    });
    let messages = of_kind(&links, LinkKind::Channel);
    assert_eq!(messages.len(), 3);
    assert!(messages.iter().all(|link| link.from != link.to && link.object == messages[0].object));
    assert!(messages.iter().all(|link| link.from_nanos <= link.to_nanos));
}

#[test]
fn a_sender_without_room_waits_for_the_receiver() {
    let _alone = alone();
    let (_, links) = links_of(|| {
        let (sender, receiver) = sync_channel(1);
        let worker = spawn(move || (0..3).for_each(|message| sender.send(message).unwrap()));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!((&receiver).into_iter().sum::<i32>(), 3);
        worker.join().unwrap();
    });
    let room = of_kind(&links, LinkKind::Room);
    assert!(!room.is_empty(), "{links:?}");
    let spawned = of_kind(&links, LinkKind::Spawn)[0];
    assert!(room.iter().all(|link| (link.from, link.to) == (spawned.from, spawned.to)), "{links:?}");
}

#[test]
fn a_barrier_tells_who_came_last_in_every_round() {
    let _alone = alone();
    let (_, links) = links_of(|| {
        let barrier = Barrier::new(2);
        scope(|s| {
            s.spawn(|| {
                for _ in 0..20 {
                    barrier.wait();
                }
            });
            for _ in 0..20 {
                std::thread::sleep(Duration::from_millis(1));
                barrier.wait();
            }
        });
    });
    let arrivals = of_kind(&links, LinkKind::Barrier);
    assert_eq!(arrivals.len(), 40);
    // Of each round, both threads name the same arrival.
    let mut moments: Vec<_> = arrivals.iter().map(|link| (link.from, link.from_nanos)).collect();
    moments.sort_unstable();
    moments.dedup();
    assert_eq!(moments.len(), 20, "{arrivals:?}");
}

#[test]
fn other_ways_of_waiting_can_be_told() {
    let _alone = alone();
    let (_, links) = links_of(|| {
        let ready = calor::link::signal();
        std::thread::spawn(move || calor::link::wait().end(ready)).join().unwrap();
    });
    assert_eq!(of_kind(&links, LinkKind::Other).len(), 1);
}

#[test]
fn without_a_timeline_nothing_is_told() {
    let _alone = alone();
    calor::enable_with(&calor::Options::new());
    calor::reset();
    spawn(|| ()).join().unwrap();
    assert_eq!(calor::snapshot().timeline.links, []);
}

#[test]
fn a_recording_holds_every_link_once() {
    let _alone = alone();
    calor::enable_with(&calor::Options::new().timeline(true));
    spawn(|| ()).join().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("links.calor");
    let options = calor::RecordingOptions::new().interval(Duration::from_millis(5));
    calor::try_start_recording(&path, &options).unwrap();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(2));
        spawn(|| ()).join().unwrap();
    }
    assert_eq!(calor::stop_recording().unwrap().problem, None);
    let profile = calor_formats::native::read(&std::fs::read(&path).unwrap()).unwrap();
    for kind in [LinkKind::Spawn, LinkKind::Join] {
        assert_eq!(of_kind(&profile.timeline.links, kind).len(), 20, "{:?}", profile.timeline.links);
    }
}

#[test]
fn links_that_are_overwritten_are_counted_until_everything_is_reset() {
    let _alone = alone();
    let lock = Mutex::new(0);
    let told = |n: u64| {
        for _ in 0..n {
            *lock.lock().unwrap() += 1;
        }
        calor::snapshot()
    };
    calor::enable_with(&calor::Options::new().timeline(true));
    calor::reset();
    // A thread's links go to one of the rings, which holds 65,536.
    let profile = told(65_536 + 100);
    assert_eq!(support::warned(&profile, "links_overwritten"), 100);
    assert_eq!(of_kind(&profile.timeline.links, LinkKind::Lock).len(), 65_536);
    calor::reset();
    let profile = told(10);
    assert_eq!(support::warned(&profile, "links_overwritten"), 0);
    assert_eq!(of_kind(&profile.timeline.links, LinkKind::Lock).len(), 10);
}

#[cfg(unix)]
#[test]
#[expect(unsafe_code, reason = "a fork is a C interface")]
fn a_forked_child_does_not_take_signals_of_its_parent_for_those_of_its_own_threads() {
    let _alone = alone();
    calor::enable_with(&calor::Options::new().timeline(true));
    calor::reset();
    let lock = Mutex::new(());
    drop(lock.lock());
    let ready = calor::link::signal();
    // SAFETY: the child uses what Calor offers after a fork, which is the point, and leaves without unwinding.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        calor::link::wait().end(ready);
        drop(lock.lock());
        let links = calor::snapshot().timeline.links;
        let is_own = links.len() == 1 && links[0].kind == LinkKind::Lock && !links[0].is_wait();
        // SAFETY: ends the process at once, as a child of a test has to.
        unsafe { libc::_exit(i32::from(!is_own)) };
    }
    let mut status = 0;
    // SAFETY: the pointer is to a local.
    assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
    assert_eq!(status, 0, "the child has links from before the fork");
}
