//! Python frames at the very instant of a sample: a program in the kernel follows them when the sample is taken. Where
//! the kernel does not let us, they are read as soon afterwards as can be, and checked all the same.

use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

use super::agree::PythonFrame;
use super::layout::{Layout, Rank, ThreadFrame};
use super::state::{Captured, FOLLOWED, LockAt, ThreadState};
use crate::bpf::{Assembler, Kind, Map, Program, Queue, Register, Size};

use Register::{R0, R1, R2, R3, R4, R6, R7, R8, R9, R10};
use Size::{Word4, Word8};

/// Threads that are followed.
const MOST_THREADS: u32 = 32_768;
/// Frames that are followed in the kernel.
const MOST_FRAMES: i32 = FOLLOWED as i32;
const QUEUE_BYTES: usize = 4 << 20;

/// What a record begins with: thread and number of frames (4 bytes each), time, holder of the lock, whether it is locked,
/// the frame behind the last one, where the first one was looked for, and the instruction that the sample is of.
const HEAD: i32 = 56;
/// What a frame takes in a record: its address, the mark of its code, and its bytes as they are.
const FRAME: i32 = 128;
const BYTES_AT: i32 = 16;
const BYTES: usize = (FRAME - BYTES_AT) as usize;
/// Offsets in a frame are less than this, which is said to the kernel by a mask; what is read there may reach so far
/// beyond the frame's place in the record.
const OFFSETS: i32 = 128;
/// Records have one of a few lengths, for so many frames, since the kernel wants to know them beforehand.
const STEPS: [i32; 4] = [8, 24, 64, MOST_FRAMES];

/// Where the instruction pointer stands in what the kernel shows of the registers.
const INSTRUCTION_AT: i16 = if cfg!(target_arch = "x86_64") { 128 } else { 256 };

const LOOK_UP: i32 = 1;
const NOW: i32 = 5;
const CURRENT_TASK: i32 = 14;
const READ_USER: i32 = 112;
const CURRENT_TASK_IN: i32 = 120;
const WRITE_RING: i32 = 130;
/// We look for records ourselves.
const NO_WAKE_UP: i32 = 1;

/// What the program is told of a thread, in words of eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
enum Field {
    /// Where the pointer is that leads to the first frame.
    First,
    /// If it leads to a record that points to the frame: where in that one, plus 1.
    Through,
    Code,
    Back,
    /// Where the words are in a code object by which it is known again.
    Mark,
    Holder,
    Locked,
}
const N_FIELDS: usize = 7;
/// Room for one record.
const SCRATCH: u32 = (HEAD + FRAME * MOST_FRAMES + OFFSETS).cast_unsigned();

/// The program, and what it has to say.
#[derive(Debug)]
pub(crate) struct Instants {
    program: Program,
    threads: Map,
    /// Only kept: the program writes there.
    _scratch: Map,
    queue: Queue,
}

/// Tries whether the kernel reads Python frames for us at the instant of a sample.
///
/// # Errors
/// If it does not, why.
pub fn probe_instants() -> io::Result<()> {
    Instants::new().map(drop)
}

/// What was read of a thread, and when.
#[derive(Debug)]
pub(crate) struct Instant {
    pub(crate) tid: i32,
    pub(crate) time: u64,
    holder: u64,
    is_locked: bool,
    /// The frame behind the last one; 0 at the end.
    rest: u64,
    /// Where the pointer was taken to be that leads to the first frame.
    first: u64,
    /// The instruction that the thread was at, be it the kernel's: the sample has the same.
    pub(crate) address: u64,
    frames: Vec<Frame>,
}

/// A frame as it was.
#[derive(Clone, Copy, Debug)]
struct Frame {
    address: u64,
    /// What tells the code object that it had from another one at the same address; 0 where it was not read.
    mark: u32,
    bytes: [u8; BYTES],
}

