//! Pairs of implementations with one known cause each. Their figures are made up, in the proportions that such programs have;
//! programs that are built, run and recorded are explained in `crates/calor-cli/tests/why` and `benches/why`.

use super::*;
use crate::{Class, MachineRoof, RoofTier};

const SIZES: [f64; 6] = [256.0, 1024.0, 4096.0, 16384.0, 262_144.0, 1_048_576.0];

fn points(nanos: impl Fn(f64) -> [f64; 2]) -> Vec<WhyPoint> {
    let point = |size: f64| {
        let cpu = nanos(size);
        WhyPoint { size, cpu, wall: cpu, bytes: Some(12.0 * size), interval: None }
    };
    SIZES.map(point).to_vec()
}

fn hot(share: f64, class: Class) -> WhyLoop {
    WhyLoop {
        function: "add".to_owned(),
        place: Some("add.rs:7".to_owned()),
        share,
        class,
        number_bytes: Some(4),
        far_share: 0.0,
        has_far_walk: false,
        n_streams: 1,
        moved: Some(2.0),
        converting: 0.0,
        has_lock: false,
        has_call: false,
        threads: vec![0],
    }
}

fn side(loops: &[WhyLoop]) -> WhySide {
    WhySide {
        n_samples: 1_000,
        parts: WhyParts { own: 1.0, ..WhyParts::default() },
        loops: loops.to_vec(),
        n_threads: 1,
        heap_bytes: Some(0.0),
        heap_blocks: Some(0.0),
        ..WhySide::default()
    }
}

/// 20 ns a call and 0.1 ns an element with vectors of 256 bits.
fn good() -> WhySide {
    side(&[hot(0.95, Class::Avx2)])
}

fn line(fixed: f64, each: f64) -> impl Fn(f64) -> [f64; 2] {
    move |size| [20.0 + 0.1 * size, fixed + each * size]
}

fn explained(points: Vec<WhyPoint>, slow: WhySide) -> Why {
    explained_elsewhere(points, slow, None)
}

fn explained_elsewhere(points: Vec<WhyPoint>, slow: WhySide, elsewhere: Option<(f64, WhySide)>) -> Why {
    let clock = why_clock(&points);
    let focus = why_focus(&points, clock).expect("there is a gap");
    why(&WhyEvidence { points, focus, clock, sides: [good(), slow], elsewhere, roof: None })
        .expect("there is time")
}

fn check(why: &Why, cause: WhyCause, least: f64) {
    let first = why.reasons.first().expect("there is a cause");
    assert_eq!(first.cause, cause, "{why:#?}");
    assert!(first.share >= least && !first.evidence.is_empty(), "{why:#?}");
    let told: f64 = why.reasons.iter().map(|reason| reason.share).sum();
    assert!((told + why.unexplained - 1.0).abs() < 1e-6, "{why:#?}");
}

#[test]
fn a_loop_of_single_numbers_is_narrow_code() {
    check(&explained(points(line(20.0, 0.5)), side(&[hot(0.97, Class::Scalar)])), WhyCause::ScalarCode, 0.8);
}

#[test]
fn a_loop_around_calls_tells_nothing_of_their_width() {
    let around = WhyLoop { has_call: true, ..hot(0.3, Class::Scalar) };
    let found = explained(points(line(20.0, 0.9)), side(&[around, hot(0.1, Class::Avx2)]));
    assert!(found.reasons.iter().all(|reason| reason.cause != WhyCause::ScalarCode), "{found:#?}");
}

#[test]
fn a_clone_of_the_input_is_a_copy_at_any_size() {
    let copied = |memory: f64, copying: f64| WhySide {
        parts: WhyParts { copying, memory, own: 1.0 - copying - memory, ..WhyParts::default() },
        heap_bytes: Some(4.0 * 256.0),
        heap_blocks: Some(1.0),
        ..side(&[hot(1.0 - copying - memory, Class::Avx2)])
    };
    // The same number of larger blocks is larger data,
    let mut larger = copied(0.0, 0.0);
    larger.heap_blocks = Some(0.0);
    larger.loops[0].number_bytes = Some(8);
    check(&explained(points(line(20.0, 0.2)), larger), WhyCause::Upcast, 0.8);
    // At the smallest size most of it is getting memory,
    check(&explained(points(line(80.0, 0.11)), copied(0.5, 0.1)), WhyCause::Copies, 0.7);
    // and at the largest, copying.
    let mut at_large = copied(0.2, 0.3);
    at_large.heap_bytes = Some(4.0 * 1_048_576.0);
    check(&explained(points(line(20.0, 0.21)), at_large), WhyCause::Copies, 0.7);
}

