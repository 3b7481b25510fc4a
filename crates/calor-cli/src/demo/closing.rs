//! What to try next, as it can be typed.

use std::ffi::OsString;

use super::inference::Recorded;
use crate::command_line;

/// The commands, of the last model that was run. `is_saved` if the runs are in the store.
pub(super) fn next(recorded: &[Recorded], is_saved: bool) -> String {
    let Some(last) = recorded.last() else { return String::new() };
    let file = command_line::shown(&[last.file.clone().into_os_string()]);
    let mut commands = vec![
        format!("findings {file} --all"),
        format!("report {file} --context decode --top 5"),
        format!("roofline {file}"),
        format!("whatif {file} --speedup mlp_up=2x"),
        format!("convert {file} profile.pb.gz"),
    ];
    if let [before, _] = recorded {
        let files = [before, last].map(|one| one.file.clone().into_os_string());
        commands.insert(2, format!("compare --models {}", command_line::shown(&files)));
    }
    if is_saved {
        commands.push(format!("report store:name:{} --format json -o report.json", last.name()));
    }
    commands.push("bench model --quick".to_owned());
    let calor = command_line::shown(&[calor()]);
    let lines: Vec<String> = commands.iter().map(|command| format!("      {calor} {command}")).collect();
    format!("Next: {}\nThen your own: {calor} record -- ./program", lines.join("\n").trim_start())
}

/// The command as it was typed: one that was just built is found by its path alone.
fn calor() -> OsString {
    command_line::typed().first().cloned().unwrap_or_else(|| OsString::from("calor"))
}
