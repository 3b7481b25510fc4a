//! Requests to end, from the terminal and from elsewhere: the program decides, the profile is whole.

use std::io::Read;
use std::os::unix::process::CommandExt;

use super::workbench::{Beside, Recorded, Workbench, may_sample, program, samples, send, text};

/// A recording that is under way; its program has said that it is ready.
fn under_way(bench: &Workbench, words: &[&str]) -> Option<Beside> {
    if !may_sample() {
        bench.record(&[], &["actor", "spin", "1"]);
        return None;
    }
    let actor = program("actor");
    let arguments = [&["--", actor.to_str().expect("a temporary path is text")], words].concat();
    // A group of its own, as a shell gives to what is typed into it.
    Some(Beside::start(bench.command(&arguments).process_group(0)))
}

fn ended(bench: &Workbench, mut beside: Beside) -> Recorded {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    beside.lines.read_to_end(&mut out).expect("its output can be read");
    beside.child.stderr.take().expect("it was piped").read_to_end(&mut err).expect("its errors can be read");
    let status = beside.child.wait().expect("it ends");
    let stderr = text(&err);
    Recorded { code: status.code(), stdout: text(&out), profile: bench.profile(&stderr), stderr }
}

#[test]
fn an_interrupt_of_the_whole_group_reaches_the_program() {
    let bench = Workbench::new();
    let Some(beside) = under_way(&bench, &["ready", "60000"]) else { return };
    send("-INT", &format!("-{}", beside.pid()));
    let recorded = ended(&bench, beside);
    assert_eq!(recorded.code, Some(130), "{}", recorded.stderr);
    assert!(recorded.stderr.contains("was ended by SIGINT"), "{}", recorded.stderr);
}

#[test]
fn a_signal_to_the_recorder_alone_is_passed_on() {
    for (signal, name, code) in [("-INT", "SIGINT", 130), ("-TERM", "SIGTERM", 143), ("-HUP", "SIGHUP", 129)]
    {
        let bench = Workbench::new();
        let Some(beside) = under_way(&bench, &["ready", "60000"]) else { return };
        send(signal, &beside.pid());
        let recorded = ended(&bench, beside);
        assert_eq!(recorded.code, Some(code), "{}", recorded.stderr);
        assert!(recorded.stderr.contains(&format!("was ended by {name}")), "{}", recorded.stderr);
    }
}

#[test]
fn a_program_that_ends_in_its_own_way_after_an_interrupt_is_recorded_to_its_end() {
    let bench = Workbench::new();
    let Some(beside) = under_way(&bench, &["count", "300"]) else { return };
    send("-INT", &beside.pid());
    let recorded = ended(&bench, beside);
    assert_eq!(
        (recorded.code, recorded.stdout.as_str()),
        (Some(41), "1 interrupts\n"),
        "{}",
        recorded.stderr
    );
}

#[test]
fn the_second_interrupt_ends_the_recording_of_a_program_that_ignores_them() {
    let bench = Workbench::new();
    let Some(mut beside) = under_way(&bench, &["stubborn", "60000"]) else { return };
    send("-INT", &beside.pid());
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(beside.child.try_wait().expect("it is ours").is_none(), "the first one is the program's");
    send("-INT", &beside.pid());
    // The program holds on to standard output, of which the end would be waited for.
    let status = beside.child.wait().expect("it ends");
    send("-KILL", &format!("-{}", beside.pid()));
    assert_eq!(status.code(), Some(0));
    let recorded = ended(&bench, beside);
    assert!(recorded.stderr.contains("goes on"), "{}", recorded.stderr);
    assert!(samples(&recorded.profile) > 50, "{}", recorded.stderr);
}

#[test]
fn another_signal_after_the_first_is_the_programs_too() {
    let bench = Workbench::new();
    let Some(beside) = under_way(&bench, &["count", "60000"]) else { return };
    send("-INT", &beside.pid());
    std::thread::sleep(std::time::Duration::from_millis(400));
    send("-TERM", &beside.pid());
    let recorded = ended(&bench, beside);
    assert_eq!(recorded.code, Some(143), "{}", recorded.stderr);
}

#[test]
fn what_the_recorder_was_told_to_ignore_it_ignores() {
    if !may_sample() {
        return;
    }
    let bench = Workbench::new();
    let line = format!(
        "trap '' HUP; exec {} record -- {} ready 700",
        env!("CARGO_BIN_EXE_calor"),
        program("actor").display()
    );
    let mut command = std::process::Command::new("sh");
    bench.settle(command.args(["-c", &line]));
    let beside = Beside::start(&mut command);
    send("-HUP", &beside.pid());
    let recorded = ended(&bench, beside);
    assert!(recorded.stderr.contains("ended with exit code 0"), "{}", recorded.stderr);
}
