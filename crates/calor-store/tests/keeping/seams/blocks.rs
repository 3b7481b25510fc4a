//! The promises of [`Blocks`](calor_store::Blocks).

use calor_formats::parts::{PartStream, Window};
use calor_model::Profile;
use calor_store::{
    Appended, BlockSink, Blocks, Encoded, Error, Limits, Merged, Series, SeriesFilter, Store, SumKind,
};

use super::super::workbench::profile;
use super::{Keeper, for_each};

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;

fn series(service: &str, host: &str) -> Series {
    Series { service: service.to_owned(), kind: "cpu".to_owned(), ..Series::default() }.label("host", host)
}

fn window(from_seconds: u64, until_seconds: u64) -> Window {
    Window::new(from_seconds * SECOND, until_seconds * SECOND)
}

/// Everything that there is.
fn ever() -> Window {
    Window::new(0, u64::MAX)
}

fn part(number: u64) -> Encoded {
    Encoded::of(profile(number)).expect("it can be encoded")
}

fn append(keeper: &mut dyn Keeper, series: &Series, window: Window, number: u64) -> Appended {
    keeper.append(series, window, &part(number), &Limits::default()).expect("it can be appended")
}

/// A minute of each of two hosts in two hours and a bit; what each took is its number times 1000 ns.
fn filled(keeper: &mut dyn Keeper) {
    for minute in 0..125 {
        for (host, offset) in [("a", 0), ("b", 1000)] {
            let window = window(minute * 60, (minute + 1) * 60);
            assert_eq!(append(keeper, &series("web", host), window, offset + minute + 1), Appended::Kept);
        }
    }
}

fn of_host(host: &str) -> SeriesFilter {
    SeriesFilter { labels: vec![("host".to_owned(), host.to_owned())], ..SeriesFilter::default() }
}

fn cpu(profile: &Profile) -> u64 {
    profile.samples.iter().map(|(_, weight)| weight.nanos).sum()
}

/// The sum from one number to another, times 1000.
fn from_to(first: u64, last: u64) -> u64 {
    (first..=last).sum::<u64>() * 1000
}

fn n_blocks(keeper: &dyn Keeper) -> u64 {
    let all = keeper.series(&SeriesFilter::default()).expect("series can be listed");
    all.iter().map(|series| series.n_blocks).sum()
}

#[track_caller]
fn check_sum(merged: &Merged, expected: u64, window: Window) {
    assert_eq!(cpu(&merged.profile), expected);
    assert_eq!(merged.window, Some(window));
}

#[test]
fn a_range_is_the_sum_of_the_blocks_that_overlap_it() {
    for_each(|keeper| {
        filled(keeper);
        let merged = |filter: &SeriesFilter, window| keeper.merged(filter, window).expect("it can be read");
        check_sum(&merged(&of_host("a"), window(60, 180)), from_to(2, 3), window(60, 180));
        // A block is never cut: the answer says what it is of.
        check_sum(&merged(&of_host("a"), window(61, 121)), from_to(2, 3), window(60, 180));
        let both = SeriesFilter { service: Some("web".to_owned()), ..SeriesFilter::default() };
        check_sum(&merged(&both, window(0, 60)), from_to(1, 1) + from_to(1001, 1001), window(0, 60));
        let nothing = merged(&SeriesFilter { kind: Some("heap".to_owned()), ..both }, ever());
        assert!(nothing.profile.is_empty() && nothing.window.is_none() && nothing.n_blocks == 0);
        assert!(merged(&of_host("a"), window(125 * 60, 200 * 60)).profile.is_empty());
    });
}