impl Instants {
    /// Loads the program.
    ///
    /// # Errors
    /// If the kernel does not let this user, or cannot.
    pub(crate) fn new() -> io::Result<Self> {
        let threads = Map::new(Kind::Hash, 4, N_FIELDS as u32 * 8, MOST_THREADS)?;
        let scratch = Map::new(Kind::PerProcessor, 4, SCRATCH, 1)?;
        let queue = Queue::new(QUEUE_BYTES)?;
        let code = code(threads.as_raw_fd(), scratch.as_raw_fd(), queue.as_raw_fd(), own_namespace());
        let program = Program::load(&code.ok_or_else(|| io::Error::other("a jump leads nowhere"))?)?;
        Ok(Self { program, threads, _scratch: scratch, queue })
    }

    /// What events are to run.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// Follows a thread from now on.
    pub(crate) fn follow(&self, tid: i32, layout: &Layout, state: ThreadState, lock: Option<LockAt>) {
        if layout.frame_bytes() > BYTES {
            // Larger than any that is known.
            return;
        }
        let mut value = [0; N_FIELDS];
        let mut set = |field: Field, word: u64| value[field as usize] = word;
        let through = match layout.thread.frame {
            ThreadFrame::Object { .. } | ThreadFrame::Current { .. } => 0,
            ThreadFrame::CFrame { current_frame, .. } => u64::from(current_frame) + 1,
        };
        set(Field::First, first_at(layout, state));
        set(Field::Through, through);
        set(Field::Code, layout.frame.code.into());
        set(Field::Back, layout.frame.back.into());
        set(Field::Mark, layout.code.file.into());
        if let Some(lock) = lock {
            set(Field::Holder, lock.holder);
            set(Field::Locked, lock.locked.unwrap_or(0));
        }
        // A thread too many is read later, as without the program.
        let _ = self.threads.set(tid, &value);
    }

    /// Follows a thread no longer.
    pub(crate) fn leave(&self, tid: i32) {
        self.threads.remove(tid);
    }

    /// What has been seen since the last time.
    pub(crate) fn read(&mut self, mut take: impl FnMut(Instant)) {
        self.queue.read(|record| take(Instant::parse(record)));
    }
}

impl Instant {
    /// One without frames.
    #[cfg(test)]
    pub(super) fn at(time: u64, address: u64) -> Self {
        Self { time, address, ..Self::parse(&[]) }
    }

    fn parse(record: &[u8]) -> Self {
        let word = |at: usize| {
            let bytes = record.get(at..).and_then(|bytes| bytes.first_chunk().copied());
            u64::from_ne_bytes(bytes.unwrap_or_default())
        };
        let n_frames = usize::try_from(word(0) >> 32).unwrap_or(0).min(MOST_FRAMES as usize);
        let frame = |index: usize| {
            let at = HEAD as usize + index * FRAME as usize;
            let bytes = record.get(at + BYTES_AT as usize..).and_then(|bytes| bytes.first_chunk().copied());
            Frame { address: word(at), mark: word(at + 8) as u32, bytes: bytes.unwrap_or([0; BYTES]) }
        };
        Self {
            tid: (word(0) as u32).cast_signed(),
            time: word(8),
            holder: word(16),
            is_locked: word(24) as u32 != 0,
            rest: word(32),
            first: word(40),
            address: word(48),
            frames: (0..n_frames).map(frame).collect(),
        }
    }

    /// The code objects of its frames, with their marks. Frames that stand between the two languages have none.
    pub(crate) fn codes(&self, layout: &Layout) -> impl Iterator<Item = (u64, u32)> {
        self.frames.iter().filter_map(|frame| {
            let record = layout.frame_in(&frame.bytes)?;
            (record.rank != Rank::Shim && record.code != 0).then_some((record.code, frame.mark))
        })
    }

