//! What every reading command says of input that is no profile, and of places that cannot be written to.

use super::workbench::{Workbench, text};

/// How each reading command is given a file and, as the last argument, a place to write to.
const READERS: [&[&str]; 3] =
    [&["report", "IN", "-o"], &["flame", "IN", "-o"], &["convert", "IN", "--to", "folded", "-o"]];

fn with(reader: &[&'static str], input: &str, output: &str) -> Vec<String> {
    let words = reader.iter().map(|word| if *word == "IN" { input } else { word });
    words.chain([output]).map(str::to_owned).collect()
}

fn failure(bench: &Workbench, arguments: &[String]) -> String {
    bench.failure(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn every_reading_command_says_what_is_wrong_with_its_input_and_writes_nothing() {
    let bench = Workbench::new();
    bench.put("empty", b"");
    let noise: Vec<u8> = (0_u32..4096).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    bench.put("noise", &noise);
    bench.put("other.json", b"{\"version\": 1}");
    std::fs::create_dir(bench.path("folder")).expect("a folder can be made");
    let before = bench.names();
    for reader in READERS {
        for (input, expected) in [
            ("missing.calor", "no such file: check the path"),
            ("folder", "found a directory"),
            ("empty", "found an empty file"),
            ("noise", "not a profile: expected a .calor file"),
            ("other.json", "what looks like JSON"),
        ] {
            let message = failure(&bench, &with(reader, input, "out.svg"));
            assert!(message.contains(expected) && message.contains(input), "{message}");
        }
    }
    assert_eq!(bench.names(), before);
}

#[test]
fn every_reading_command_says_where_it_cannot_write_and_leaves_no_half_file() {
    let bench = Workbench::new();
    std::fs::create_dir(bench.path("folder")).expect("a folder can be made");
    let before = bench.names();
    for reader in READERS {
        let message = failure(&bench, &with(reader, "profile.calor", "nowhere/out"));
        assert!(message.contains("cannot write nowhere/out: name another place with -o"), "{message}");
        let message = failure(&bench, &with(reader, "profile.calor", "folder"));
        assert!(message.contains("cannot write to a directory"), "{message}");
        if cfg!(target_os = "linux") {
            let message = failure(&bench, &with(reader, "profile.calor", "/dev/full"));
            assert!(message.contains("cannot write /dev/full: name another place with -o"), "{message}");
        }
    }
    assert_eq!(bench.names(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_takes_nothing_is_a_failure() {
    let bench = Workbench::new();
    for arguments in [&["report", "profile.calor"][..], &["flame", "profile.calor"][..], &["doctor"][..]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let output = bench.command(arguments).stdout(full).output().expect("the command can be started");
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("error: cannot write to standard output"), "{message}");
    }
}

#[test]
fn every_reading_command_reads_standard_input() {
    let bench = Workbench::new();
    for reader in READERS {
        let arguments = with(reader, "-", "-");
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = bench.piped(&arguments, &bench.get("profile.calor"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("matmul qkv"), "{arguments:?}");
        let output = bench.piped(&arguments, b"\x01\x02\x03");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("cannot read standard input"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_recording_that_was_cut_off_is_converted_with_a_warning() {
    let bench = Workbench::new();
    let whole = bench.get("profile.calor");
    bench.put("cut.calor", &whole[..whole.len() - 1]);
    for arguments in [&["convert", "cut.calor", "--to", "folded"][..], &["flame", "cut.calor"][..]] {
        let output = bench.run(arguments);
        let said = text(&output.stderr);
        assert!(output.status.success() && said.starts_with("warning: "), "{said}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let bench = Workbench::new();
    for arguments in [
        &["flame", "profile.calor", "--format", "html"][..],
        &["convert", "profile.calor", "--to", "json"][..],
        &["completions", "bash"][..],
        &["man"][..],
        &["schema", "report/1"][..],
    ] {
        let mut command = bench.command(arguments);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().expect("the command can be started");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the command ends");
        assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    }
}

#[test]
fn no_command_writes_over_the_file_it_reads() {
    let bench = Workbench::new();
    let before = bench.get("profile.calor");
    for arguments in [
        &["report", "profile.calor", "-o", "profile.calor"][..],
        &["flame", "profile.calor", "--format", "svg", "-o", "./profile.calor"],
        &["convert", "profile.calor", "--to", "folded", "-o", "profile.calor"],
    ] {
        let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        let error = failure(&bench, &arguments);
        assert!(error.contains("name another one"), "{error}");
        assert!(bench.get("profile.calor") == before, "{arguments:?} changed the recording");
    }
}

#[test]
fn a_flame_graph_is_not_written_under_another_ending() {
    let bench = Workbench::new();
    let arguments = ["flame", "profile.calor", "-o", "picture.png"].map(str::to_owned);
    let error = failure(&bench, &arguments);
    assert!(error.contains("svg or html"), "{error}");
}
