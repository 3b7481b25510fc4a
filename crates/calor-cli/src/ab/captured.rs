//! What a command writes while it is measured. It goes into pipes, so that a command that does less for `/dev/null`, as some
//! do, does its whole work, and from there on to our own streams. Of it all a digest is kept, to tell whether two commands
//! print the same, and the end, to show why one failed: memory stays small however much is written.

use std::hash::{DefaultHasher, Hasher};
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How much is read at once.
const BLOCK: usize = 64 << 10;
/// How much of the end is kept.
const KEPT: usize = 4 << 10;
/// How long a pipe is waited for that a process which outlived the command keeps open.
const PATIENCE: Duration = Duration::from_millis(100);

/// Where what a command writes is passed on to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Onward {
    /// Nowhere.
    Nowhere,
    /// Our standard output.
    Output,
    /// Our standard error.
    Errors,
}

impl Onward {
    /// Passes something on. Where nobody listens any more, that is no reason to stop.
    fn pass(self, bytes: &[u8]) {
        let _ = match self {
            Self::Nowhere => Ok(()),
            Self::Output => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Self::Errors => io::stderr().lock().write_all(bytes),
        };
    }
}

/// What was written to one stream.
#[derive(Default)]
pub(super) struct Written {
    hasher: DefaultHasher,
    /// What has not gone into the digest yet: it takes whole blocks, however the pipe cut them.
    block: Vec<u8>,
    tail: Vec<u8>,
    n_bytes: u64,
}

impl Written {
    fn add(&mut self, bytes: &[u8]) {
        self.n_bytes += bytes.len() as u64;
        for part in bytes.chunks(BLOCK) {
            let room = BLOCK - self.block.len();
            let (now, later) = part.split_at(part.len().min(room));
            self.block.extend_from_slice(now);
            if self.block.len() == BLOCK {
                self.hasher.write(&self.block);
                self.block.clear();
            }
            self.block.extend_from_slice(later);
        }
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT)..]);
        self.tail.drain(..self.tail.len().saturating_sub(KEPT));
    }

    /// Whether there was anything.
    pub(super) fn is_empty(&self) -> bool {
        self.n_bytes == 0
    }

    /// The same for the same content, and hardly ever for another.
    pub(super) fn digest(&self) -> (u64, u64) {
        let mut hasher = self.hasher.clone();
        hasher.write(&self.block);
        (self.n_bytes, hasher.finish())
    }

    /// The last lines, without empty ones at the end.
    pub(super) fn last_lines(&self, n: usize) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.tail);
        // What was cut off within a line is not one.
        let whole = match self.n_bytes > KEPT as u64 {
            true => text.split_once('\n').map_or(&*text, |(_, rest)| rest),
            false => &text,
        };
        let lines: Vec<&str> = whole.trim_end().lines().collect();
        let shown = lines[lines.len().saturating_sub(n)..].iter();
        shown
            .map(|line| line.chars().filter(|letter| !letter.is_control() || *letter == '\t').collect())
            .collect()
    }
}

/// Does some work that starts a process, which is given the two descriptors as its standard output and standard error.
/// What it writes to each is passed on, and returned with what came of the work.
pub(super) fn captured<T>(
    onward: [Onward; 2],
    work: impl FnOnce([RawFd; 2]) -> T,
) -> io::Result<(T, [Written; 2])> {
    let (output, output_end) = io::pipe()?;
    let (errors, errors_end) = io::pipe()?;
    let is_over = &AtomicBool::new(false);
    thread::scope(|scope| {
        let reading = thread::Builder::new()
            .name(String::from("output"))
            .spawn_scoped(scope, move || read([output, errors], onward, is_over))?;
        let done = work([output_end.as_raw_fd(), errors_end.as_raw_fd()]);
        is_over.store(true, Relaxed);
        drop((output_end, errors_end));
        let written = reading.join().map_err(|_| io::Error::other("reading the output failed"))??;
        Ok((done, written))
    })
}

/// Reads both pipes until nobody can write to them, or nobody does after it is over.
fn read(pipes: [PipeReader; 2], onward: [Onward; 2], is_over: &AtomicBool) -> io::Result<[Written; 2]> {
    let mut written = [Written::default(), Written::default()];
    let mut open = pipes.map(Some);
    let mut bytes = vec![0; BLOCK];
    let pause = Timespec { tv_sec: 0, tv_nsec: PATIENCE.subsec_nanos().into() };
    while open.iter().any(Option::is_some) {
        // The state before the wait: what was written until then is read in any case.
        let was_over = is_over.load(Relaxed);
        let mut waits: Vec<PollFd<'_>> =
            open.iter().flatten().map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
        match poll(&mut waits, Some(&pause)) {
            Ok(0) if was_over => break,
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<bool> = waits.iter().map(|wait| !wait.revents().is_empty()).collect();
        let mut ready = ready.into_iter();
        for ((pipe, written), onward) in open.iter_mut().zip(&mut written).zip(onward) {
            let Some(reader) = pipe.as_mut().filter(|_| ready.next() == Some(true)) else { continue };
            match reader.read(&mut bytes)? {
                0 => *pipe = None,
                n => {
                    written.add(&bytes[..n]);
                    onward.pass(&bytes[..n]);
                }
            }
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&[u8]]) -> Written {
        let mut written = Written::default();
        parts.iter().for_each(|part| written.add(part));
        written
    }

    #[test]
    fn a_digest_is_of_the_content_and_not_of_how_it_came() {
        let long: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let whole = written(&[&long]).digest();
        let parts: Vec<&[u8]> = long.chunks(7_777).collect();
        assert_eq!(written(&parts).digest(), whole);
        assert_ne!(written(&[&long[1..]]).digest(), whole);
        assert_ne!(written(&[b"a"]).digest(), written(&[b"a\0"]).digest());
        assert_eq!(written(&[]).digest(), written(&[b""]).digest());
    }

    #[test]
    fn the_last_lines_are_whole_and_without_letters_that_move_a_cursor() {
        assert_eq!(written(&[b"one\ntwo\n", b"thr", b"ee\n\n"]).last_lines(2), ["two", "three"]);
        assert_eq!(written(&[b"\x1b[31mred\x1b[0m\tblue"]).last_lines(5), ["[31mred[0m\tblue"]);
        assert!(written(&[]).last_lines(5).is_empty());
        let long = [b"first ".as_slice(), &[b'x'; KEPT], b"\nlast"].concat();
        assert_eq!(written(&[&long]).last_lines(5), ["last"]);
    }

    #[test]
    fn a_process_that_keeps_a_pipe_open_is_not_waited_for() {
        let mut kept = None;
        let (done, [output, errors]) = captured([Onward::Nowhere; 2], |[output, errors]| {
            use std::process::{Command, Stdio};
            // Another process of the same descriptors, as a daemon has that the command leaves behind.
            let path = |fd: RawFd| format!("/proc/{}/fd/{fd}", std::process::id());
            let open = |fd| std::fs::OpenOptions::new().write(true).open(path(fd)).unwrap();
            kept = Some(open(output));
            let status = Command::new("sh")
                .args(["-c", "echo out; echo err >&2"])
                .stdout(Stdio::from(open(output)))
                .stderr(Stdio::from(open(errors)))
                .status();
            status.unwrap().success()
        })
        .unwrap();
        assert!(done && kept.is_some());
        assert_eq!(
            (output.last_lines(9), errors.last_lines(9)),
            (vec!["out".to_owned()], vec!["err".to_owned()])
        );
    }
}