    /// The frames as the layout has them; `None` if they were read by way of another thread state: of a thread that had
    /// the number before, of another interpreter, or of one that is over.
    pub(crate) fn captured(
        &self,
        layout: &Layout,
        state: ThreadState,
        lock: Option<LockAt>,
    ) -> Option<Captured> {
        if self.first != first_at(layout, state) {
            return None;
        }
        let frame = |frame: &Frame| {
            let record = layout.frame_in(&frame.bytes)?;
            Some(PythonFrame { address: frame.address, record })
        };
        let frames = self.frames.iter().map(frame).collect::<Option<Vec<_>>>()?;
        let holds = |lock: LockAt| self.holder == state.address && (lock.locked.is_none() || self.is_locked);
        let marks = self.frames.iter().map(|frame| frame.mark).collect();
        Some(Captured { frames, marks, rest: self.rest, holds_lock: lock.map(holds) })
    }
}

/// Where the pointer is that leads to the first frame.
fn first_at(layout: &Layout, state: ThreadState) -> u64 {
    let (ThreadFrame::Object { frame: at }
    | ThreadFrame::Current { current_frame: at }
    | ThreadFrame::CFrame { cframe: at, .. }) = layout.thread.frame;
    state.address.wrapping_add(u64::from(at))
}

/// The device and number of the namespace in which we know threads by their numbers, as the kernel writes devices.
fn own_namespace() -> (u64, u64) {
    let Ok(namespace) = fs::metadata("/proc/self/ns/pid") else { return (0, 0) };
    let device = namespace.dev();
    (u64::from(libc::major(device)) << 20 | u64::from(libc::minor(device)), namespace.ino())
}

/// The program: looks up what is known of the thread, follows its frames, and writes them to the queue.
fn code(threads: i32, scratch: i32, queue: i32, namespace: (u64, u64)) -> Option<Vec<[u8; 8]>> {
    let mut it = Assembler::default();
    let (out, again, done) = (it.label(), it.label(), it.label());
    let field = |field: Field| field as i16 * 8;
    // What is known of the thread is in R6, room for the record in R7.
    it.load(Word8, R6, R1, INSTRUCTION_AT);
    it.store(Word8, R10, -24, R6);
    // Inside a container, threads have other numbers for us than for the kernel; further inside than we are, they have
    // those of the kernel for us if we are outside of any.
    let (known, elsewhere) = (it.label(), it.label());
    it.set_wide(R1, namespace.0);
    it.set_wide(R2, namespace.1);
    it.copy(R3, R10);
    it.add(R3, -32);
    it.set(R4, 8);
    it.call(CURRENT_TASK_IN);
    it.jump_unless_zero(R0, elsewhere);
    it.load(Word4, R0, R10, -32);
    it.jump(known);
    it.place(elsewhere);
    it.call(CURRENT_TASK);
    it.place(known);
    it.store(Word4, R10, -4, R0);
    it.map(R1, threads);
    it.copy(R2, R10);
    it.add(R2, -4);
    it.call(LOOK_UP);
    it.jump_if_zero(R0, out);
    it.copy(R6, R0);
    it.set(R1, 0);
    it.store(Word4, R10, -8, R1);
    it.map(R1, scratch);
    it.copy(R2, R10);
    it.add(R2, -8);
    it.call(LOOK_UP);
    it.jump_if_zero(R0, out);
    it.copy(R7, R0);
    it.load(Word4, R1, R10, -4);
    it.store(Word4, R7, 0, R1);
    it.call(NOW);
    it.store(Word8, R7, 8, R0);
    for (from, to, size) in [(Field::Holder, 16, 8), (Field::Locked, 24, 4)] {
        let without = it.label();
        it.clear(R7, to);
        it.load(Word8, R3, R6, field(from));
        it.jump_if_zero(R3, without);
        it.copy(R1, R7);
        it.add(R1, to.into());
        it.set(R2, size);
        it.call(READ_USER);
        it.place(without);
    }
    it.load(Word8, R1, R10, -24);
    it.store(Word8, R7, 48, R1);
    // The frame is in R8, its number in R9. Where the first one cannot be read, that is not the end of them.
    it.set(R8, 1);
    it.set(R9, 0);
    it.load(Word8, R3, R6, field(Field::First));
    it.store(Word8, R7, 40, R3);
    read_word(&mut it);
    it.jump_unless_zero(R0, done);
    it.load(Word8, R8, R10, -16);
    let direct = it.label();
    it.load(Word8, R1, R6, field(Field::Through));
    it.jump_if_zero(R1, direct);
    it.copy(R3, R8);
    it.add_register(R3, R1);
    it.add(R3, -1);
    read_word(&mut it);
    it.jump_unless_zero(R0, done);
    it.load(Word8, R8, R10, -16);
    it.place(direct);
    it.place(again);
    it.jump_if_zero(R8, done);
    it.jump_if_greater(R9, MOST_FRAMES - 1, done);
    place_of_frame(&mut it);
    it.store(Word8, R1, 0, R8);
    it.add(R1, BYTES_AT);
    it.set(R2, BYTES as i32);
    it.copy(R3, R8);
    it.call(READ_USER);
    it.jump_unless_zero(R0, done);
    mark_of_code(&mut it);
    word_of_frame(&mut it, Field::Back);
    it.copy(R8, R3);
    it.add(R9, 1);
    it.jump(again);
    it.place(done);
    it.store(Word4, R7, 4, R9);
    it.store(Word8, R7, 32, R8);
    // Read back it may be any number, so that the kernel checks what follows once and not for each number.
    it.load(Word4, R9, R7, 4);
    it.set(R8, 0);
    for n_frames in STEPS {
        let longer = it.label();
        it.jump_if_greater(R9, n_frames, longer);
        it.map(R1, queue);
        it.copy(R2, R7);
        it.set(R3, HEAD + FRAME * n_frames);
        it.set(R4, NO_WAKE_UP);
        it.call(WRITE_RING);
        it.jump(out);
        it.place(longer);
    }
    it.place(out);
    // The sample itself is taken in any case.
    it.set(R0, 1);
    it.exit();
    it.finish()
}

