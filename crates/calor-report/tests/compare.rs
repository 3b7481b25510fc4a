//! Pages about two sets of runs that were sampled: what they say of runs that are not whole, and of functions that few samples
//! tell of.

use calor_model::{Frame, FrameKind, LabelTable, Profile, SampleKey, SampleKind, SampleWeight, Warning};
use calor_report::{CompareFormat, CompareOptions, Compared, ComparedRun, render_compared};
use serde_json::Value;

/// A run of a program of this name: its functions, and how many samples each has.
fn run(program: &str, functions: &[(&str, u64)]) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(7, 7, "main");
    let module = Some(profile.strings.intern(program));
    let frame = |profile: &mut Profile, name: &str| {
        let name = profile.strings.intern(name);
        profile.frames.intern(Frame { module, ..Frame::new(name, FrameKind::Native) })
    };
    let main = frame(&mut profile, "w::main");
    let root = profile.stacks.intern(None, main);
    for (name, count) in functions {
        let own = frame(&mut profile, name);
        let stack = profile.stacks.intern(Some(root), own);
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count: *count, nanos: count * 1_000_000 });
    }
    profile
}

/// Runs called a1, a2 and so on, and b1, b2 and so on.
fn compared(before: Vec<Profile>, after: Vec<Profile>, options: &CompareOptions) -> Compared {
    let named = |side: &str, runs: Vec<Profile>| -> Vec<ComparedRun> {
        let runs = runs.into_iter().enumerate();
        runs.map(|(at, run)| ComparedRun::new(format!("{side}{}", at + 1), run)).collect()
    };
    Compared::new(&named("a", before), &named("b", after), options).expect("they can be compared")
}

fn page(before: Vec<Profile>, after: Vec<Profile>, format: CompareFormat) -> String {
    let options = CompareOptions { format, ..CompareOptions::default() };
    let mut page = Vec::new();
    render_compared(&compared(before, after, &options), &options, &mut page).expect("memory takes it");
    String::from_utf8(page).expect("a page is text")
}

fn json(before: Vec<Profile>, after: Vec<Profile>) -> Value {
    serde_json::from_str(&page(before, after, CompareFormat::Json)).expect("it is JSON")
}

#[test]
fn a_run_that_is_not_whole_is_told_beside_the_verdict_in_every_format() {
    let whole = || run("w", &[("w::parse", 400), ("w::hash", 300)]);
    let cut = || {
        let mut cut = run("w", &[("w::parse", 350), ("w::hash", 260)]);
        cut.warn(Warning::new("file_truncated", "the file ends inside a part"));
        cut
    };
    for format in [CompareFormat::Text, CompareFormat::Markdown, CompareFormat::Html, CompareFormat::Json] {
        let page = page(vec![whole()], vec![cut()], format);
        assert_eq!(page.matches("b1 is not whole: the file ends inside a part").count(), 1, "{page}");
        assert_eq!(page.matches("file_truncated").count(), usize::from(format == CompareFormat::Json));
    }
    assert!(!page(vec![whole()], vec![whole()], CompareFormat::Text).contains("not whole"));
}
