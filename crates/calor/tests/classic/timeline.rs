//! When things happened.

use super::*;

#[test]
fn spans_and_events_are_told_in_order_with_what_is_known_of_them() {
    let timeline = TimelineProfiler::new();
    timeline.start_with("epoch", &[("number", "1")]);
    timeline.start("step");
    timeline.event_with("checkpoint", &[("file", "a.bin"), ("bytes", "12")]);
    timeline.stop("step");
    let took = timeline.stop("epoch").unwrap();
    let events = timeline.events();
    let names: Vec<_> = events.iter().map(|event| (event.name.as_str(), event.duration.is_some())).collect();
    assert_eq!(names, [("epoch", true), ("step", true), ("checkpoint", false)]);
    assert_eq!(events[0].metadata, [(String::from("number"), String::from("1"))]);
    assert_eq!(events[2].metadata.len(), 2);
    assert!(events[0].start <= events[1].start && events[1].start <= events[2].start);
    assert!(events[1].duration <= events[0].duration);
    assert!(took.abs_diff(events[0].duration.unwrap()) <= took / 50 + Duration::from_nanos(2));
}

#[test]
fn the_profile_has_spans_by_thread_and_what_was_said_of_them_as_marks() {
    let timeline = TimelineProfiler::new();
    timeline.start_with("epoch", &[("number", "1")]);
    timeline.start("step");
    timeline.stop("step");
    timeline.stop("epoch");
    thread::scope(|threads| {
        let worker = thread::Builder::new().name(String::from("loader"));
        worker
            .spawn_scoped(threads, || {
                timeline.start("load");
                timeline.event("cache miss");
                timeline.stop("load");
            })
            .unwrap();
    });
    let profile = timeline.snapshot();
    assert_eq!((profile.timeline.n_spans(), profile.timeline.n_marks()), (3, 2));
    let (_, loader) = profile
        .timeline
        .iter()
        .find(|(thread, _)| profile.strings.get(profile.threads.get(*thread).name) == "loader")
        .expect("the loader has a track");
    assert_eq!((loader.spans.len(), loader.marks.len()), (1, 1));
    assert_eq!(profile.path_names(loader.spans[0].stack), ["load"]);
    let (_, main) = profile.timeline.iter().find(|(_, track)| track.spans.len() == 2).unwrap();
    assert_eq!(profile.path_names(main.spans[1].stack), ["epoch", "step"]);
    assert_eq!(profile.strings.get(main.marks[0].details[0].1), "1");
    assert_eq!(scope(&profile, &["epoch", "step"]).calls, 1);
}

#[test]
fn the_newest_are_kept_and_the_others_counted() {
    let timeline = TimelineProfiler::with_capacity(4);
    for i in 0..10 {
        timeline.event(&format!("event {i}"));
    }
    let names: Vec<_> = timeline.events().into_iter().map(|event| event.name).collect();
    assert_eq!(names, ["event 6", "event 7", "event 8", "event 9"]);
    assert_eq!(warning(&timeline.snapshot(), "spans_overwritten"), Some(6));
}

#[test]
fn a_stop_without_a_start_is_an_error_and_a_reset_forgets() {
    let timeline = TimelineProfiler::new();
    assert!(timeline.stop("nothing").is_err());
    timeline.start("open");
    timeline.event("gone");
    timeline.reset();
    timeline.stop("open").unwrap();
    assert!(timeline.is_empty() && timeline.snapshot().timeline.is_empty());
}
