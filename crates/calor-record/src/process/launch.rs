//! A program started so that it is watched from its first instruction: it waits, still as a copy of us, until
//! the events stand, and only then becomes the program.

#![expect(unsafe_code, reason = "the time between fork and exec is needed, which std does not give")]

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use super::heritage::Heritage;
use super::streams::Streams;

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The command is empty or holds a zero byte.
    #[error("the command is empty or has a zero byte in it")]
    Unusable,
    /// There is no such program.
    #[error("there is no program `{program}`", program = .0.display())]
    NotFound(OsString),
    /// It is a directory.
    #[error("`{program}` is a directory, not a program", program = .0.display())]
    Directory(OsString),
    /// It is a file that this user may not execute.
    #[error("`{program}` is not executable", program = .0.display())]
    NotExecutable(OsString),
    /// The program is there but does not start.
    #[error("`{program}` does not start: {error}", program = .0.display(), error = .1)]
    NotStarted(OsString, #[source] io::Error),
    /// No process could be made.
    #[error("no process could be started: {0}")]
    NoProcess(#[from] io::Error),
}

/// Variables that a program finds beside our own, or instead of them.
pub(crate) type Environment = Vec<(OsString, OsString)>;

/// A started program.
#[derive(Debug)]
pub(crate) struct Child {
    pid: i32,
    program: OsString,
    gate: Option<File>,
    outcome: Option<File>,
    status: Option<ExitStatus>,
    /// The most memory it held before it became the program, once it has.
    start_peak_bytes: u64,
    /// What it used up, once it has ended.
    usage: libc::rusage,
}

impl Child {
    /// Makes the process with these standard streams; it waits for [`let_go`](Self::let_go).
    pub(crate) fn hold(
        command: &[OsString],
        heritage: &Heritage,
        streams: Streams,
        environment: &Environment,
    ) -> Result<Self, LaunchError> {
        let arguments: Vec<CString> = command
            .iter()
            .map(|word| CString::new(word.as_bytes()))
            .collect::<Result<_, _>>()
            .map_err(|_| LaunchError::Unusable)?;
        let program = command.first().cloned().ok_or(LaunchError::Unusable)?;
        if !is_there(&program) {
            return Err(LaunchError::NotFound(program));
        }
        let mut pointers: Vec<_> = arguments.iter().map(|word| word.as_ptr()).collect();
        pointers.push(std::ptr::null());
        let variables = variables(environment)?;
        let mut variable_pointers: Vec<_> = variables.iter().map(|text| text.as_ptr()).collect();
        variable_pointers.push(std::ptr::null());
        let exchange = streams.prepare()?;
        let (gate_out, gate_in) = pipe()?;
        let (outcome_out, outcome_in) = pipe()?;
        // SAFETY: the child calls nothing but functions that may be called after a fork of any process.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(io::Error::last_os_error().into());
        }
        if pid == 0 {
            // SAFETY: as above; the pointers were made before the fork and end with a null.
            unsafe {
                libc::close(gate_in.as_raw_fd());
                let mut byte = 0_u8;
                let told = libc::read(gate_out.as_raw_fd(), (&raw mut byte).cast(), 1);
                if told == 1 {
                    exchange.put_in_place();
                    heritage.put_back();
                    // The system keeps the peak over the exec; from outside it could only be read too early.
                    let mut usage = std::mem::zeroed::<libc::rusage>();
                    libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
                    let peak = usage.ru_maxrss;
                    libc::write(outcome_in.as_raw_fd(), (&raw const peak).cast(), size_of_val(&peak));
                    libc::execvpe(pointers[0], pointers.as_ptr(), variable_pointers.as_ptr());
                    let code = *libc::__errno_location();
                    libc::write(outcome_in.as_raw_fd(), (&raw const code).cast(), size_of_val(&code));
                }
                libc::_exit(127)
            }
        }
        let (gate, outcome) = (Some(File::from(gate_in)), Some(File::from(outcome_out)));
        // SAFETY: the structure holds numbers alone, for which zero is a value.
        let usage = unsafe { std::mem::zeroed() };
        Ok(Self { pid, program, gate, outcome, status: None, start_peak_bytes: 0, usage })
    }

    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// Lets the process become the program.
    pub(crate) fn let_go(&mut self) -> Result<(), LaunchError> {
        let Some(mut gate) = self.gate.take() else { return Ok(()) };
        gate.write_all(&[1])?;
        drop(gate);
        // Our copy of the child's end is closed, so that this ends with the exec, or brings its error.
        let Some(mut outcome) = self.outcome.take() else { return Ok(()) };
        let mut peak = [0_u8; size_of::<libc::c_long>()];
        if outcome.read_exact(&mut peak).is_ok() {
            self.start_peak_bytes = u64::try_from(libc::c_long::from_ne_bytes(peak)).unwrap_or(0) * 1024;
        }
        let mut code = [0_u8; 4];
        if outcome.read_exact(&mut code).is_ok() {
            let error = io::Error::from_raw_os_error(i32::from_ne_bytes(code));
            // SAFETY: the process is our child, and ends right after telling.
            unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), 0) };
            return Err(self.not_started(error));
        }
        Ok(())
    }

    /// The most memory it held before it became the program; 0 before it has.
    pub(crate) fn start_peak_bytes(&self) -> u64 {
        self.start_peak_bytes
    }

    fn not_started(&self, error: io::Error) -> LaunchError {
        let program = self.program.clone();
        match error.kind() {
            io::ErrorKind::NotFound if !is_there(&program) => LaunchError::NotFound(program),
            io::ErrorKind::PermissionDenied if std::path::Path::new(&program).is_dir() => {
                LaunchError::Directory(program)
            }
            io::ErrorKind::PermissionDenied => LaunchError::NotExecutable(program),
            _ => LaunchError::NotStarted(program, error),
        }
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            let mut status = 0;
            // SAFETY: the process is our child, and there is room for both answers.
            let pid = unsafe { libc::wait4(self.pid, &raw mut status, libc::WNOHANG, &raw mut self.usage) };
            if pid == self.pid {
                self.status = Some(ExitStatus::from_raw(status));
            }
        }
        self.status
    }

    /// What it and the children it waited for have used up; nothing before it has ended.
    pub(crate) fn usage(&self) -> libc::rusage {
        self.usage
    }

    /// Passes a signal on.
    pub(crate) fn signal(&self, signal: i32) {
        if self.status.is_none() {
            // SAFETY: the process is our child and has not been waited for, so that the pid is its own.
            unsafe { libc::kill(self.pid, signal) };
        }
    }
}

impl Drop for Child {
    /// A process that was never let go ends by itself when the gate closes; it must not stay as a zombie.
    fn drop(&mut self) {
        if self.gate.take().is_some() {
            // SAFETY: the process is our child.
            unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), 0) };
        }
    }
}

/// Whether the program can be found the way a shell would look for it.
/// All variables of a program, as the system wants them.
fn variables(more: &Environment) -> Result<Vec<CString>, LaunchError> {
    let own = std::env::vars_os().filter(|(name, _)| !more.iter().any(|(other, _)| other == name));
    own.chain(more.iter().cloned())
        .map(|(mut text, value)| {
            text.push("=");
            text.push(value);
            CString::new(text.as_bytes()).map_err(|_| LaunchError::Unusable)
        })
        .collect()
}

fn is_there(program: &OsStr) -> bool {
    if program.as_bytes().contains(&b'/') {
        return std::path::Path::new(program).exists();
    }
    // Without folders to look in, the system has some of its own.
    std::env::var_os("PATH")
        .is_none_or(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just handed out these descriptors, and nobody else knows them.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}