/// Reads the word at R3 to the stack.
fn read_word(it: &mut Assembler) {
    it.copy(R1, R10);
    it.add(R1, -16);
    it.set(R2, 8);
    it.call(READ_USER);
}

/// Reads a word of the frame whose number is in R9, from the record: to R3.
fn word_of_frame(it: &mut Assembler, field: Field) {
    place_of_frame(it);
    it.load(Word8, R3, R6, field as i16 * 8);
    it.mask(R3, OFFSETS - 1);
    it.add_register(R1, R3);
    it.load(Word8, R3, R1, BYTES_AT as i16);
}

/// Puts the mark of the frame's code object before its bytes, as [`super::functions`] reckons it. What cannot be read is
/// zero.
fn mark_of_code(it: &mut Assembler) {
    word_of_frame(it, Field::Code);
    it.mask(R3, !7);
    it.load(Word8, R1, R6, Field::Mark as i16 * 8);
    it.add_register(R3, R1);
    it.copy(R1, R10);
    it.add(R1, -56);
    it.set(R2, 24);
    it.call(READ_USER);
    it.load(Word8, R2, R10, -56);
    for (bits, at) in [(1, -48), (2, -40)] {
        it.load(Word8, R3, R10, at);
        it.shift_left(R3, bits);
        it.add_register(R2, R3);
    }
    place_of_frame(it);
    it.store(Word8, R1, 8, R2);
}

/// Where the record has room for the frame whose number is in R9: in R1.
fn place_of_frame(it: &mut Assembler) {
    it.copy(R1, R9);
    it.shift_left(R1, FRAME.ilog2() as i32);
    it.add_register(R1, R7);
    it.add(R1, HEAD);
}

#[cfg(test)]
mod tests {
    use calor_testing::{Need, cannot};

    use super::*;
    use crate::python::layout::{Entry, Version};

