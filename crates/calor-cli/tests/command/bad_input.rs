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
    bench.put("cut.json", b"[");
    bench.put("list.json", b"[{\"id\": 1}]");
    bench.put("table.csv", bench.stdout(&["convert", "profile.calor", "--to", "csv"]).as_bytes());
    bench.put("page.html", b"<!doctype html><p>hello");
    std::fs::create_dir(bench.path("folder")).expect("a folder can be made");
    let before = bench.names();
    for reader in READERS {
        for (input, expected) in [
            ("missing.calor", "missing.calor: no such file; check the path"),
            ("folder", "found a directory"),
            ("empty", "found an empty file"),
            ("noise", "noise: not a profile: found bytes of an unknown kind"),
            ("other.json", "a JSON object with the key \"version\""),
            ("cut.json", "a JSON list that is empty or cut off"),
            ("list.json", "a JSON list of objects with the key \"id\""),
            ("table.csv", "the table that Calor writes as CSV"),
            ("page.html", "HTML or XML that carries no profile"),
            ("page.html", "html, md; record one"),
        ] {
            let message = failure(&bench, &with(reader, input, "out.html"));
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
        assert!(
            message.contains("there is no folder nowhere; create it with `mkdir -p nowhere`"),
            "{message}"
        );
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
        assert!(text(&output.stdout).contains("qkv"), "{arguments:?}");
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
fn a_file_of_which_nothing_can_be_used_is_a_failure_and_an_empty_one_is_not() {
    let bench = Workbench::new();
    bench.put("useless.json", br#"{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":-1,"pid":1,"tid":1}]}"#);
    bench.put("empty.json", br#"{"traceEvents":[]}"#);
    let whole = bench.get("profile.calor");
    bench.put("stump.calor", &whole[..calor_formats::native::HEADER_BYTES + 30]);
    for arguments in [&["report"][..], &["convert", "--to", "calor"]] {
        let with = |name| [arguments, &[name]].concat();
        let message = bench.failure(&with("useless.json"));
        assert!(
            message.contains("cannot read useless.json: nothing in it can be used as chrome"),
            "{message}"
        );
        let message = bench.failure(&with("stump.calor"));
        assert!(message.contains("cannot read stump.calor: nothing of it can be read"), "{message}");
        let output = bench.run(&with("empty.json"));
        let said = text(&output.stderr);
        assert!(output.status.success(), "{said}");
        let all = said + &String::from_utf8_lossy(&output.stdout);
        assert!(all.contains("nothing was recorded"), "{all}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let bench = Workbench::new();
    for arguments in [
        &["report", "profile.calor"][..],
        &["report", "profile.calor", "--format", "json"][..],
        &["doctor"][..],
        &["convert", "--list"][..],
        &["schema"][..],
        &["--help"][..],
        &["report", "--help"][..],
        &["--version"][..],
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

#[cfg(unix)]
#[test]
fn devices_pipes_and_sparse_files_are_told_apart_from_profiles() {
    let bench = Workbench::new();
    let most = 4_u64 << 30;
    for (name, beginning) in [("zeros", &b""[..]), ("huge.calor", &bench.get("profile.calor"))] {
        bench.put(name, beginning);
        let file = std::fs::File::options().write(true).open(bench.path(name)).expect("it was made");
        // Nothing but its beginning takes room on the disk.
        file.set_len(most + 1).expect("a file can be sparse");
    }
    for reader in READERS {
        for (input, expected) in [
            ("/dev/null", "found an empty file"),
            ("zeros", "found nothing but zeros"),
            ("huge.calor", "more than 4.00 GiB, which no profile is"),
        ] {
            let message = failure(&bench, &with(reader, input, "out.html"));
            assert!(message.contains(expected), "{reader:?} {input}: {message}");
        }
        let fifo = bench.path("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo is there");
        assert!(made.success());
        let content = bench.get("profile.calor");
        let writer = std::thread::spawn({
            let fifo = fifo.clone();
            // It waits until the command opens the other end.
            move || std::fs::write(fifo, content)
        });
        let arguments = with(reader, "fifo", "-");
        let output = bench.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{}", text(&output.stderr));
        writer.join().expect("no panic").expect("the command reads all of it");
        std::fs::remove_file(fifo).expect("it is ours");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_told_with_what_to_do() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Workbench::new();
    bench.put("secret.calor", &bench.get("profile.calor"));
    let mode = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(bench.path("secret.calor"), mode).expect("it is ours");
    // Root may read everything.
    let is_refused = std::fs::File::open(bench.path("secret.calor")).is_err();
    for reader in READERS {
        let arguments = with(reader, "secret.calor", "-");
        let output = bench.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(output.status.success(), !is_refused);
        assert!(!is_refused || text(&output.stderr).contains("not allowed to read; ask for the permission"));
    }
}

#[test]
fn words_that_no_command_takes_end_with_exit_code_2() {
    let bench = Workbench::new();
    bench.put("file", b"x");
    for (arguments, expected) in [
        (&["report"][..], "<FILE>"),
        (&["report", "profile.calor", "another"][..], "unexpected argument 'another'"),
        (&["report", "profile.calor", "--top", "0"][..], "expected a whole number from 1"),
        (&["report", "profile.calor", "--top", "many"][..], "expected a whole number from 1"),
        (&["report", ""][..], "a value is required"),
        (&["convert", "profile.calor", "--to"][..], "a value is required"),
        (&["convert", "profile.calor", "--to", ""][..], "possible values"),
        (&["flame", "profile.calor", "--format", "png"][..], "possible values"),
        (&["schema", "nothing/7"][..], "unknown schema `nothing/7`: expected one of report/1"),
        (&["completions", "tcsh"][..], "possible values"),
        (&["man", "-o", "file"][..], "cannot make the folder"),
        (&["annotate", "profile.calor", "f", "--context", "x"][..], "expected a whole number, such as 4"),
        (&["man", "file"][..], "there is no command `file`"),
        (&["nothing"][..], "unrecognized subcommand"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn a_report_is_not_written_under_a_name_of_another_kind_of_file() {
    let bench = Workbench::new();
    let before = bench.names();
    for (name, advice) in [
        ("report.pdf", "a report is a txt, md, json, html or csv file, not .pdf"),
        ("report.svg", "`calor flame` draws svg"),
        ("report.folded", "`calor convert` writes profiles"),
    ] {
        let message = bench.failure(&["report", "profile.calor", "-o", name]);
        assert!(message.contains(advice) && message.contains("--format text"), "{message}");
    }
    assert_eq!(bench.names(), before);
    bench.stdout(&["report", "profile.calor", "-o", "report.pdf", "--format", "text"]);
    assert!(bench.names().contains(&"report.pdf".to_owned()));
}