#[test]
fn a_call_that_sleeps_waits_though_falling_asleep_costs_time_of_the_processor() {
    // 10 µs to fall asleep and wake up, and 300 µs in between.
    let mut sleeping = points(line(10_020.0, 0.1));
    for point in &mut sleeping {
        point.wall[1] = point.cpu[1] + 300_000.0;
    }
    check(&explained(sleeping, good()), WhyCause::Waiting, 0.9);
}

#[test]
fn two_loops_where_one_would_do_are_an_extra_pass() {
    let slow = side(&[hot(0.52, Class::Avx2), hot(0.45, Class::Avx2)]);
    check(&explained(points(line(20.0, 0.18)), slow), WhyCause::ExtraPass, 0.8);
}

#[test]
fn what_each_call_costs_is_overhead_whatever_it_consists_of() {
    let slow = WhySide {
        parts: WhyParts { memory: 0.3, copying: 0.1, own: 0.6, ..WhyParts::default() },
        heap_bytes: Some(90.0),
        heap_blocks: Some(2.0),
        ..side(&[hot(0.4, Class::Integer), hot(0.1, Class::Avx2)])
    };
    check(&explained(points(line(2_020.0, 0.1)), slow), WhyCause::CallOverhead, 0.9);
}

#[test]
fn a_fast_path_that_is_taken_at_another_size_is_dispatch() {
    let nanos = |size: f64| {
        let fast = 20.0 + 0.1 * size;
        [fast, if size < 100_000.0 { 20.0 + 0.6 * size } else { fast * 1.01 }]
    };
    let elsewhere = Some((1_048_576.0, side(&[hot(0.95, Class::Avx2)])));
    let found = explained_elsewhere(points(nanos), side(&[hot(0.97, Class::Scalar)]), elsewhere);
    check(&found, WhyCause::Dispatch, 0.8);
    assert!(found.reasons[0].evidence[1].contains("16k and 256k"), "{found:#?}");
    // The same loop at both sizes, slower near than far, is not.
    let same = Some((1_048_576.0, side(&[hot(0.97, Class::Scalar)])));
    let found = explained_elsewhere(points(nanos), side(&[hot(0.97, Class::Scalar)]), same);
    check(&found, WhyCause::ScalarCode, 0.8);
}

#[test]
fn strides_explain_that_their_loop_is_scalar() {
    let strided = WhyLoop { far_share: 0.8, has_far_walk: true, ..hot(0.96, Class::Scalar) };
    check(&explained(points(line(20.0, 3.0)), side(&[strided])), WhyCause::StridedAccess, 0.8);
}

#[test]
fn a_loop_around_calls_tells_nothing_of_strides() {
    let around = WhyLoop { far_share: 0.8, has_far_walk: true, has_call: true, ..hot(0.2, Class::Integer) };
    let found = explained(points(line(20.0, 3.0)), side(&[around]));
    assert!(found.reasons.iter().all(|reason| reason.cause != WhyCause::StridedAccess), "{found:#?}");
}

#[test]
fn conversions_there_and_back_are_an_upcast() {
    let upcast = WhyLoop { converting: 0.4, number_bytes: Some(8), ..hot(0.96, Class::Avx2) };
    check(&explained(points(line(20.0, 0.35)), side(&[upcast])), WhyCause::Upcast, 0.8);
    let long = WhyLoop { number_bytes: Some(10), ..hot(0.96, Class::Scalar) };
    check(&explained(points(line(20.0, 1.8)), side(&[long])), WhyCause::Upcast, 0.8);
    let double = WhyLoop { number_bytes: Some(8), ..hot(0.96, Class::Avx2) };
    check(&explained(points(line(20.0, 0.2)), side(&[double])), WhyCause::Upcast, 0.8);
}

