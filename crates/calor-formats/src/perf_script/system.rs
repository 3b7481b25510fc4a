//! What the comment lines of `perf script --header` tell of the command and the machine.

use calor_model::Run;

/// Takes in a line that begins with `#`.
pub(super) fn read_comment(line: &str, run: &mut Run) {
    let Some((key, value)) = line.trim_start_matches('#').split_once(':') else { return };
    let value = value.trim().to_owned();
    if value.is_empty() {
        return;
    }
    match key.trim() {
        "cmdline" => run.command = Some(value),
        "hostname" => run.host.name = value,
        "os release" => {
            run.host.os = "linux".to_owned();
            run.host.kernel = value;
        }
        "arch" => run.host.arch = value,
        "cpudesc" => run.host.cpu = value,
        "nrcpus avail" => run.host.cores = value.parse().ok(),
        "total memory" => {
            let kilobytes = value.strip_suffix("kB").and_then(|number| number.trim().parse::<u64>().ok());
            run.host.memory_bytes = kilobytes.and_then(|kilobytes| kilobytes.checked_mul(1024));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_tell_command_and_machine() {
        let mut run = Run::default();
        for line in [
            "# ========",
            "# cmdline : /usr/bin/perf record -g ./model",
            "# os release : 6.1.0",
            "# nrcpus avail : 2",
            "# total memory : 24684100 kB",
            "# hostname : ",
        ] {
            read_comment(line, &mut run);
        }
        assert_eq!(run.command.as_deref(), Some("/usr/bin/perf record -g ./model"));
        assert_eq!((run.host.os.as_str(), run.host.kernel.as_str()), ("linux", "6.1.0"));
        assert_eq!((run.host.cores, run.host.memory_bytes), (Some(2), Some(24_684_100 << 10)));
        assert_eq!(run.host.name, "");
    }
}
