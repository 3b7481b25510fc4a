//! The commands in groups, for the first page of help: it has to fit a screen of 24 rows by 80 columns however many
//! commands there are, so it names them, and the examples above say what the main ones do.

mod suggestion;

use clap::Command;

pub(crate) use suggestion::suggest;

/// What people want, and the commands for it. One that is in no group is shown all the same, under the last heading.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Record", &["demo", "record", "top", "stat", "bench"]),
    ("Read", &["report", "annotate", "heap", "roofline", "flame", "findings", "whatif", "convert"]),
    ("Compare", &["compare", "ab", "verify", "check", "history", "forecast", "baseline", "store"]),
    ("Set up", &["serve", "doctor", "machine", "schema", "completions", "man", "help"]),
];
const OTHER: &str = "More";

/// The columns of a line.
const COLUMNS: usize = 80;

/// The groups that have a command, each with those it has.
pub(crate) fn groups(command: &Command) -> String {
    let names = || command.get_subcommands().map(Command::get_name).chain(["help"]);
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, members)| members.contains(&name));
    let mut text = String::new();
    for (heading, members) in GROUPS {
        text += &group(heading, members.iter().copied().filter(|member| names().any(|name| name == *member)));
    }
    text += &group(OTHER, names().filter(|name| !is_grouped(name)));
    text.trim_end().to_owned()
}

fn group<'n>(heading: &str, names: impl Iterator<Item = &'n str>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if line.len() + 2 + name.len() < COLUMNS => *line += &format!(", {name}"),
            Some(line) => {
                line.push(',');
                lines.push(format!("  {:9}{name}", ""));
            }
            None => lines.push(format!("  {heading:9}{name}")),
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_a_group_and_long_groups_are_broken() {
        let names =
            ["demo", "flame", "doctor", "somewhat-new", "and-another-one-with-a-name", "third-long-name"];
        let more = ["a-fourth-name-that-is-long", "fifth"];
        let command = names
            .into_iter()
            .chain(more)
            .fold(Command::new("calor"), |command, name| command.subcommand(Command::new(name)));
        let text = groups(&command);
        let expected = "\
            \x20 Record   demo\n\
            \x20 Read     flame\n\
            \x20 Set up   doctor, help\n\
            \x20 More     somewhat-new, and-another-one-with-a-name, third-long-name,\n\
            \x20          a-fourth-name-that-is-long, fifth";
        assert_eq!(text, expected);
    }
}
