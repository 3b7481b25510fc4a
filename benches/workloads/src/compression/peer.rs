//! `zstd -b` and `lz4 -b` of the sources that Debian has, and what they print.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use calor_workloads::compression::{Algorithm, Block, Setting};
use harness::watched::source::Source;
use harness::watched::{child, first_line};

/// What the libraries of Rust programs are compiled with besides `-O3`, which is what the tools have: the first makes `lz4 -b1` of
/// noise in blocks a fifth slower, the last, which the crate of zstd has, `zstd -b9` by a seventh.
const ZSTD: Source = Source {
    package: "libzstd",
    program: "programs/zstd",
    make: &[
        "-C",
        "programs",
        "zstd-release",
        "HAVE_ZLIB=0",
        "HAVE_LZMA=0",
        "HAVE_LZ4=0",
        "MOREFLAGS=-fPIC -ffunction-sections -fdata-sections -fvisibility=hidden -DXXH_PRIVATE_API=",
    ],
};
const LZ4: Source = Source {
    package: "lz4",
    program: "lz4",
    make: &["lz4", "MOREFLAGS=-fPIC -ffunction-sections -fdata-sections"],
};

/// A tool that is there.
pub(crate) struct Peer {
    program: std::path::PathBuf,
    algorithm: Algorithm,
    /// What it says of itself.
    pub(crate) version: String,
}

/// Megabytes a second each way, and the size of the output.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Speeds {
    pub(crate) compress: f64,
    pub(crate) decompress: f64,
    pub(crate) bytes: Option<u64>,
}

/// What a tool told, and how much of a processor it had meanwhile: it tells speeds by the clock on the wall.
pub(crate) struct Run {
    pub(crate) speeds: Speeds,
    pub(crate) processor: f64,
}

impl Peer {
    /// The tool of an algorithm, made if need be.
    pub(crate) fn of(algorithm: Algorithm) -> Result<Self, String> {
        let tool = match algorithm {
            Algorithm::Zstd => ZSTD,
            Algorithm::Lz4 => LZ4,
            other => return Err(format!("there is no tool for {other}")),
        };
        let program = tool.make()?;
        let version = first_line(Command::new(&program).arg("--version"), "it was just built")?;
        Ok(Self { program, algorithm, version: version.trim_matches(['*', ' ']).to_owned() })
    }

    /// What it finds for a file in a second each way, on one thread.
    pub(crate) fn speeds(&self, file: &Path, setting: Setting, block: Block) -> Result<Run, String> {
        let mut command = Command::new(&self.program);
        command.arg(format!("-b{}", setting.level.unwrap_or(1))).arg("-i1");
        if self.algorithm == Algorithm::Zstd {
            command.arg("--single-thread");
        }
        if let Block::Bytes(bytes) = block {
            command.arg(format!("-B{bytes}"));
        }
        let (before, begin) = (child::cpu_seconds()?, Instant::now());
        let output = command.arg(file).stdin(Stdio::null()).output();
        let processor = (child::cpu_seconds()? - before) / begin.elapsed().as_secs_f64();
        let output = output.map_err(|error| format!("cannot start {}: {error}", self.program.display()))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let speeds =
            parsed(&said).ok_or_else(|| format!("{} printed no speeds: {}", self.algorithm, said.trim()))?;
        Ok(Run { speeds, processor })
    }
}

/// The last line with two speeds: progress is written over with carriage returns, the result comes last.
fn parsed(said: &str) -> Option<Speeds> {
    let line = said.split(['\r', '\n']).rfind(|line| line.matches("MB/s").count() == 2)?;
    let mut speeds = line.split("MB/s").map(|part| {
        let number = part.trim_end().rsplit([' ', ',', '\t']).next();
        number.and_then(|number| number.parse::<f64>().ok()).filter(|speed| *speed > 0.0)
    });
    let (compress, decompress) = (speeds.next()??, speeds.next()??);
    let bytes = line.split_once("->").and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
    Some(Speeds { compress, decompress, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_the_tools_is_read() {
        let zstd = " 3#data-0 :   4194304 -> \r 3#data-0            :   4194304 ->   1500000 (x2.796),  123.4 MB/s\r \
                    3#data-0            :   4194304 ->   1500000 (x2.796),  150.4 MB/s,  890.1 MB/s\n";
        let expect = Speeds { compress: 150.4, decompress: 890.1, bytes: Some(1_500_000) };
        assert_eq!(parsed(zstd), Some(expect));
        let lz4 = "Benchmarking levels from 1 to 1\n 1#data-0    :   4194304 ->   2500000 (1.678), 450.5 MB/s ,2890.1 MB/s \n";
        let expect = Speeds { compress: 450.5, decompress: 2890.1, bytes: Some(2_500_000) };
        assert_eq!(parsed(lz4), Some(expect));
        assert_eq!(parsed("zstd: data-0: No such file or directory"), None);
    }
}
