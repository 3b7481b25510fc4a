//! No registry host is written down: a build behind a mirror must find nothing that points past it. Lock files,
//! which tools write, are another matter.

use super::Problem;
use crate::repository::Repository;

/// Written in pieces so that this file passes its own check.
const HOSTS: [&str; 4] =
    [concat!("crates", ".io"), concat!("pypi", ".org"), concat!("npm", "js"), concat!("debian", ".org")];

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for file in repository.files.iter().filter(|file| !file.is_lock() && !file.is_sample_data()) {
        for (number, line) in file.lines() {
            for host in HOSTS.iter().filter(|host| line.contains(*host)) {
                let what = format!("names the host `{host}`: leave it to the tool's own configuration");
                problems.push(Problem::new(&file.path, number, what));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[test]
    fn a_host_is_told_everywhere_but_in_lock_files() {
        for host in HOSTS {
            let text = format!("x\nhttps://{host}/calor\n");
            let files =
                [("docs/a.md", text.as_str()), ("Cargo.lock", &text), ("web/package-lock.json", &text)];
            check_rule(check, &files, &["docs/a.md:2: names the host"]);
        }
    }
}
