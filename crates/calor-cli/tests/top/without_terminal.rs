//! What is wrong is told before a terminal is touched or a program started.

use std::process::Stdio;

use crate::terminal::Terminal;
use crate::workbench::{Workbench, spin};

#[test]
fn without_a_terminal_another_command_is_named() {
    let bench = Workbench::new();
    let mut command = bench.command(&["--", spin()]);
    let output = command.stdin(Stdio::null()).output().expect("it can be started");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("needs a terminal") && message.contains("calor record"), "{message}");
    assert!(output.stdout.is_empty() && bench.files().is_empty());
}

#[test]
fn bad_arguments_leave_the_terminal_as_it_is() {
    let bench = Workbench::new();
    for (arguments, wanted) in [
        (&[][..], "calor top -- ./train"),
        (&["-p", "2147483647"], "there is no process 2147483647"),
        (&["--refresh", "1ms", "--", "true"], "100ms to 60s"),
        (&["--refresh", "soon", "--", "true"], "expected a time such as 30s"),
        (&["--", "no-such-program-anywhere"], "no-such-program-anywhere"),
    ] {
        let mut top = Terminal::start(&mut bench.command(arguments), (100, 24));
        assert_eq!(top.ended().code(), Some(2), "{arguments:?}");
        // The last of it may still be on its way.
        let text = top.wait_for("error: ");
        let joined = text.replace('\n', "");
        // Where sampling is refused, that is told before the program is looked for.
        assert!(joined.contains(wanted) || joined.contains("cannot sample"), "{arguments:?}: {text}");
        assert!(!top.is_taken_over(), "{arguments:?}");
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}
