//! What a program that is started under the view prints. The terminal belongs to the view, so it goes to a file: that
//! never makes the program wait, and outlives the view. Its end can be looked at, and it is handed on in the end.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::news;

/// So much of the end is looked at.
const TAIL: u64 = 64 << 10;
/// Output up to this size is handed on; more stays in its file.
const HANDED_ON: u64 = 64 << 10;

/// The file.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) path: PathBuf,
    file: File,
}

impl Output {
    /// Makes an empty one.
    pub(super) fn create() -> Result<Self> {
        let folder = std::env::temp_dir();
        let mut attempt = 0;
        loop {
            let path = folder.join(format!("calor-top-{}-{attempt}.log", std::process::id()));
            match File::options().read(true).append(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Self { path, file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
                Err(error) => {
                    return Err(error).with_context(|| {
                        format!(
                            "cannot keep what the program prints: set TMPDIR to a folder with room: {}",
                            path.display()
                        )
                    });
                }
            }
        }
    }

    /// Starts something whose output goes to the file. Whoever reads keys from the terminal needs them all, so that
    /// the program finds nothing to read there.
    pub(super) fn of<T>(&self, start: impl FnOnce() -> T) -> Result<T> {
        let kept = Streams::keep().context("cannot keep the terminal for the view")?;
        let outcome = self.take_over().map(|()| start());
        kept.put_back();
        outcome.context("cannot turn the program's output aside")
    }

    fn take_over(&self) -> io::Result<()> {
        if io::stdin().is_terminal() {
            dup2_stdin(File::open("/dev/null")?)?;
        }
        dup2_stdout(&self.file)?;
        dup2_stderr(&self.file)?;
        Ok(())
    }

    pub(super) fn size(&self) -> u64 {
        self.file.metadata().map_or(0, |data| data.len())
    }

    /// The last lines, as text without anything that moves the cursor.
    pub(super) fn last_lines(&mut self, n_lines: usize) -> Vec<String> {
        let mut bytes = Vec::new();
        let from = self.size().saturating_sub(TAIL);
        // What cannot be read is not shown.
        let _ = self
            .file
            .seek(SeekFrom::Start(from))
            .and_then(|_| (&self.file).take(TAIL).read_to_end(&mut bytes));
        last_lines(&String::from_utf8_lossy(&bytes), n_lines)
    }

    /// Hands on what was printed, and removes the file unless it is large or still written to.
    pub(super) fn hand_on(mut self, is_over: bool) {
        let size = self.size();
        if size == 0 && is_over {
            remove(&self.path);
        } else if size <= HANDED_ON && is_over {
            let mut bytes = Vec::new();
            let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_to_end(&mut bytes));
            let mut out = io::stdout();
            match read.and_then(|_| out.write_all(&bytes)).and_then(|()| out.flush()) {
                Ok(()) => remove(&self.path),
                Err(_) => self.tell(size),
            }
        } else {
            self.tell(size);
        }
    }

    fn tell(&self, size: u64) {
        let size = calor_analysis::quantity::bytes(size);
        news::say(format_args!("what it printed ({size}) is in {}", self.path.display()));
    }
}

fn remove(path: &Path) {
    // A file that stays in the folder for temporary files is no harm.
    let _ = std::fs::remove_file(path);
}

fn last_lines(text: &str, n_lines: usize) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.len().saturating_sub(n_lines);
    lines[first..].iter().map(|line| plain(line)).collect()
}

/// A line as it would look: what was written over is gone, and so is all that is not text.
fn plain(line: &str) -> String {
    let line = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or(line);
    let mut text = String::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => {
                if letters.next() == Some('[') {
                    // A sequence ends with a letter or one of a few signs.
                    letters.by_ref().find(|letter| ('@'..='~').contains(letter));
                }
            }
            '\t' => text.push_str("    "),
            letter if letter.is_control() => {}
            letter => text.push(letter),
        }
    }
    text
}

/// Where our own streams went before.
struct Streams {
    input: OwnedFd,
    output: OwnedFd,
    error: OwnedFd,
}

impl Streams {
    fn keep() -> io::Result<Self> {
        let copy = |stream: BorrowedFd<'_>| rustix::io::fcntl_dupfd_cloexec(stream, 3);
        Ok(Self {
            input: copy(io::stdin().as_fd())?,
            output: copy(io::stdout().as_fd())?,
            error: copy(io::stderr().as_fd())?,
        })
    }

    fn put_back(&self) {
        // These were open a moment ago and are so still.
        let _ = dup2_stdin(&self.input);
        let _ = dup2_stdout(&self.output);
        let _ = dup2_stderr(&self.error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_draws_with_becomes_plain_text() {
        let text = "one\n\x1b[1;32mgreen\x1b[0m two\r\n 10 %\r 99 %\nlast\tline\x07";
        assert_eq!(last_lines(text, 3), ["green two", " 99 %", "last    line"]);
        assert_eq!(last_lines(text, 9).len(), 4);
        assert!(last_lines("", 9).is_empty());
    }

    #[test]
    fn the_end_of_a_long_output_is_read_alone() {
        let mut output = Output::create().expect("there is room for a test");
        for number in 0..20_000 {
            writeln!(output.file, "line {number}").expect("it can be written");
        }
        assert_eq!(output.last_lines(2), ["line 19998", "line 19999"]);
        remove(&output.path);
    }
}
