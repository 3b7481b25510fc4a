//! Two Python functions. One interpreter holds both, calls them in turns and times them, so that what it takes to start is
//! in no time; to be recorded, each is called by an interpreter of its own.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use calor_record::Interrupt;
use serde_json::{Value, json};

use super::call::Time;
use super::choice::Choice;
use super::operation::Operation;
use crate::failure::Interrupted;

const DRIVER: &str = include_str!("driver.py");
/// The function of the driver within which the others are called.
const WITHIN: &str = "calor_calls";
/// Elements, from what is near a processor to what no cache holds.
const SIZES: [f64; 7] = [256.0, 1024.0, 4096.0, 16_384.0, 65_536.0, 262_144.0, 2_097_152.0];
/// A turn within one process needs no start, and can be short.
const TURN_NANOS: f64 = 8e6;

pub(super) struct Functions {
    names: [String; 2],
    interpreter: OsString,
    /// What the driver is told, as JSON.
    spec: String,
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Holds back what would end us in the midst of a turn; not while recordings do.
    interrupt: Option<Interrupt>,
}

impl Functions {
    pub(super) fn start(names: &[OsString], choice: &Choice) -> Result<Self> {
        let names: Vec<String> = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let Ok(names) = <[String; 2]>::try_from(names) else {
            bail!("`--python` takes two functions, as in `calor ab --why --python numpy:add mylib:add`");
        };
        let dtypes: Vec<&str> = choice.dtype.split(',').map(str::trim).collect();
        let dtypes = match dtypes[..] {
            [both] => [both, both],
            [a, b] => [a, b],
            _ => bail!("expected one type or two in `--dtype`, such as float32 or float32,float64"),
        };
        let shape = choice.shape.as_ref().map(|shape| shape.0.clone()).unwrap_or_default();
        let spec =
            json!({ "names": names, "shape": shape, "dtypes": dtypes, "setup": choice.setup }).to_string();
        let interrupt = Interrupt::hold().ok();
        let mut command = Command::new(&choice.interpreter);
        let started =
            command.arg("-c").arg(DRIVER).arg(&spec).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let shown = choice.interpreter.to_string_lossy();
        let mut child = started.with_context(|| {
            format!("cannot start `{shown}`: name a Python with --interpreter, such as python3")
        })?;
        let (Some(asks), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("`{shown}` was started without pipes");
        };
        Ok(Self {
            names,
            interpreter: choice.interpreter.clone(),
            spec,
            child,
            asks,
            answers: BufReader::new(answers),
            interrupt,
        })
    }

    fn ask(&mut self, question: &Value) -> Result<Value> {
        let answered = self.answer(question);
        // The terminal ends the interpreter as well: then there is no answer, and this is why.
        if self.interrupt.as_ref().is_some_and(|interrupt| interrupt.n_heard() > 0) {
            return Err(Interrupted("before everything was measured: nothing is explained").into());
        }
        answered
    }

    fn answer(&mut self, question: &Value) -> Result<Value> {
        let ended = || anyhow!("the Python that calls the functions ended; what it wrote is above");
        writeln!(self.asks, "{question}").map_err(|_| ended())?;
        let mut line = String::new();
        if self.answers.read_line(&mut line).context("cannot read what Python answers")? == 0 {
            return Err(ended());
        }
        let told: Value =
            serde_json::from_str(&line).with_context(|| format!("Python answered `{}`", line.trim()))?;
        match told.get("error").and_then(Value::as_str) {
            Some(error) => Err(anyhow!("{error}")),
            None => Ok(told),
        }
    }
}

impl Drop for Functions {
    fn drop(&mut self) {
        // It ends by itself when nothing more is asked, and is not waited for long.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Operation for Functions {
    fn shown(&self) -> [String; 2] {
        self.names.clone()
    }

    fn usual_sizes(&self) -> Vec<f64> {
        SIZES.to_vec()
    }

    fn has_calls(&self) -> bool {
        true
    }

    fn has_start(&self) -> bool {
        false
    }

    fn turn_nanos(&self) -> f64 {
        TURN_NANOS
    }

    fn time(&mut self, side: usize, size: f64, calls: u64) -> Result<Time> {
        let told =
            self.ask(&json!({ "do": "time", "side": side, "n": size.round() as u64, "calls": calls }))?;
        let nanos = |name: &str| told.get(name).and_then(Value::as_f64).context("Python told no time");
        Ok(Time { cpu: nanos("cpu")?, wall: nanos("wall")? })
    }

    fn end_timing(&mut self) {
        self.interrupt = None;
    }

    fn check(&mut self, size: f64) -> Result<Option<String>> {
        self.ask(&json!({ "do": "check", "n": size.round() as u64 }))?;
        Ok(None)
    }

    fn bytes(&mut self, size: f64) -> Result<Option<f64>> {
        let told = self.ask(&json!({ "do": "bytes", "n": size.round() as u64 }))?;
        Ok(told.get("bytes").and_then(Value::as_f64))
    }

    fn command(&self, side: usize, size: f64, calls: u64) -> Vec<OsString> {
        let numbers = [side.to_string(), (size.round() as u64).to_string(), calls.to_string()];
        let mut words =
            vec![self.interpreter.clone(), "-c".into(), DRIVER.into(), OsString::from(&self.spec)];
        words.extend(numbers.map(OsString::from));
        words
    }

    fn within(&self) -> Option<&'static str> {
        Some(WITHIN)
    }
}
