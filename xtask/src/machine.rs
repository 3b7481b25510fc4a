//! What a benchmark was measured on; a number without it says little.

use std::process::Command;

pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) n_cores: usize,
    pub(crate) kernel: String,
    pub(crate) rustc: String,
}

const UNKNOWN: &str = "unknown";

impl Machine {
    pub(crate) fn this() -> Self {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| cpu_model(&text));
        Self {
            cpu: cpu.unwrap_or_else(|| UNKNOWN.to_owned()),
            n_cores: std::thread::available_parallelism().map_or(1, usize::from),
            kernel: first_line(Command::new("uname").arg("-sr")),
            rustc: first_line(Command::new("rustc").arg("--version")),
        }
    }
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, model)| model.trim().to_owned())
}

fn first_line(command: &mut Command) -> String {
    let output = command.output().ok().filter(|output| output.status.success());
    let text = output.and_then(|output| String::from_utf8(output.stdout).ok());
    text.and_then(|text| text.lines().next().map(ToOwned::to_owned)).unwrap_or_else(|| UNKNOWN.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read_where_the_kernel_tells_it() {
        let x86 = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.00GHz\n";
        assert_eq!(cpu_model(x86).as_deref(), Some("Intel(R) Xeon(R) CPU @ 2.00GHz"));
        assert_eq!(cpu_model("processor\t: 0\nBogoMIPS\t: 50.00\n"), None);
    }

    #[test]
    fn a_missing_program_is_unknown() {
        assert_eq!(first_line(&mut Command::new("no-such-program-on-any-machine")), UNKNOWN);
    }
}
