//! A program that runs one instruction at a time.

#![expect(unsafe_code, reason = "the system call that traces a process has no safe form")]

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use calor_symbols::unwind::Registers;

/// A traced child. All calls have to come from the thread that started it.
pub(crate) struct Tracee {
    child: Child,
    pid: libc::pid_t,
}

/// What happened to it last.
pub(crate) enum Stop {
    /// It ran one instruction, or arrived in a signal handler.
    Stepped,
    /// A signal is about to be delivered.
    Signal(i32),
    /// It ended by itself with this status.
    Exited(i32),
}

impl Tracee {
    /// Starts the program and leaves it before its first instruction.
    pub(crate) fn start(path: &Path) -> Self {
        let mut command = Command::new(path);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        // SAFETY: between fork and exec the closure makes one system call and touches no memory.
        unsafe {
            command.pre_exec(|| match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
                -1 => Err(std::io::Error::last_os_error()),
                _ => Ok(()),
            });
        }
        let child = command.spawn().expect("the program that was just built can be started");
        let pid = libc::pid_t::try_from(child.id()).expect("a process number");
        let tracee = Self { child, pid };
        assert!(matches!(tracee.wait(), Stop::Stepped), "a traced program stops when it is started");
        tracee
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Runs one instruction, after delivering `signal` if it is not 0.
    pub(crate) fn step(&self, signal: i32) -> Stop {
        // SAFETY: the child is traced by this thread and stopped; no memory of this process is handed over.
        let result = unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, self.pid, 0, signal) };
        assert_eq!(result, 0, "cannot step: {}", std::io::Error::last_os_error());
        self.wait()
    }

    pub(crate) fn registers(&self) -> Registers {
        // SAFETY: all bytes zero is a value of this structure of integers.
        let mut user: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        // SAFETY: the child is traced by this thread and stopped, and `user` is what the call fills.
        let result = unsafe { libc::ptrace(libc::PTRACE_GETREGS, self.pid, 0, &raw mut user) };
        assert_eq!(result, 0, "cannot read registers: {}", std::io::Error::last_os_error());
        let mut registers = Registers::new(user.rip, user.rsp, user.rbp);
        let others = [
            (0, user.rax),
            (1, user.rdx),
            (2, user.rcx),
            (3, user.rbx),
            (4, user.rsi),
            (5, user.rdi),
            (8, user.r8),
            (9, user.r9),
            (10, user.r10),
            (11, user.r11),
            (12, user.r12),
            (13, user.r13),
            (14, user.r14),
            (15, user.r15),
        ];
        for (number, value) in others {
            registers.set(number, value);
        }
        registers
    }

    fn wait(&self) -> Stop {
        let mut status = 0;
        // SAFETY: the child is this process's own, and `status` outlives the call.
        let result = unsafe { libc::waitpid(self.pid, &raw mut status, 0) };
        assert_eq!(result, self.pid, "cannot wait: {}", std::io::Error::last_os_error());
        if libc::WIFEXITED(status) {
            return Stop::Exited(libc::WEXITSTATUS(status));
        }
        assert!(libc::WIFSTOPPED(status), "the program was ended by signal {}", libc::WTERMSIG(status));
        match libc::WSTOPSIG(status) {
            libc::SIGTRAP => Stop::Stepped,
            signal => Stop::Signal(signal),
        }
    }
}

impl Drop for Tracee {
    fn drop(&mut self) {
        // Both fail when it has ended already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
