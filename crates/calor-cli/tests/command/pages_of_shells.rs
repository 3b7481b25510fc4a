//! `calor completions` and `calor man`.

use std::process::Command;

use super::workbench::{Workbench, text};

#[test]
fn every_shell_has_completions_that_know_the_commands_and_their_options() {
    let bench = Workbench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = bench.stdout(&["completions", shell]);
        for word in ["flame", "convert", "min-width", "subtract-overhead"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
        // Values are completed where the shell lets scripts do that.
        let has_values = ["off_cpu", "speedscope"].iter().all(|value| script.contains(value));
        assert_eq!(has_values, ["bash", "zsh", "fish"].contains(&shell), "{shell}");
    }
    assert!(bench.failure(&["completions", "bsh"]).contains("a similar value exists: 'bash'"));
    assert!(bench.failure(&["completions"]).contains("<SHELL>"));
}

#[test]
fn bash_completes_a_metric() {
    let bench = Workbench::new();
    let script = "source <(\"$CALOR\" completions bash)
        COMP_WORDS=(calor flame profile.calor --metric al) COMP_CWORD=4
        _calor calor al --metric
        echo \"${COMPREPLY[@]}\"";
    let mut shell = Command::new("bash");
    shell.args(["-c", script]).env("CALOR", env!("CARGO_BIN_EXE_calor")).current_dir(bench.path(""));
    let output = shell.output().expect("bash can be started");
    assert_eq!(text(&output.stdout).trim(), "allocated", "{}", text(&output.stderr));
}

#[test]
fn there_is_a_manual_page_for_every_command_with_its_examples() {
    let bench = Workbench::new();
    let output = bench.run(&["man", "-o", "pages"]);
    assert!(output.status.success() && output.stdout.is_empty());
    for command in
        ["", "-demo", "-report", "-flame", "-convert", "-doctor", "-schema", "-completions", "-man"]
    {
        let page = text(&bench.get(&format!("pages/calor{command}.1")));
        assert!(page.contains(".TH") && page.contains(".SH EXAMPLES"), "{command}: {page}");
        assert!(page.contains(&format!("calor{}", command.replace('-', " "))), "{command}: {page}");
    }
    assert_eq!(bench.stdout(&["man"]).as_bytes(), bench.get("pages/calor.1"));
    for name in ["flame", "calor-flame"] {
        assert_eq!(bench.stdout(&["man", name]).as_bytes(), bench.get("pages/calor-flame.1"), "{name}");
    }
    let refusal = bench.failure(&["man", "flaem"]);
    assert!(refusal.contains("no command `flaem`") && refusal.contains(" flame, "), "{refusal}");
    bench.put("file", b"");
    assert!(bench.failure(&["man", "-o", "file"]).contains("cannot make the folder: name another: file"));
}
