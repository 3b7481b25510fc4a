//! The README shows the two commands that everyone needs: one to see the product, one to test it.

use super::Problem;
use crate::repository::Repository;

const COMMANDS: [&str; 2] = ["cargo run --release -- demo", "cargo xtask test"];

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    let text = repository.file("README.md").map_or("", |file| file.text.as_str());
    for command in COMMANDS.iter().filter(|command| !text.contains(*command)) {
        problems.push(Problem::new(
            "README.md",
            1,
            format!("does not show `{command}`: add it in a fenced block"),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[test]
    fn both_commands_must_be_there() {
        check_rule(check, &[("README.md", &COMMANDS.join("\n"))], &[]);
        check_rule(check, &[("README.md", COMMANDS[0])], &["README.md:1: does not show `cargo xtask test`"]);
        check_rule(check, &[], &["README.md:1: does not show", "README.md:1: does not show"]);
    }
}
