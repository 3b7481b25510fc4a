//! Runs the benchmarks of one area.
//!
//! An area is a package `benches/<area>` outside the workspace, with a lock file of its own: the peers that Calor is
//! measured against are built only by who asks for it. It prints Markdown on stdout and its progress on stderr.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::date::Date;
use crate::machine::Machine;
use crate::{Outcome, cargo, repository};

/// The areas that start the `calor` command, and have to be told where it is.
const WITH_COMMAND: [&str; 6] = ["findings", "heap", "python-sampling", "sampling", "why", "workloads"];

/// The area that measures the native module of the Python package, and has to be told where it is.
const WITH_MODULE: &str = "python";

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<Outcome> {
    let root = repository::root();
    let areas = areas(&root)?;
    let Some((area, rest)) = arguments.split_first() else {
        match areas.is_empty() {
            true => println!("there are no benchmarks in benches/ yet"),
            false => println!("{}", areas.join("\n")),
        }
        return Ok(Outcome::Passed);
    };
    if !areas.contains(area) {
        let known = if areas.is_empty() { "there are none yet".to_owned() } else { areas.join(", ") };
        eprintln!("error: there is no package benches/{area}, the areas are: {known}");
        return Ok(Outcome::Misused);
    }
    let (is_saved, passed_on) = split_save(rest);
    let mut command = command(&root, area, &passed_on);
    if WITH_COMMAND.contains(&area.as_str()) {
        cargo::run(cargo::cargo(&root).args(["build", "--release", "--package", "calor-cli"]))?;
        command.env("CALOR_COMMAND", cargo::target_folder(&root).join("release/calor"));
    }
    if area == WITH_MODULE {
        cargo::run(cargo::cargo(&root).args(["build", "--release", "--package", "calor-python"]))?;
        command.env("CALOR_PYTHON_MODULE", cargo::target_folder(&root).join("release/lib_calor.so"));
    }
    if !is_saved {
        cargo::run(&mut command)?;
        return Ok(Outcome::Passed);
    }
    let result = shown_and_kept(&mut command)?;
    let path = format!("benches/runs/{}-{area}.md", Date::today());
    let page = page(area, &passed_on, &Machine::this(), &result);
    std::fs::create_dir_all(root.join("benches/runs")).context("cannot create benches/runs")?;
    std::fs::write(root.join(&path), page).with_context(|| format!("cannot write {path}"))?;
    eprintln!("saved to {path}");
    Ok(Outcome::Passed)
}

fn areas(root: &Path) -> anyhow::Result<Vec<String>> {
    let folder = root.join("benches");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut areas = Vec::new();
    for entry in std::fs::read_dir(folder).context("cannot list benches/")? {
        let path = entry.context("cannot list benches/")?.path();
        // What the areas share is a package too, but none to run.
        if path.join("src/main.rs").is_file()
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            areas.push(name.to_owned());
        }
    }
    areas.sort();
    Ok(areas)
}

/// `--save` is ours, the rest is for the benchmark.
fn split_save(arguments: &[String]) -> (bool, Vec<String>) {
    let passed_on: Vec<String> = arguments.iter().filter(|argument| *argument != "--save").cloned().collect();
    (passed_on.len() < arguments.len(), passed_on)
}

fn command(root: &Path, area: &str, arguments: &[String]) -> Command {
    let mut command = cargo::cargo(root);
    command
        .args(["run", "--release", "--locked", "--manifest-path"])
        .arg(format!("benches/{area}/Cargo.toml"))
        .arg("--")
        .args(arguments)
        .env("CARGO_TARGET_DIR", cargo::target_folder(root).join("bench"));
    command
}

/// Runs the command, shows its stdout line by line, and returns it.
fn shown_and_kept(command: &mut Command) -> anyhow::Result<String> {
    let text = cargo::describe(command);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{text}`"))?;
    let stdout = child.stdout.take().context("the benchmark has no stdout")?;
    let mut result = String::new();
    for line in BufReader::new(stdout).lines() {
        let line = line.with_context(|| format!("cannot read the output of `{text}`"))?;
        println!("{line}");
        result.push_str(&line);
        result.push('\n');
    }
    let status = child.wait().with_context(|| format!("cannot wait for `{text}`"))?;
    anyhow::ensure!(status.success(), "`{text}` ended with {status}; nothing was saved");
    Ok(result)
}

fn page(area: &str, arguments: &[String], machine: &Machine, result: &str) -> String {
    let arguments: String = arguments.iter().map(|argument| format!(" {argument}")).collect();
    format!(
        "# {area}, {}\n\n\
         - machine: {}, {} cores\n- kernel: {}\n- compiler: {}\n\
         - command: `cargo xtask bench {area}{arguments}`\n\n{result}",
        Date::today(),
        machine.cpu,
        machine.n_cores,
        machine.kernel,
        machine.rustc,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn save_is_taken_out_of_the_arguments() {
        let arguments = ["--quick", "--save", "3"].map(String::from);
        assert_eq!(split_save(&arguments), (true, vec!["--quick".to_owned(), "3".to_owned()]));
        assert_eq!(split_save(&arguments[2..]), (false, vec!["3".to_owned()]));
    }

    #[test]
    fn a_saved_page_says_on_what_and_how_it_was_measured() {
        let machine = Machine {
            cpu: "Some CPU".to_owned(),
            n_cores: 2,
            kernel: "6.1".to_owned(),
            rustc: "rustc 1.90.0".to_owned(),
        };
        let page = page("scopes", &["--quick".to_owned()], &machine, "| a |\n");
        for expect in
            ["Some CPU, 2 cores", "6.1", "rustc 1.90.0", "`cargo xtask bench scopes --quick`", "\n\n| a |\n"]
        {
            assert!(page.contains(expect), "{page}");
        }
    }

    #[test]
    fn a_benchmark_that_fails_is_an_error() {
        assert_eq!(shown_and_kept(Command::new("sh").args(["-c", "echo a; echo b"])).unwrap(), "a\nb\n");
        assert!(shown_and_kept(Command::new("sh").args(["-c", "echo a; exit 1"])).is_err());
    }
}
