//! Labels tell the calls of one scope apart, and nothing else changes.

mod support;

use calor::model::Profile;
use support::{alone, get, warned};

/// Calls of a scope by its labels, each as `key=value`.
fn calls_by_labels(profile: &Profile, name: &str) -> Vec<(String, u64)> {
    let text =
        |(key, value): &(_, _)| format!("{}={}", profile.strings.get(*key), profile.strings.get(*value));
    let mut rows: Vec<_> = profile
        .scopes
        .iter()
        .filter(|(key, _)| profile.stack_name(key.stack) == name)
        .map(|(key, stats)| {
            let mut labels: Vec<_> = profile.labels.get(key.labels).iter().map(text).collect();
            labels.sort();
            (labels.join(" "), stats.calls)
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn each_set_of_labels_has_a_row_of_its_own() {
    let _alone = alone();
    calor::enable();
    let codec = String::from("zstd");
    for n in [8_usize, 64, 64] {
        let scope = calor::open!("labels compress", n = n, codec = &codec, bytes = 100, is_last = n == 64);
        scope.add("bytes_in", n);
        calor::scope!("labels inner");
    }
    calor::scope!("labels compress");
    let profile = calor::snapshot();
    let expected = [("", 0), ("codec=zstd is_last=false n=8", 1), ("codec=zstd is_last=true n=64", 2)];
    assert_eq!(calls_by_labels(&profile, "labels compress"), expected.map(|(text, n)| (text.to_owned(), n)));
    // The call path is one, and so is what is inside; figures are told as without labels.
    assert_eq!(get(&profile, "labels compress").calls, 3);
    assert_eq!(get(&profile, "labels compress").work.bytes, 300);
    assert_eq!(calls_by_labels(&profile, "labels inner"), [(String::new(), 3)]);
}

#[test]
fn counted_scopes_and_futures_can_be_labelled() {
    use calor::InScope;
    let _alone = alone();
    calor::enable();
    for _ in 0..100 {
        calor::scope!("labels counted", time_one_in = 4, threads = 2);
    }
    let site = calor::site!("labels future").labelled(&[("role", "input".into())]);
    let waker = std::task::Waker::noop();
    let mut future = std::pin::pin!(async { 7 }.in_scope(site));
    let polled = Future::poll(future.as_mut(), &mut std::task::Context::from_waker(waker));
    assert_eq!(polled, std::task::Poll::Ready(7));
    let profile = calor::snapshot();
    assert_eq!(calls_by_labels(&profile, "labels counted"), [("threads=2".to_owned(), 100)]);
    assert_eq!(calls_by_labels(&profile, "labels future"), [("role=input".to_owned(), 1)]);
}

#[test]
fn calls_beyond_the_limit_are_recorded_without_labels_and_counted() {
    let _alone = alone();
    calor::enable();
    calor::reset();
    for n in 0..300 {
        calor::scope!("labels endless", n = n);
    }
    let profile = calor::snapshot();
    let rows = calls_by_labels(&profile, "labels endless");
    assert_eq!((rows.len(), &rows[0]), (129, &(String::new(), 172)));
    assert_eq!(warned(&profile, "labels_over_limit"), 172);
}

#[test]
fn a_recording_has_the_labels() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("labels.calor");
    calor::try_start_recording(&path, &calor::RecordingOptions::new()).expect("nobody else records");
    for n in 0..10 {
        calor::scope!("labels recorded", n = n % 2);
    }
    assert_eq!(calor::stop_recording().expect("it was recorded").problem, None);
    let bytes = std::fs::read(&path).expect("it was written");
    let profile = calor_formats::native::read(&bytes).expect("it is whole");
    let expected = [("n=0".to_owned(), 5), ("n=1".to_owned(), 5)];
    assert_eq!(calls_by_labels(&profile, "labels recorded"), expected);
}

#[test]
fn rules_that_ask_for_labels_find_those_that_scopes_have() {
    use calor_analysis::findings::{Facts, Outcome, rules::RULES};
    let _alone = alone();
    calor::enable();
    calor::reset();
    // Sleeps stand for work: fetching takes far more than a twentieth of all, however busy the machine is.
    let millis = std::time::Duration::from_millis;
    for _ in 0..12 {
        let fetch = calor::open!("labels fetch", role = "input");
        std::thread::sleep(millis(5));
        drop(fetch);
        calor::scope!("labels train", role = "step");
        std::thread::sleep(millis(1));
    }
    let profile = calor::snapshot();
    let facts = Facts::new(&profile, None);
    let rule = RULES.iter().find(|rule| rule.about().id == "PYTHON-INPUT-BOUND").expect("there is this rule");
    assert!(matches!(rule.judge(&facts), Outcome::Findings(_)), "{:?}", rule.judge(&facts));
}
