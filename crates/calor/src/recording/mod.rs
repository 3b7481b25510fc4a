//! Recording to a file, or to a sink of the program's own, while the program runs. A thread of its own looks at all others twice
//! a second and hands on what is new, so a program that is killed leaves a file that lacks at most the last second.

mod file;
#[cfg(feature = "told-heap")]
mod heap;
#[cfg(not(feature = "told-heap"))]
#[path = "no_heap.rs"]
mod heap;
mod stream;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use calor_formats::parts::{PartSink, PartStream};
use calor_model::Profile;

use crate::own_memory::{as_own, hand_out, own_for_good};
use crate::process_lock::ProcessLock;
use crate::recorder::block::thread_number;
use crate::recorder::{registry, state};
use crate::{causal, process};

pub(crate) use file::RecordingFile;
pub(crate) use stream::Stream;

/// How often rings are looked at, so that busy threads do not overwrite spans unread.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a sink of the program's own may take to end, before the recording ends without it.
const SINK_PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked after meanwhile.
const SINK_LOOK: Duration = Duration::from_millis(5);

/// The examples of the document are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/recordings.md")]
struct Document;

/// How to record to a file or a sink.
#[derive(Clone, Debug)]
#[must_use]
pub struct RecordingOptions {
    timeline: bool,
    interval: Duration,
    span_limit_bytes: u64,
    tell: Option<fn(&mut Profile)>,
}

impl Default for RecordingOptions {
    fn default() -> Self {
        Self { timeline: true, interval: Duration::from_millis(500), span_limit_bytes: 1 << 30, tell: None }
    }
}

impl RecordingOptions {
    /// The defaults: with the timeline, a part every half second, spans up to 1 GiB.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether to write when scopes ran, not only their statistics.
    pub fn timeline(mut self, on: bool) -> Self {
        self.timeline = on;
        self
    }

    /// How often a part is written: what a killed program loses at most. From 50 ms to 1 minute.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval.clamp(LOOK_EVERY, Duration::from_secs(60));
        self
    }

    /// How large the file may grow by spans; statistics go on beyond it.
    pub fn span_limit_bytes(mut self, bytes: u64) -> Self {
        self.span_limit_bytes = bytes;
        self
    }

    /// Has a function add to each part before it is written, on the thread that writes: what another recorder in the
    /// process has to tell beside scopes, such as warnings. Parts are added up, so it tells what is new.
    #[doc(hidden)]
    pub fn tell(mut self, tell: fn(&mut Profile)) -> Self {
        self.tell = Some(tell);
        self
    }
}

/// Why a recording could not be started or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file could not be created or written.
    #[error("cannot write the recording ({cause}); choose a writable place with free space: {}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the operating system said.
        cause: std::io::Error,
    },
    /// A file is there, and it is no profile.
    #[error(
        "a file is there that is no calor profile, and it is not written over; name another file for the recording, or remove that \
         one first: {}", path.display()
    )]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// A sink did not take a part.
    #[error("the sink did not take a part of the recording ({cause})")]
    Sink {
        /// What the sink said.
        cause: std::io::Error,
    },
    /// There is one recording at a time.
    #[error("a recording is under way already; stop it with calor::stop_recording(): {}", place(path))]
    UnderWay {
        /// Where it goes; empty where that is a sink of the program's own.
        path: PathBuf,
    },
    /// The thread that writes could not be started.
    #[error("cannot start the thread that writes the recording ({cause})")]
    Thread {
        /// What the operating system said.
        cause: std::io::Error,
    },
}

fn place(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        "to a sink of the program".to_owned()
    } else {
        path.display().to_string()
    }
}

/// What became of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// The file; empty where the recording went to a sink of the program's own.
    pub path: PathBuf,
    /// Its size, or what the sink says of its own.
    pub bytes: u64,
    /// What went wrong last, if anything did.
    pub problem: Option<String>,
}

/// A recording under way. Dropping this handle does not end it: it goes on until it is stopped or the program
/// ends.
#[derive(Clone, Debug)]
pub struct Recording {
    shared: Option<Arc<Shared>>,
    problem: Option<String>,
}

impl Recording {
    /// Ends the recording and waits until the file is complete.
    #[must_use = "it tells whether the file is whole"]
    pub fn stop(&self) -> Option<Recorded> {
        let own = self.shared.as_ref()?;
        stop(false, |current| Arc::ptr_eq(&current.shared, own))
    }

    /// What is wrong with it, if anything: it could not be started, or the last write failed.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        match &self.shared {
            Some(shared) => shared.problem.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            None => self.problem.clone(),
        }
    }

    /// How much has been written so far.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.shared.as_ref().map_or(0, |shared| shared.bytes.load(Relaxed))
    }
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    /// Whether it ends because the program does.
    is_program_end: AtomicBool,
    /// Whether nobody waits for it any more: the next recording may have begun.
    is_given_up: AtomicBool,
    bytes: AtomicU64,
    problem: Mutex<Option<String>>,
}