    #[test]
    fn the_kernel_takes_the_program_where_it_takes_any() {
        let Err(error) = Instants::new() else { return };
        let refused = [libc::EPERM, libc::EACCES, libc::ENOSYS].contains(&error.raw_os_error().unwrap_or(0));
        // Without permission the maps are refused first.
        let map = Map::new(Kind::Hash, 4, 64, 16);
        if refused && map.is_err() {
            cannot(Need::Kernel, format_args!("this user may not load programs into the kernel ({error})"));
            return;
        }
        let (threads, scratch) = (
            Map::new(Kind::Hash, 4, N_FIELDS as u32 * 8, 16).expect("a map was made before"),
            Map::new(Kind::PerProcessor, 4, SCRATCH, 1).expect("as before"),
        );
        let queue = Queue::new(1 << 16).expect("as before");
        let code = code(threads.as_raw_fd(), scratch.as_raw_fd(), queue.as_raw_fd(), own_namespace());
        let code = code.expect("it is whole");
        panic!("{error}: {}", Program::complaint(&code));
    }

    #[test]
    fn a_record_is_taken_apart() {
        let head = [7 | 2 << 32, 99, 0x5000, 1, 0x30, 0x9000, 0x4444];
        let mut frames = [0; 3 * FRAME as usize / 8];
        frames[..3].copy_from_slice(&[0x10, 0xc0, 4]);
        frames[16..19].copy_from_slice(&[0x20, 0xc8, 6]);
        frames[32] = 0xdead;
        let words = head.iter().chain(&frames);
        let bytes: Vec<u8> = words.flat_map(|word: &u64| word.to_ne_bytes()).collect();
        let instant = Instant::parse(&bytes);
        assert_eq!((instant.first, instant.address), (0x9000, 0x4444));
        assert_eq!((instant.tid, instant.time, instant.holder, instant.rest), (7, 99, 0x5000, 0x30));
        let frames: Vec<_> = instant.frames.iter().map(|it| (it.address, it.mark, it.bytes[0])).collect();
        assert_eq!(frames, [(0x10, 0xc0, 4), (0x20, 0xc8, 6)]);
        assert!(Instant::parse(&bytes[..60]).frames.len() == 2, "what is cut off is zero");
    }

    #[test]
    fn frames_between_the_languages_have_no_code() {
        let layout = Version::from_text("3.12.1").and_then(Layout::of).expect("it is known");
        let frame = |code: u64, owner| {
            let mut bytes = [0; BYTES];
            bytes[layout.frame.code as usize..][..8].copy_from_slice(&code.to_ne_bytes());
            let Entry::Shim { owner: at } = layout.frame.entry else { panic!("3.12 has owners") };
            bytes[at as usize] = owner;
            Frame { address: 0x10, mark: 7, bytes }
        };
        let instant = Instant { frames: vec![frame(0xc000, 0), frame(0xd000, 3)], ..Instant::at(1, 2) };
        assert_eq!(instant.codes(&layout).collect::<Vec<_>>(), [(0xc000, 7)]);
    }

    #[test]
    fn frames_of_another_thread_state_are_not_taken_for_those_of_this_one() {
        let layout = Version::from_text("3.10.13").and_then(Layout::of).expect("it is known");
        let state = |address| ThreadState { address, interpreter: 0x100, native_id: None };
        let head = [7, 99, 0x5000, 1, 0, first_at(&layout, state(0x5000)), 0];
        let bytes: Vec<u8> = head.iter().flat_map(|word: &u64| word.to_ne_bytes()).collect();
        let instant = Instant::parse(&bytes);
        let lock = Some(LockAt { holder: 0x20, locked: None });
        let captured = instant.captured(&layout, state(0x5000), lock).expect("it is this one");
        assert_eq!(captured.holds_lock, Some(true));
        assert_eq!(instant.captured(&layout, state(0x6000), lock), None);
    }
}
