//! What else the machine does while it is measured.

use std::os::unix::process::parent_id;
use std::process::{Child, Command, Stdio};

/// How many processes are busy beside the measurement.
const BUSY: usize = 4;

/// A condition.
pub(crate) struct Condition {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// What the processes beside it do.
    beside: Option<&'static str>,
    /// Whether figures have to repeat. Beside others who use the same memory the bandwidth that is left is theirs to decide.
    pub(crate) has_goals: bool,
}

pub(crate) const CONDITIONS: [Condition; 3] = [
    Condition { name: "idle", about: "nothing else is started", beside: None, has_goals: true },
    Condition {
        name: "busy",
        about: "four processes compute all the time",
        beside: Some("compute"),
        has_goals: true,
    },
    Condition {
        name: "streaming",
        about: "four processes pass over memory all the time",
        beside: Some("stream"),
        has_goals: false,
    },
];

impl Condition {
    /// Starts the other work; it ends when what is returned is dropped.
    pub(crate) fn start(&self) -> Result<Running, String> {
        let mut running = Running(Vec::new());
        for _ in 0..self.beside.map_or(0, |_| BUSY) {
            let own = std::env::current_exe().map_err(|error| error.to_string())?;
            let mut command = Command::new(own);
            command.args(["--case", self.beside.unwrap_or_default()]).stdin(Stdio::null());
            let child = command.spawn().map_err(|error| format!("cannot load the machine: {error}"))?;
            running.0.push(child);
        }
        if !running.0.is_empty() {
            // Until they have their memory and their time slices.
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        Ok(running)
    }
}

/// Processes that are busy.
pub(crate) struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Is the other work, until whoever started it is gone.
pub(crate) fn be(what: &str) -> Result<(), String> {
    let parent = parent_id();
    let mut words = match what {
        "compute" => vec![1_u64; 64],
        "stream" => vec![1_u64; 8 << 20],
        other => return Err(format!("'{other}' is no case to measure")),
    };
    while parent_id() == parent {
        for _ in 0..(8 << 20) / words.len() {
            words.iter_mut().for_each(|word| *word = word.wrapping_mul(3));
            std::hint::black_box(&mut words);
        }
    }
    Ok(())
}
