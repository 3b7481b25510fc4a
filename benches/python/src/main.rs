//! What the Python package costs: a part is a Python script that measures Calor and its peers in turns, within one process,
//! and prints Markdown. This runs the parts on every CPython that is found here, each with its peers in an environment of
//! its own.

mod environment;
#[path = "../../python-sampling/src/interpreter.rs"]
mod interpreter;
mod part;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use harness::{Arguments, Processors, choose};

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
  --quick            five rounds, and fewer operations where they are counted
  --prepare          only install what is needed, so that a later run is short

Peers come from PyPI into virtual environments beside this program, once; torch_ops is for one interpreter and takes
gigabytes.";

/// Installs, and measures nothing.
const PREPARE: &str = "--prepare";

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
    let (prepare, passed): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument == PREPARE);
    let arguments = Arguments::parse(passed.into_iter())?;
    if arguments.is_help {
        println!(
            "{HELP}\n\nParts: {}",
            part::ALL.iter().map(|part| part.name).collect::<Vec<_>>().join(", ")
        );
        return Ok(());
    }
    let parts = choose(part::ALL, arguments.only.as_deref(), "parts", |part: &Part| part.name)?;
    let module = std::env::var_os("CALOR_PYTHON_MODULE").map(PathBuf::from).ok_or(
        "CALOR_PYTHON_MODULE does not name the native module; `cargo xtask bench python` builds it and does so",
    )?;
    let interpreters = interpreters(arguments.who.as_deref())?;
    if !prepare.is_empty() {
        return prepared(&parts, &interpreters);
    }
    println!("# Python package\n");
    // All on one processor, PyTorch too: those of a machine are not alike.
    let processors = Processors::of_thread();
    processors.of_round(0);
    let mut nowhere = Vec::new();
    for part in parts {
        println!("## {}: {}\n", part.name, part.about);
        let passed_on = passed_on(part, &arguments);
        let mut n_measured = 0;
        for interpreter in part.interpreters(&interpreters) {
            let begun = Instant::now();
            println!("### CPython {}\n", interpreter.name);
            // What one interpreter has no wheels for, others do.
            match measured(part, interpreter, &module, &passed_on) {
                Ok(page) => {
                    println!("{}\n", page.trim_end());
                    n_measured += 1;
                }
                Err(reason) => println!("not measured: {reason}\n"),
            }
            eprintln!("{} on {}: {:.0} s", part.name, interpreter.name, begun.elapsed().as_secs_f64());
        }
        if n_measured == 0 {
            nowhere.push(part.name);
        }
    }
    match nowhere.is_empty() {
        true => Ok(()),
        false => Err(format!("no interpreter could measure {}; the reasons are above", nowhere.join(", "))),
    }
}

/// What the script of a part is told.
fn passed_on(part: &Part, arguments: &Arguments) -> Vec<String> {
    let quick = if arguments.is_quick { part.quick } else { &[] };
    let rounds = arguments.rounds.iter().flat_map(|rounds| ["--rounds".to_owned(), rounds.to_string()]);
    // Of an option that is given twice the last one holds.
    quick.iter().map(|argument| (*argument).to_owned()).chain(rounds).collect()
}

/// Installs what the parts need, without measuring.
fn prepared(parts: &[&Part], interpreters: &[Interpreter]) -> Result<(), String> {
    for part in parts {
        for interpreter in part.interpreters(interpreters) {
            eprintln!("{} on {}", part.name, interpreter.name);
            if let Err(reason) = Environment::of(interpreter).install(part.peers) {
                eprintln!("  cannot be measured: {reason}");
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
    passed_on: &[String],
) -> Result<String, String> {
    let environment = Environment::of(interpreter);
    environment.install(part.peers)?;
    environment.put_package(module)?;
    let mut command = Command::new(environment.python());
    command.arg("-B").arg(part.script()).args(passed_on);
    let output = command.output().map_err(|error| format!("cannot start {}: {error}", interpreter.name))?;
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().for_each(|line| eprintln!("  {line}"));
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(said.lines().last().unwrap_or("it said nothing").to_owned()),
    }
}
