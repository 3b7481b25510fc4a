//! `calor compare` where something else than a function changed: what threads wait for, another program, more work.

use calor_model::{
    Canary, Frame, FrameKind, LabelTable, Profile, Run, RunId, SampleKey, SampleKind, SampleWeight,
};

use super::compare::{function, put, with_sides};
use super::schema_check::problems;
use super::workbench::Workbench;

/// A run that waits on these paths, whose last frames are of the C library and of the kernel.
fn waiting(number: u64, paths: &[(&[&str], u64)]) -> Profile {
    let mut profile = Profile::default();
    let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
    for (path, millis) in paths {
        let mut stack = None;
        for name in *path {
            let (kind, module) = match *name {
                "[kernel]" => (FrameKind::Kernel, None),
                "read" | "clock_nanosleep" => (FrameKind::Native, Some("libc.so.6")),
                _ => (FrameKind::Native, Some("app")),
            };
            let name = profile.strings.intern(name);
            let module = module.map(|module| profile.strings.intern(module));
            let frame = profile.frames.intern(Frame { module, ..Frame::new(name, kind) });
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let stack = stack.expect("a path has a frame");
        let key = SampleKey { kind: SampleKind::OffCpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 5, nanos: (millis * 1_000 + number * 7) * 1_000 });
    }
    profile.runs.push(Run { id: RunId(100 + u128::from(number)), ..Run::default() });
    profile
}

#[test]
fn time_waited_is_of_the_functions_that_waited_with_what_they_waited_for() {
    let bench = Workbench::new();
    let (load, nap) =
        (&["main", "load", "read", "[kernel]"][..], &["main", "nap", "clock_nanosleep", "[kernel]"][..]);
    for number in 1..=3 {
        put(&bench, &format!("a{number}.calor"), &waiting(number, &[(load, 100), (nap, 50)]));
        put(&bench, &format!("b{number}.calor"), &waiting(10 + number, &[(load, 200), (nap, 50)]));
    }
    let page = bench.json(&with_sides(&["--metric", "off-cpu", "--format", "json"]));
    let found = problems(&bench.json(&["schema", "compare/1"]), &page);
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(page["functions"].as_array().map(Vec::len), Some(2), "{page:#}");
    let of = |name: &str| (&function(&page, name)["verdict"], &function(&page, name)["waits_for"]);
    assert_eq!(of("load"), (&"regressed".into(), &"io: read".into()));
    assert_eq!(of("nap").1, "sleep: clock_nanosleep");
    let page = bench.stdout(&with_sides(&["--metric", "off-cpu"]));
    assert!(page.starts_with("Regressed: 66.7 % longer ") && page.contains("io: read"), "{page}");
    assert!(!page.contains("[kernel]"), "{page}");
}

#[test]
fn two_programs_that_share_little_more_than_the_kernel_are_told_to_be_two() {
    let bench = Workbench::new();
    bench.put("sort.folded", b"main;sort;cmp 900\nmain;sort;[kernel] 10\nmain;page 5\n");
    bench.put("zip.folded", b"main;deflate 700\nmain;crc;[kernel] 400\n");
    let said = "functions that are in both take 1.1 % before and 36.4 % after: these may be profiles of two programs";
    let page = bench.stdout(&["compare", "sort.folded", "zip.folded"]);
    assert!(page.split_whitespace().collect::<Vec<_>>().join(" ").contains(said), "{page}");
    bench.put("sort2.folded", b"main;sort;cmp 300\nmain;sort;merge 500\n");
    assert!(!bench.stdout(&["compare", "sort.folded", "sort2.folded"]).contains("two programs"));
}

/// A run of so much work: CPU samples of a dozen functions.
fn working(number: u64, size: u64) -> Profile {
    let mut profile = Profile::default();
    let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
    for at in 0..12_u64 {
        let name = format!("f{at}");
        let stack = profile.intern_named_path(&["main", &name], FrameKind::Native).expect("it has frames");
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        let noise = 1_000 + (at * 7 + number * 5) % 11;
        profile.samples.add(key, SampleWeight { count: 100, nanos: (1 + at) * size * noise * 1_000 });
    }
    let canary = Canary { first_nanos: Some(1_000_000 + number), last_nanos: Some(1_000_000 - number) };
    let command = Some(format!("./app {size}"));
    profile.runs.push(Run { id: RunId(200 + u128::from(number)), command, canary, ..Run::default() });
    profile
}

#[test]
fn a_command_with_more_to_do_is_not_taken_for_another_build() {
    let bench = Workbench::new();
    for number in 1..=3 {
        put(&bench, &format!("a{number}.calor"), &working(number, 1));
        put(&bench, &format!("b{number}.calor"), &working(10 + number, 2));
    }
    let page = bench.stdout(&with_sides(&[]));
    let line = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains("the build or the command moved everything by +100 %"), "{page}");
    assert!(line.contains("█ the build or the command, in all functions"), "{page}");
    assert!(page.contains("None changed by more than chance"), "{page}");
}