#[test]
fn filters_choose_series_by_service_kind_and_labels() {
    for_each(|keeper| {
        let bare = Series { service: "batch".to_owned(), kind: "heap".to_owned(), ..Series::default() };
        for series in
            [&series("web", "a"), &series("web", "b"), &series("web", "b").label("zone", "x"), &bare]
        {
            append(keeper, series, window(0, 60), 1);
        }
        let count = |filter: SeriesFilter| keeper.series(&filter).expect("series can be listed").len();
        let pair = |key: &str, value: &str| vec![(key.to_owned(), value.to_owned())];
        assert_eq!(count(SeriesFilter::default()), 4);
        assert_eq!(count(SeriesFilter { service: Some("web".to_owned()), ..Default::default() }), 3);
        assert_eq!(count(SeriesFilter { kind: Some("heap".to_owned()), ..Default::default() }), 1);
        assert_eq!(count(SeriesFilter { labels: pair("host", "b"), ..Default::default() }), 2);
        // Who has no such label does not have this one either.
        assert_eq!(count(SeriesFilter { without: pair("host", "b"), ..Default::default() }), 2);
        assert_eq!(count(SeriesFilter { without: pair("zone", "x"), ..of_host("b") }), 1);
        let listed = keeper.series(&SeriesFilter::default()).unwrap();
        assert_eq!(listed[0].series, bare, "in order");
        assert_eq!((listed[0].window, listed[0].n_blocks), (window(0, 60), 1));
    });
}

#[test]
fn a_part_that_is_appended_again_counts_once_also_when_it_was_sealed() {
    for_each(|keeper| {
        let series = series("web", "a");
        for _ in 0..2 {
            for minute in 0..3 {
                append(keeper, &series, window(minute * 60, minute * 60 + 60), minute + 1);
            }
        }
        assert_eq!(append(keeper, &series, window(0, 60), 1), Appended::Known);
        assert_eq!(n_blocks(keeper), 3);
        assert_eq!(keeper.seal(2 * HOUR).unwrap().n_blocks, 3);
        assert_eq!(append(keeper, &series, window(60, 120), 2), Appended::Known);
        // The same bytes of another time are another part.
        assert_eq!(append(keeper, &series, window(180, 240), 2), Appended::Kept);
        check_sum(
            &keeper.merged(&of_host("a"), ever()).unwrap(),
            from_to(1, 3) + from_to(2, 2),
            window(0, 240),
        );
    });
}

#[test]
fn sealing_makes_one_block_of_an_hour_and_changes_no_sum() {
    for_each(|keeper| {
        filled(keeper);
        let whole = |keeper: &dyn Keeper| keeper.merged(&of_host("b"), ever()).expect("it can be read");
        let steps = |keeper: &dyn Keeper| {
            let sums = keeper.sums_by_step(&of_host("b"), SumKind::Cpu, ever(), 600 * SECOND);
            sums.expect("sums can be read")
        };
        let (before, steps_before) = (whole(keeper), steps(keeper));
        assert_eq!(n_blocks(keeper), 250);
        // The third hour is not over.
        let sealed = keeper.seal(2 * HOUR + 1).unwrap();
        assert_eq!((sealed.n_hours, sealed.n_blocks, sealed.n_unread), (4, 240, 0));
        assert_eq!(n_blocks(keeper), 4 + 10);
        let after = whole(keeper);
        assert_eq!((cpu(&after.profile), after.window), (cpu(&before.profile), before.window));
        assert_eq!(after.profile.samples.len(), before.profile.samples.len());
        assert_eq!(steps(keeper), steps_before, "steps stay as fine as the parts were");
        // An hour is now the least that can be asked for.
        check_sum(&keeper.merged(&of_host("a"), window(60, 120)).unwrap(), from_to(1, 60), window(0, 3600));
        assert_eq!(keeper.seal(2 * HOUR + 1).unwrap().n_hours, 0, "nothing is left to do");
        // What comes late is kept, and goes into its hour the next time.
        append(keeper, &series("web", "a"), window(30, 90), 5);
        check_sum(
            &keeper.merged(&of_host("a"), window(0, 60)).unwrap(),
            from_to(1, 60) + 5000,
            window(0, 3600),
        );
        let late = keeper.seal(2 * HOUR).unwrap();
        assert_eq!((late.n_hours, late.n_blocks), (1, 2));
        check_sum(
            &keeper.merged(&of_host("a"), window(0, 60)).unwrap(),
            from_to(1, 60) + 5000,
            window(0, 3600),
        );
    });
}

