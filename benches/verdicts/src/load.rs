//! Other work for the machine while it is measured: processes of this program, one for each core, that compute.

use std::os::unix::process::parent_id;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long processes that come and go compute, and how long they are away.
const BURST: Duration = Duration::from_millis(300);

/// What other processes do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Load {
    /// They compute all the time.
    Steady,
    /// They all compute for a while, and then none does.
    Bursts,
}

impl Load {
    fn word(self) -> &'static str {
        match self {
            Self::Steady => "load-steady",
            Self::Bursts => "load-bursts",
        }
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        [Self::Steady, Self::Bursts].into_iter().find(|load| load.word() == word)
    }

    /// Starts as many processes as there are cores; they end when what is returned is dropped.
    pub(crate) fn start(self) -> Running {
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        let start = |_| {
            let mut command = Command::new(std::env::current_exe().ok()?);
            command.args(["--case", self.word()]).stdin(Stdio::null());
            command.spawn().ok()
        };
        let children: Vec<Child> = (0..n_cores).filter_map(start).collect();
        if children.len() < n_cores {
            eprintln!("warning: {} of {n_cores} processes that load the machine started", children.len());
        }
        Running(children)
    }

    /// Is the other work, until whoever started it is gone.
    pub(crate) fn be(self) {
        let parent = parent_id();
        let began = Instant::now();
        let mut state = 1_u64;
        while parent_id() == parent {
            let is_away =
                self == Self::Bursts && (began.elapsed().as_millis() / BURST.as_millis()).is_multiple_of(2);
            match is_away {
                true => std::thread::sleep(Duration::from_millis(5)),
                false => (0..100_000).for_each(|_| state = std::hint::black_box(state.wrapping_mul(3))),
            }
        }
    }
}

/// Processes that compute.
pub(crate) struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
