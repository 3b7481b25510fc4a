//! austin, which knows Python alone. Its lines are one sample each: process, thread, frames as `file:function:line`, and
//! the microseconds since the one before.

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::sampled::{Recorded, Tool};
use harness::watched::{Program, first_line};

use crate::environment;

const FILE: &str = "austin.txt";

pub(super) const TOOL: Tool = Tool { name: "austin", version, record, read: Some(read), files: &[FILE] };

fn version() -> Result<String, String> {
    let hint = "pip installs it: austin-dist 3.7.0, later ones need glibc 2.38";
    first_line(Command::new(environment::PEERS.program("austin")).arg("--version"), hint)
}

fn record(program: &Program, rate: u32, folder: &Path) -> Command {
    let mut command = Command::new(environment::PEERS.program("austin"));
    command.arg("--interval").arg((1_000_000 / rate).to_string()).arg("--output").arg(folder.join(FILE));
    program.append_to(command)
}

fn read(folder: &Path) -> Result<Recorded, String> {
    let text = fs::read_to_string(folder.join(FILE))
        .map_err(|error| format!("cannot read the stacks of austin: {error}"))?;
    recorded(&text)
}

fn recorded(text: &str) -> Result<Recorded, String> {
    let mut recorded = Recorded::of_folded(text)?;
    recorded.n_samples = recorded.stacks.len() as u64;
    for (frames, _) in &mut recorded.stacks {
        for frame in frames {
            // Process and thread have no colons.
            let parts = frame.rsplit_once(':').and_then(|(rest, _)| rest.rsplit_once(':'));
            if let Some((_, function)) = parts {
                *frame = function.to_owned();
            }
        }
    }
    Ok(recorded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_sample_and_a_frame_is_its_function() {
        let text = "# mode: wall\nP12;T34;/a/t.py:<module>:70;/a/t.py:stage_fib:14 1002\nP12;T34 998\n";
        let recorded = recorded(text).unwrap();
        assert_eq!(recorded.n_samples, 2);
        assert_eq!(
            recorded.stacks[0],
            (["P12", "T34", "<module>", "stage_fib"].map(str::to_owned).into(), 1002)
        );
    }
}