struct Current {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
    /// Empty where it goes to a sink of the program's own.
    path: PathBuf,
}

/// The recording under way. Held while one is being started or stopped, so that the program's end and the next
/// recording wait until the file is complete.
static CURRENT: ProcessLock<Option<Current>> = ProcessLock::new();

/// Turns the recorder on and streams statistics and timeline to a file until [`stop_recording`] or the end of
/// the program. If the file cannot be written, that is said once on stderr and the program goes on;
/// [`try_start_recording`] returns the error instead.
pub fn start_recording(path: impl AsRef<Path>) -> Recording {
    match try_start_recording(path, &RecordingOptions::new()) {
        Ok(recording) => recording,
        Err(error) => {
            crate::enable();
            eprintln!("calor: {error}; the program goes on without it");
            Recording { shared: None, problem: Some(error.to_string()) }
        }
    }
}

/// Like [`start_recording`], with options, and with an error where that only warns.
///
/// # Errors
/// When the file cannot be created, one that is no profile is there, or a recording is under way already.
pub fn try_start_recording(
    path: impl AsRef<Path>,
    options: &RecordingOptions,
) -> Result<Recording, RecordingError> {
    as_own(|| start(path.as_ref(), options))
}

/// Turns the recorder on and hands its parts to a sink until [`stop_recording`] or the end of the program: a
/// [`channel`](crate::parts::channel) to another thread, a [`PartFile`](crate::parts::PartFile), or what the program brings itself.
///
/// ```
/// use calor::parts::channel;
/// use calor::{RecordingOptions, start_recording_to};
///
/// let (sink, parts) = channel(16);
/// let sender = std::thread::spawn(move || {
///     // Ends when the recording does. Each part is a file of its own, ready to be sent or kept.
///     parts.iter().map(|part| part.to_file().map(|file| file.len())).collect::<Result<Vec<_>, _>>()
/// });
/// let recording = start_recording_to(sink, &RecordingOptions::new())?;
/// {
///     calor::scope!("work");
/// }
/// assert_eq!(recording.stop().and_then(|recorded| recorded.problem), None);
/// assert!(!sender.join().expect("it does not panic")?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `docs/recordings.md` has more. The sink is called on the thread that records, and nothing else of the program waits for it. While it refuses parts, or takes
/// its time, statistics add up and come with the next part it takes; spans that find no room are dropped and counted in a warning
/// of the profile. At the end it has five seconds. What it allocates there belongs to Calor and is not in the profile.
///
/// # Errors
/// When a recording is under way already, or no thread can be started.
pub fn start_recording_to(
    sink: impl PartSink + 'static,
    options: &RecordingOptions,
) -> Result<Recording, RecordingError> {
    as_own(|| {
        let mut current = CURRENT.lock();
        refuse_second(current.as_ref())?;
        begin(&mut current, PathBuf::new(), Box::new(sink), options, options.timeline)
    })
}

fn start(path: &Path, options: &RecordingOptions) -> Result<Recording, RecordingError> {
    let mut current = CURRENT.lock();
    refuse_second(current.as_ref())?;
    let planned = causal::handover::place(path);
    let path = planned.as_deref().unwrap_or(path);
    if RecordingFile::is_foreign(path) {
        return Err(RecordingError::Foreign { path: path.to_owned() });
    }
    let file = RecordingFile::create(path, options.span_limit_bytes)
        .map_err(|cause| RecordingError::File { path: path.to_owned(), cause })?;
    let has_timeline = options.timeline && planned.is_none();
    begin(&mut current, path.to_owned(), Box::new(file), options, has_timeline)
}

fn refuse_second(current: Option<&Current>) -> Result<(), RecordingError> {
    match current {
        Some(current) => Err(RecordingError::UnderWay { path: current.path.clone() }),
        None => Ok(()),
    }
}

fn begin(
    current: &mut Option<Current>,
    path: PathBuf,
    sink: Box<dyn PartSink>,
    options: &RecordingOptions,
    has_timeline: bool,
) -> Result<Recording, RecordingError> {
    if has_timeline {
        state::require_timeline();
    }
    crate::enable();
    if !path.as_os_str().is_empty() {
        causal::handover::tell_recording(&path);
    }
    // What was sampled before the recording is not in it: from here on, everything is.
    crate::sampling::hand_over(false);
    {
        let mut collected = registry::lock();
        collected.stream = Some(Stream::new(has_timeline));
    }
    let shared = Arc::new(Shared::default());
    let writer = Writer {
        parts: PartStream::new(sink),
        path: path.clone(),
        shared: Arc::clone(&shared),
        interval: options.interval,
        tell: options.tell,
        heap: Default::default(),
    };
    let (ready, is_ready) = mpsc::sync_channel(1);
    let thread = std::thread::Builder::new()
        .name(String::from("calor-recording"))
        .spawn(move || writer.run(&ready))
        .map_err(|cause| {
            // What nobody writes must not be kept.
            registry::lock().stream = None;
            crate::gpu::end_news();
            RecordingError::Thread { cause }
        })?;
    // From here on it is known which thread is not the program's.
    let _ = is_ready.recv();
    *current = Some(Current { shared: Arc::clone(&shared), thread, path });
    stop_at_exit();
    Ok(Recording { shared: Some(shared), problem: None })
}