#[test]
fn locks_are_found_in_loops_and_in_waiting() {
    let locked = WhyLoop { has_lock: true, ..hot(0.96, Class::Integer) };
    check(&explained(points(line(20.0, 5.0)), side(&[locked])), WhyCause::Lock, 0.8);
    let mut serial = points(|size| [20.0 + 0.1 * size, 22.0 + 0.1 * size]);
    for point in &mut serial {
        point.wall = [point.cpu[0] / 1.9, point.cpu[1] / 0.98];
    }
    let stay = WhyStay { function: "add".to_owned(), reason: crate::WaitReason::Lock, part: 0.8, count: 900 };
    let slow = WhySide { stays: Some(vec![stay]), ..good() };
    let found = explained(serial.clone(), slow);
    check(&found, WhyCause::Lock, 0.8);
    assert_eq!(found.clock, WhyClock::Wall);
    let mut fewer = WhyEvidence { points: serial, clock: WhyClock::Wall, ..WhyEvidence::default() };
    fewer.sides = [WhySide { n_threads: 2, ..good() }, good()];
    check(&why(&fewer).expect("there is time"), WhyCause::Threads, 0.8);
    // Threads that come and go are not more of them by number, and who is at work all the time does not wait.
    fewer.sides = [good(), good()];
    check(&why(&fewer).expect("there is time"), WhyCause::Threads, 0.8);
}

#[test]
fn interpreted_code_is_told_as_such() {
    let slow = WhySide {
        parts: WhyParts { interpreter: 0.8, memory: 0.15, own: 0.05, ..WhyParts::default() },
        ..side(&[])
    };
    check(&explained(points(line(50.0, 40.0)), slow), WhyCause::Interpreter, 0.8);
}

