//! `calor flame`.

use super::workbench::{Workbench, text};

/// The text above the frames: the metric and how much of it there is.
fn about(picture: &str) -> &str {
    let (_, rest) = picture.split_once("class=\"about\"").expect("the picture says what it shows");
    rest.split_once('>').and_then(|(_, rest)| rest.split_once('<')).expect("it is an element").0
}

#[test]
fn a_picture_goes_to_standard_output_when_that_is_no_terminal() {
    let bench = Workbench::new();
    let picture = bench.stdout(&["flame", "profile.calor"]);
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"), "{picture}");
    assert!(picture.contains("qkv") && about(&picture).starts_with("Scope time, "), "{picture}");
    assert_eq!(bench.names(), ["profile.calor"]);
}

#[test]
fn the_ending_of_the_output_file_or_the_format_chooses_picture_or_page() {
    let bench = Workbench::new();
    for (arguments, name, beginning) in [
        (&["-o", "a.svg"][..], "a.svg", "<svg "),
        (&["-o", "a.html"][..], "a.html", "<!doctype html>"),
        (&["-o", "a", "--format", "html"][..], "a", "<!doctype html>"),
        (&["-o", "b.html", "--format", "svg"][..], "b.html", "<svg "),
    ] {
        let output = bench.run(&[&["flame", "profile.calor"][..], arguments].concat());
        assert!(output.status.success() && output.stdout.is_empty(), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr), format!("wrote {name}\n"));
        assert!(text(&bench.get(name)).starts_with(beginning), "{name}");
    }
}

#[test]
fn a_frame_as_wide_as_the_least_width_is_drawn() {
    let bench = Workbench::new();
    bench.put("a.folded", b"main;narrow 100\nmain;wide 9900\n");
    let draw = |least| bench.stdout(&["flame", "a.folded", "--min-width", least]);
    assert!(draw("1").contains("narrow"));
    assert!(!draw("1.01").contains(">narrow"), "{}", draw("1.01"));
}

#[test]
fn the_options_change_the_picture() {
    let bench = Workbench::new();
    let draw = |options: &[&str]| bench.stdout(&[&["flame", "profile.calor"][..], options].concat());
    let usual = draw(&[]);
    assert!(about(&draw(&["--invert"])).contains("inverted"));
    let by_thread = draw(&["--by-thread"]);
    assert!(about(&by_thread).contains("by thread") && by_thread.contains("worker 1"));
    assert!(!usual.contains("worker 1"));
    assert!(draw(&["--title", "A & B"]).contains("A &amp; B"));
    for color in ["module", "kind"] {
        assert_ne!(draw(&["--color", color]), usual);
    }
    let n_frames = |picture: &str| picture.matches("<rect").count();
    assert!(n_frames(&draw(&["--min-width", "20"])) < n_frames(&usual));
    assert!(usual.contains("prefill"));
    let decode = draw(&["--context", "decode"]);
    assert!(decode.contains("decode") && !decode.contains("prefill"));
    // The models are made on the main thread and run on a worker.
    assert!(draw(&["--thread", "worker 1"]).contains("qkv"));
    let main = draw(&["--thread", "main"]);
    assert!(!main.contains("qkv") && about(&main).starts_with("Scope time, "), "{main}");
}

#[test]
fn the_options_are_what_a_page_opens_with() {
    let bench = Workbench::new();
    let view = |options: &[&str]| {
        let page = bench.stdout(&[&["flame", "profile.calor", "--format", "html"][..], options].concat());
        let (_, rest) = page.split_once("<section ").expect("the page holds a graph");
        rest.split_once('>').expect("the section begins").0.to_owned()
    };
    let usual = view(&[]);
    for (options, expected) in [
        (&["--invert"][..], " data-inverted "),
        (&["--by-thread"][..], " data-by-thread "),
        (&["--color", "kind"][..], " data-colour=\"kind\""),
        (&["--min-width", "0.5%"][..], " data-min-share=\"0.005\""),
    ] {
        assert!(view(options).contains(expected) && !usual.contains(expected), "{}", view(options));
    }
}

#[test]
fn what_the_profile_does_not_have_is_refused_with_what_it_has() {
    let bench = Workbench::new();
    for (options, expected) in [
        (&["--metric", "gpu"][..], "the profile has no gpu: it holds scopes"),
        (&["--metric", "off-cpu"][..], "the profile has no off_cpu: it holds scopes"),
        (&["--thread", "worker"][..], "no thread is named `worker`; the profile has"),
        (&["--context", "deocde"][..], "the profile has `decode`, `prefill`"),
        (&["--metric", "cpuu"][..], "a similar value exists: 'cpu'"),
        (&["--color", "kin"][..], "a similar value exists: 'kind'"),
        (&["--format", "png"][..], "possible values: svg, html"),
        (&["--min-width", "-1"][..], "expected a percentage from 0 to 100"),
        (&["--min-width", "NaN"][..], "expected a percentage from 0 to 100"),
        (&["--invrt"][..], "'--invert'"),
    ] {
        let message = bench.failure(&[&["flame", "profile.calor"][..], options].concat());
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_profile_of_nothing_cannot_be_drawn() {
    let bench = Workbench::new();
    let mut empty = Vec::new();
    calor_formats::native::write(&calor_model::Profile::default(), &mut empty).expect("memory takes it");
    bench.put("nothing.calor", &empty);
    assert!(bench.failure(&["flame", "nothing.calor"]).contains("nothing to draw"));
    assert!(bench.failure(&["flame", "nothing.calor", "--metric", "cpu"]).contains("it holds nothing"));
}

#[test]
fn samples_on_and_off_the_cpu_together_are_wall_time() {
    use calor_model::{FrameKind, LabelTable, Profile, SampleKey, SampleKind, SampleWeight};
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for (kind, name, nanos) in [(SampleKind::Cpu, "spin", 2_000_000), (SampleKind::OffCpu, "wait", 3_000_000)]
    {
        let name = profile.strings.intern(name);
        let frame = profile.frames.intern(calor_model::Frame::new(name, FrameKind::Native));
        let stack = profile.stacks.intern(None, frame);
        let key = SampleKey { kind, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1, nanos });
    }
    let mut bytes = Vec::new();
    calor_formats::native::write(&profile, &mut bytes).expect("memory takes it");
    let bench = Workbench::new();
    bench.put("samples.calor", &bytes);
    for (options, expected) in [
        (&["--metric", "wall"][..], "Wall time, 5.00 ms"),
        (&["--metric", "off_cpu"][..], "Off-CPU time, 3.00 ms"),
        (&[][..], "CPU time, 2.00 ms"),
    ] {
        let picture = bench.stdout(&[&["flame", "samples.calor"][..], options].concat());
        assert!(about(&picture).starts_with(expected), "{}", about(&picture));
    }
    for (metric, expected) in [("wall", "spin 2000000\nwait 3000000\n"), ("off_cpu", "wait 3000000\n")] {
        let folded =
            bench.stdout(&["convert", "samples.calor", "--metric", metric, "--to", "folded", "-o", "-"]);
        assert_eq!(folded, expected);
    }
    let page = bench.stdout(&["report", "samples.calor", "--metric", "wall"]);
    assert!(page.contains("Hot paths by wall time") && page.contains("100.0 % of 5.00 ms"), "{page}");
    for command in ["flame", "report"] {
        let message = bench.failure(&[command, "samples.calor", "--metric", "scopes"]);
        assert!(message.contains("it holds cpu, wall, off_cpu"), "{message}");
    }
}