/// Ends the recording under way, if there is one, and waits until its file is complete. The recorder stays on.
pub fn stop_recording() -> Option<Recorded> {
    stop(false, |_| true)
}

fn stop(is_program_end: bool, is_meant: impl FnOnce(&Current) -> bool) -> Option<Recorded> {
    as_own(|| end(is_program_end, is_meant)).map(hand_out)
}

fn end(is_program_end: bool, is_meant: impl FnOnce(&Current) -> bool) -> Option<Recorded> {
    let mut lock = CURRENT.lock();
    let current = lock.take_if(|current| is_meant(current))?;
    crate::sampling::hand_over(true);
    current.shared.is_program_end.store(is_program_end, Relaxed);
    current.shared.stop.store(true, Release);
    current.thread.thread().unpark();
    let is_file = !current.path.as_os_str().is_empty();
    let patience = Instant::now() + SINK_PATIENCE;
    while !is_file && !current.thread.is_finished() && Instant::now() < patience {
        std::thread::sleep(SINK_LOOK);
    }
    let failure = if is_file || current.thread.is_finished() {
        // The thread does not panic; if it did, the file would still be whole up to its last part.
        current.thread.join().err().map(|_| "the writing thread failed")
    } else {
        current.shared.is_given_up.store(true, Release);
        Some("the sink did not come to an end within five seconds: the last of the recording may be missing")
    };
    WRITER.store(0, Release);
    registry::lock().stream = None;
    crate::gpu::end_news();
    let problem = current.shared.problem.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Some(Recorded {
        path: current.path,
        bytes: current.shared.bytes.load(Relaxed),
        problem: problem.or_else(|| failure.map(str::to_owned)),
    })
}

/// In a forked child: the recording is the parent's.
pub(crate) fn forget() {
    CURRENT.forget();
    WRITER.store(0, Release);
}

/// The number of the thread that writes, 0 if there is none: it is Calor's, and no part of the program.
static WRITER: AtomicU64 = AtomicU64::new(0);

/// The same; `None` if there is none.
#[cfg(all(feature = "sampling", target_os = "linux", target_arch = "x86_64"))]
pub(crate) fn writer() -> Option<i32> {
    i32::try_from(WRITER.load(Acquire)).ok().filter(|tid| *tid != 0)
}

/// A program that returns from `main` or calls `exit` leaves a finished file.
fn stop_at_exit() {
    static ONCE: Once = Once::new();
    extern "C" fn at_exit() {
        let _ = stop(true, |_| true);
    }
    ONCE.call_once(|| process::at_exit(at_exit));
}

struct Writer {
    parts: PartStream<Box<dyn PartSink>>,
    path: PathBuf,
    shared: Arc<Shared>,
    interval: Duration,
    tell: Option<fn(&mut Profile)>,
    heap: heap::HeapParts,
}

impl Writer {
    fn run(mut self, ready: &SyncSender<()>) {
        own_for_good();
        WRITER.store(thread_number(), Release);
        let _ = ready.send(());
        process::block_signals();
        let mut last = Instant::now();
        // Often at first, for programs that are killed early.
        let mut interval = LOOK_EVERY.min(self.interval);
        self.write_part(false);
        loop {
            let is_last = self.shared.stop.load(Acquire);
            if is_last || last.elapsed() >= interval || stream::is_pressed() {
                last = Instant::now();
                interval = (2 * interval).min(self.interval);
                self.write_part(is_last);
            }
            if is_last {
                break;
            }
            std::thread::park_timeout(LOOK_EVERY);
        }
        let outcome = self.parts.end();
        self.note(outcome);
    }

    fn write_part(&mut self, is_last: bool) {
        if self.shared.is_given_up.load(Acquire) {
            return;
        }
        if let Some(mut part) = stream::next_part() {
            let is_program_end = is_last && self.shared.is_program_end.load(Relaxed);
            self.heap.add_to(&mut part, is_last, is_program_end);
            if let Some(tell) = self.tell {
                tell(&mut part);
            }
            let outcome = self.parts.add(part);
            self.note(outcome);
        }
    }

    /// Remembers how a write went, and says so the first time it fails.
    fn note(&self, outcome: std::io::Result<()>) {
        self.shared.bytes.store(self.parts.sink().n_bytes(), Relaxed);
        let mut problem = self.shared.problem.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Ok(()) => *problem = None,
            Err(cause) => {
                let error = match self.path.as_os_str().is_empty() {
                    true => RecordingError::Sink { cause },
                    false => RecordingError::File { path: self.path.clone(), cause },
                };
                if !WARNED.swap(true, AcqRel) {
                    eprintln!("calor: {error}; the program goes on, and writing is tried again");
                }
                *problem = Some(error.to_string());
            }
        }
    }
}

static WARNED: AtomicBool = AtomicBool::new(false);