#[test]
fn what_counts_as_interpreted_is_told() {
    let slow = WhySide {
        parts: WhyParts { interpreter: 0.4, memory: 0.2, own: 0.4, ..WhyParts::default() },
        ..side(&[])
    };
    let found = explained(points(line(50.0, 40.0)), slow);
    check(&found, WhyCause::Interpreter, 0.9);
    let told = found.reasons[0].evidence.join("\n");
    for expected in
        ["(40 % of its CPU time)", "(20 % of the CPU time of B) are spent to get", "without a loop"]
    {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

/// A side that is in these functions, so much of it in an interpreter.
fn within(functions: &[(&str, f64)], interpreter: f64) -> WhySide {
    WhySide {
        parts: WhyParts { interpreter, own: 1.0 - interpreter, ..WhyParts::default() },
        functions: functions.iter().map(|(name, share)| ((*name).to_owned(), *share)).collect(),
        ..side(&[])
    }
}

#[test]
fn a_path_that_changes_at_a_size_is_dispatch_whatever_runs_behind_it() {
    let compiled = || within(&[("multiply", 0.9), ("call", 0.05)], 0.02);
    let interpreted = || within(&[("switch", 0.1), ("next", 0.08), ("call", 0.04)], 0.6);
    let nanos = |is_slow: fn(f64) -> bool| {
        move |size: f64| [450.0 + 0.12 * size, 480.0 + if is_slow(size) { 130.0 } else { 0.12 } * size]
    };
    let step = |is_slow: fn(f64) -> bool, elsewhere: (f64, WhySide)| {
        explained_elsewhere(points(nanos(is_slow)), interpreted(), Some(elsewhere))
    };
    // From a size on, or up to one.
    let up = step(|size| size > 100_000.0, (16_384.0, compiled()));
    check(&up, WhyCause::Dispatch, 0.95);
    let told = &up.reasons[0].evidence;
    assert!(told[0].contains("the path changes between the sizes 16k and 256k"), "{told:#?}");
    assert!(
        told[1].contains("60 % in the interpreter") && told[1].contains("90 % in `multiply`"),
        "{told:#?}"
    );
    assert!(told[2].contains("interpreted code: the interpreter itself takes"), "{told:#?}");
    check(&step(|size| size < 10_000.0, (1_048_576.0, compiled())), WhyCause::Dispatch, 0.95);
    let last = step(|size| size > 1e6, (16_384.0, compiled()));
    check(&last, WhyCause::Dispatch, 0.95);
    // The same functions at both sizes are no other path.
    let same = step(|size| size > 100_000.0, (16_384.0, interpreted()));
    check(&same, WhyCause::Interpreter, 0.9);
}

#[test]
fn what_grows_is_no_other_path() {
    let check = |nanos: fn(f64) -> [f64; 2]| {
        let elsewhere = Some((256.0, within(&[("call", 0.9)], 0.1)));
        let found = explained_elsewhere(points(nanos), within(&[("multiply", 0.9)], 0.0), elsewhere);
        assert!(found.reasons.iter().all(|reason| reason.cause != WhyCause::Dispatch), "{found:#?}");
    };
    // What a call costs hides what elements cost at small sizes.
    check(|size| [100_000.0 + 0.1 * size, 100_000.0 + 4.0 * size]);
    // The square of the size.
    check(|size| [1_000.0 + size, 1_000.0 + size + 1e-4 * size * size]);
}

#[test]
fn sides_that_part_beyond_the_caches_differ_in_traffic() {
    let nanos = |size: f64| {
        let fast = 20.0 + 0.1 * size;
        [fast, if size < 100_000.0 { fast * 1.02 } else { fast * 1.8 }]
    };
    let same = || Some((256.0, good()));
    check(&explained_elsewhere(points(nanos), good(), same()), WhyCause::Bandwidth, 0.8);
    // What is quicker near the processor may move more.
    let crossing = |size: f64| nanos(size).map(|time| if size < 5_000.0 { time * 0.9 } else { time });
    let crossing = |size: f64| [nanos(size)[0], crossing(size)[1]];
    check(&explained_elsewhere(points(crossing), good(), same()), WhyCause::Bandwidth, 0.8);
    // What it loses near the processor, too, is not for memory, and is not explained by it.
    let both = |size: f64| [nanos(size)[0], 1.4 * nanos(size)[1]];
    let found = explained_elsewhere(points(both), good(), same());
    check(&found, WhyCause::Bandwidth, 0.6);
    assert!((0.2..0.4).contains(&found.unexplained), "{found:#?}");
    let everywhere = |size: f64| [nanos(size)[0], 1.6 * nanos(size)[0]];
    let found = explained_elsewhere(points(everywhere), good(), same());
    assert!(found.reasons.iter().all(|reason| reason.cause != WhyCause::Bandwidth), "{found:#?}");
}

#[test]
fn a_side_that_takes_no_longer_for_far_elements_is_not_limited_by_memory() {
    // The gap grows from 3 to 33 times, since what a call of A costs is spread over more elements.
    let spread = |size: f64| [400.0 + 0.13 * size, 400.0 + 4.3 * size];
    let found = explained(points(spread), side(&[hot(0.9, Class::Avx2)]));
    assert!(found.reasons.iter().all(|reason| reason.cause != WhyCause::Bandwidth), "{found:#?}");
}

#[test]
fn what_is_lost_near_is_told_at_the_size_where_it_is() {
    let nanos = |size: f64| [100.0 + 0.1 * size, 100.0 + if size < 4_000.0 { 0.4 } else { 2.0 } * size];
    let sides = [good(), good()];
    let points = points(nanos);
    let found = why(&WhyEvidence { points, focus: 5, sides, roof: Some(roof()), ..WhyEvidence::default() });
    let found = found.expect("there is time");
    check(&found, WhyCause::Bandwidth, 0.6);
    let told = &found.reasons[0].evidence[0];
    // 509.6 by 202.4 ns at 1k; 202.4 by 125.6 ns at 256.
    assert!(told.contains("B takes 2.5 times as long at size 1k and"), "{told}");
}

/// 20 GB/s from far memory, which begins at 1 MiB.
fn roof() -> MachineRoof {
    let tier = |name: &str, bytes: Option<u64>, bytes_per_s: f64| RoofTier {
        name: name.to_owned(),
        bytes,
        bytes_per_s,
        all_cores_bytes_per_s: None,
    };
    let tiers = vec![tier("L1", Some(32 << 10), 1e11), tier("DRAM", None, 2e10)];
    MachineRoof { tiers, ..MachineRoof::default() }
}

#[test]
fn loops_that_move_more_at_the_rate_of_memory_are_limited_by_it_whatever_small_sizes_say() {
    // One stretch is changed in place; or another is written, which is slower near the processor as well.
    let traffic = |each: f64, moved: f64, threads: &[usize]| {
        let share = 0.96 / threads.len() as f64;
        let copy = |thread: &usize| WhyLoop {
            n_streams: 2,
            moved: Some(moved),
            threads: vec![*thread],
            ..hot(share, Class::Avx2)
        };
        let points = points(|size| [0.55 * each * size, each * size]);
        let sides = [good(), side(&threads.iter().map(copy).collect::<Vec<_>>())];
        let evidence = WhyEvidence { points, focus: 5, sides, roof: Some(roof()), ..WhyEvidence::default() };
        why(&evidence).expect("there is time")
    };
    // 12 bytes an element are two stretches of 6: 18 bytes in 1 ns are 90 % of what memory delivers.
    let found = traffic(1.0, 3.0, &[0]);
    check(&found, WhyCause::Bandwidth, 0.7);
    assert!(found.reasons[0].evidence[2].contains("90 %"), "{found:#?}");
    // At a tenth of the rate memory does not limit.
    let slow = traffic(10.0, 3.0, &[0]);
    assert!(slow.reasons.is_empty() && slow.unexplained == 1.0, "{slow:#?}");
    // Threads that share out one pass do not move more than one that makes it alone.
    let shared = traffic(1.0, 2.0, &[0, 1]);
    assert!(shared.reasons.iter().all(|reason| reason.cause != WhyCause::Bandwidth), "{shared:#?}");
}

#[test]
fn rates_beyond_what_memory_delivers_are_not_told() {
    let notes = |each: f64| {
        let points = points(|size| [each * size, 5.0 * each * size]);
        let sides = [good(), side(&[hot(0.97, Class::Scalar)])];
        let evidence = WhyEvidence { points, focus: 5, sides, roof: Some(roof()), ..WhyEvidence::default() };
        why(&evidence).expect("there is time").notes.join("\n")
    };
    // 12 bytes in 1 ns are 60 %, and in 0.3 ns twice what memory delivers.
    assert!(notes(1.0).contains("at 60 % of what DRAM delivers"), "{}", notes(1.0));
    assert!(notes(0.3).contains("is not known") && !notes(0.3).contains('%'), "{}", notes(0.3));
}

#[test]
fn sides_that_keep_as_many_processors_busy_do_not_wait() {
    let mut points = points(line(20.0, 0.1));
    for point in &mut points {
        point.wall = [point.cpu[0] / 0.34, point.cpu[1] / 0.34 * 1.05];
    }
    let evidence = WhyEvidence {
        points,
        focus: 5,
        clock: WhyClock::Wall,
        sides: [good(), good()],
        ..WhyEvidence::default()
    };
    let found = why(&evidence).expect("there is time");
    assert!(found.reasons.iter().all(|reason| reason.cause != WhyCause::Waiting), "{found:#?}");
}

#[test]
fn copies_of_a_loop_that_threads_share_out_are_one_pass() {
    let copies = |threads: [usize; 2]| {
        let copy = |thread: usize| WhyLoop { threads: vec![thread], ..hot(0.48, Class::Avx2) };
        explained(points(line(20.0, 0.18)), side(&threads.map(copy)))
    };
    check(&copies([0, 0]), WhyCause::ExtraPass, 0.8);
    assert!(copies([0, 1]).reasons.is_empty());
}

#[test]
fn two_causes_share_the_gap_and_the_rest_is_said() {
    let slow = side(&[hot(0.5, Class::Scalar), hot(0.45, Class::Scalar)]);
    let found = explained(points(line(20.0, 1.6)), slow);
    check(&found, WhyCause::ScalarCode, 0.6);
    assert!(found.reasons.iter().any(|reason| reason.cause == WhyCause::ExtraPass), "{found:#?}");
    // A hundred times slower is more than eight numbers at a time explain.
    let found = explained(points(line(20.0, 10.0)), side(&[hot(0.97, Class::Scalar)]));
    assert!(found.unexplained > 0.5, "{found:#?}");
    let counted = WhySide { instructions: Some(100_000.0), ..side(&[]) };
    let evidence = WhyEvidence {
        points: points(line(20.0, 1.0)),
        focus: 5,
        sides: [WhySide { instructions: Some(10_000.0), ..side(&[]) }, counted],
        ..WhyEvidence::default()
    };
    check(&why(&evidence).expect("there is time"), WhyCause::MoreInstructions, 0.8);
}

#[test]
fn the_side_that_is_slower_is_the_one_explained() {
    let points = points(|size| [20.0 + 0.5 * size, 20.0 + 0.1 * size]);
    let sides = [side(&[hot(0.97, Class::Scalar)]), good()];
    let found =
        why(&WhyEvidence { points, focus: 5, sides, ..WhyEvidence::default() }).expect("there is time");
    check(&found, WhyCause::ScalarCode, 0.8);
    assert_eq!(found.slower, 0);
    assert!(found.ratio() > 4.0 && found.reasons[0].evidence[0].contains("of A is"), "{found:#?}");
}

#[test]
fn without_recordings_it_says_so_and_claims_nothing_from_samples() {
    let evidence = WhyEvidence { points: points(line(20.0, 0.5)), focus: 5, ..WhyEvidence::default() };
    let found = why(&evidence).expect("there is time");
    assert!(found.reasons.is_empty() && found.unexplained == 1.0, "{found:#?}");
    assert!(found.missing.len() >= 3, "{found:#?}");
    assert_eq!(why(&WhyEvidence::default()), None);
}