#[test]
fn steps_begin_at_whole_multiples_and_say_how_much_was_measured() {
    for_each(|keeper| {
        filled(keeper);
        let sums = |range, step| keeper.sums_by_step(&of_host("a"), SumKind::Cpu, range, step).unwrap();
        let found = sums(window(0, 3600), 1200 * SECOND);
        let steps: Vec<_> =
            found[0].steps.iter().map(|step| (step.from_unix_nanos / SECOND, step.value)).collect();
        assert_eq!(steps, [(0, from_to(1, 20)), (1200, from_to(21, 40)), (2400, from_to(41, 60))]);
        assert_eq!(found[0].steps[1].measured_nanos, 1200 * SECOND);
        // A moving range changes only the steps that it cuts off.
        let moved = sums(window(600, 4200), 1200 * SECOND);
        assert_eq!(moved[0].steps[1..3], found[0].steps[1..3]);
        assert_eq!(
            (moved[0].steps[0].value, moved[0].steps[0].measured_nanos),
            (from_to(11, 20), 600 * SECOND)
        );
        let heap = keeper.sums_by_step(&of_host("a"), SumKind::Allocated, ever(), SECOND).unwrap();
        assert!(heap.is_empty(), "what was not recorded is not 0");
    });
}

#[test]
fn limits_hold_whenever_a_part_was_appended_and_the_oldest_go_first() {
    for_each(|keeper| {
        let size = part(10).bytes().len() as u64;
        let limits =
            Limits { most_bytes: Some(3 * size + size / 2), most_blocks: Some(5), ..Limits::default() };
        for second in 10..40 {
            let window = window(second, second + 1);
            keeper.append(&series("web", "a"), window, &part(second), &limits).unwrap();
            let kept = keeper.series(&SeriesFilter::default()).unwrap();
            assert!(kept[0].bytes <= 3 * size + size / 2 && kept[0].n_blocks <= 5, "{kept:?}");
            assert_eq!(kept[0].window.until_unix_nanos, window.until_unix_nanos, "the newest is there");
        }
        let large = Limits { most_bytes: Some(size / 2), ..Limits::default() };
        let refused = keeper.append(&series("web", "a"), window(50, 51), &part(50), &large);
        assert!(matches!(refused, Err(Error::LargePart { .. })), "{refused:?}");
        let aged = Limits { oldest_unix_nanos: Some(39 * SECOND), ..Limits::default() };
        let late = keeper.append(&series("web", "a"), window(1, 2), &part(1), &aged).unwrap();
        assert_eq!(late, Appended::TooOld);
        let expired = keeper.expire(&aged).unwrap();
        assert!(expired.n_blocks >= 1 && expired.bytes >= size, "{expired:?}");
        assert_eq!(n_blocks(keeper), 1);
        assert_eq!(keeper.expire(&aged).unwrap().n_blocks, 0);
        keeper.expire(&Limits { most_blocks: Some(0), ..Limits::default() }).unwrap();
        assert!(keeper.series(&SeriesFilter::default()).unwrap().is_empty());
    });
}

#[test]
fn a_part_of_more_than_an_hour_is_refused() {
    for_each(|keeper| {
        let refused = keeper.append(&series("web", "a"), window(0, 3601), &part(1), &Limits::default());
        assert!(matches!(refused, Err(Error::LongPart { .. })), "{refused:?}");
        assert!(keeper.series(&SeriesFilter::default()).unwrap().is_empty());
        // One that lies across the end of an hour belongs to the hour in which it begins.
        append(keeper, &series("web", "a"), window(3590, 7000), 1);
        let merged = keeper.merged(&of_host("a"), window(6900, 6901)).unwrap();
        assert_eq!(merged.n_blocks, 1);
    });
}

#[test]
fn a_recording_that_goes_to_a_store_is_read_back_as_a_whole() {
    let keeper = Store::in_memory().expect("there is memory");
    let sink = BlockSink::new(keeper, series("web", "a"), Limits::default());
    let mut stream = PartStream::new(sink);
    for second in 1..=3 {
        let mut part = profile(second);
        part.runs[0].started_at_unix_nanos = 100 * SECOND;
        part.runs[0].duration_nanos = second * SECOND;
        stream.add(part).expect("the store takes it");
    }
    stream.end().expect("it ends");
    let store = stream.sink().blocks();
    check_sum(&store.merged(&of_host("a"), ever()).unwrap(), from_to(1, 3), window(100, 103));
    check_sum(&store.merged(&of_host("a"), window(101, 102)).unwrap(), from_to(2, 2), window(101, 102));
}
