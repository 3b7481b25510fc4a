//! What the Python package costs: a part is a Python script that measures Calor and its peers in turns, within one process,
//! and prints Markdown. This runs the parts on every CPython that is found here, each with its peers in an environment of
//! its own.

mod environment;
#[path = "../../python-sampling/src/interpreter.rs"]
mod interpreter;
mod part;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use harness::{Arguments, choose};

use environment::Environment;
use interpreter::Interpreter;
use part::Part;

/// The oldest that the package is for.
const OLDEST: (u32, u32) = (3, 9);

const HELP: &str = "\
Measures what the Python package costs: Calor and its peers in one process, on every CPython that is found. Prints
Markdown on standard output. Interpreters are those of pyenv, those called python3.N, and what CALOR_PYTHONS names (paths,
separated by colons).

  --only PART,PART   some of the parts
  --who 3.11,3.13    some of the interpreters, by the start of their versions
  --rounds N         rounds of each part, instead of its own number
  --quick            five rounds";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    if arguments.is_help {
        println!(
            "{HELP}\n\nParts: {}",
            part::ALL.iter().map(|part| part.name).collect::<Vec<_>>().join(", ")
        );
        return Ok(());
    }
    let parts = choose(part::ALL, arguments.only.as_deref(), "parts", |part: &Part| part.name)?;
    let parts: Vec<&Part> = parts
        .into_iter()
        .filter(|part| part.is_usual || arguments.only.is_some())
        .filter(|part| part.script().is_file())
        .collect();
    let module = std::env::var_os("CALOR_PYTHON_MODULE").map(PathBuf::from).ok_or(
        "CALOR_PYTHON_MODULE does not name the native module; `cargo xtask bench python` builds it and does so",
    )?;
    let rounds = arguments.rounds.or(arguments.is_quick.then_some(5));
    let interpreters = interpreters(arguments.who.as_deref())?;
    println!("# Python package\n");
    for part in parts {
        println!("## {}: {}\n", part.name, part.about);
        for interpreter in &interpreters {
            eprintln!("{} on {}", part.name, interpreter.name);
            println!("### CPython {}\n", interpreter.name);
            // What one interpreter has no wheels for, others do.
            match measured(part, interpreter, &module, rounds) {
                Ok(page) => println!("{}\n", page.trim_end()),
                Err(reason) => println!("not measured: {reason}\n"),
            }
        }
    }
    Ok(())
}

/// The interpreters that are asked for.
fn interpreters(asked: Option<&str>) -> Result<Vec<Interpreter>, String> {
    let asked: Vec<&str> = asked.map(|asked| asked.split(',').collect()).unwrap_or_default();
    let is_asked = |one: &Interpreter| {
        asked.is_empty()
            || asked.iter().any(|start| one.name == *start || one.name.starts_with(&format!("{start}.")))
    };
    // Free-threaded builds do not load modules of the stable interface.
    let mut found = interpreter::all();
    found.retain(|one| one.version >= OLDEST && !one.is_free_threaded && is_asked(one));
    if found.is_empty() {
        return Err(match interpreter::reference(&interpreter::all()) {
            Some(other) => format!("found no such CPython, but {}; see --help", other.name),
            None => "found no CPython; CALOR_PYTHONS names interpreters by their paths".to_owned(),
        });
    }
    Ok(found)
}

/// What a part says on an interpreter.
fn measured(
    part: &Part,
    interpreter: &Interpreter,
    module: &std::path::Path,
    rounds: Option<usize>,
) -> Result<String, String> {
    let environment = Environment::of(interpreter);
    environment.install(part.peers)?;
    environment.put_package(module)?;
    let mut command = Command::new(environment.python());
    command.arg("-B").arg(part.script());
    if let Some(rounds) = rounds {
        command.arg("--rounds").arg(rounds.to_string());
    }
    let output = command.output().map_err(|error| format!("cannot start {}: {error}", interpreter.name))?;
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().for_each(|line| eprintln!("  {line}"));
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(said.lines().last().unwrap_or("it said nothing").to_owned()),
    }
}
