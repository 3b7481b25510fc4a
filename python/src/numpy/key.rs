//! What tells one operation from another: the calling instruction, what is called, and shape, type and order of each operand.
//! A key is built for every call, so it is a few words that are written once and compared once; nothing is hashed that is not
//! needed to find a slot.

#![expect(unsafe_code, reason = "operands are live objects of Python, looked at by their pointers")]

use pyo3::ffi::{self, PyObject};

use super::call_site::Instant;
use super::layout::{Array, C_CONTIGUOUS, F_CONTIGUOUS};

/// Words of a key: two, and two for each of four operands of up to two dimensions. What is beyond is mixed into the last one.
pub(super) const WORDS: usize = 10;
/// Objects in a list or a tuple that are looked at.
const LISTED: usize = 6;
/// Marks the word of an array; addresses of types have no such bit.
const IS_ARRAY: u64 = 1 << 63;
/// Bits by which what is mixed is turned for each word.
const TURN: u32 = 11;
/// 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The words of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    words: [u64; WORDS],
}

/// A key while operands are added.
pub(super) struct KeyBuilder {
    key: Key,
    len: usize,
    mixed: u64,
}

impl Key {
    pub(super) const EMPTY: Self = Self { words: [0; WORDS] };

    /// All shapes of an operation at the line of a key.
    pub(super) fn of_line(key: &Self) -> Self {
        let mut line = Self::EMPTY;
        line.words[..2].copy_from_slice(&key.words[..2]);
        line
    }

    /// All lines of the operation that has this address.
    pub(super) fn of_called(address: usize) -> Self {
        let mut called = Self::EMPTY;
        called.words[1] = address as u64;
        called
    }

    /// The same call from another instruction.
    pub(super) fn at(mut self, instant: Instant) -> Self {
        self.words[0] = instant;
        self
    }

    pub(super) fn instant(&self) -> Instant {
        self.words[0]
    }
}

impl KeyBuilder {
    /// A call of what has this address, from an instruction.
    #[inline(always)]
    pub(super) fn new(instant: Instant, called: usize) -> Self {
        let mut key = Key::EMPTY;
        key.words[0] = instant;
        key.words[1] = called as u64;
        Self { key, len: 2, mixed: begun(instant, called) }
    }

    /// A call from the line of another key, of the same operation.
    pub(super) fn of_line(key: &Key) -> Self {
        Self { key: Key::of_line(key), len: 2, mixed: 0 }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, word: u64) {
        self.mixed = stirred(self.mixed, word);
        if self.len < WORDS {
            self.key.words[self.len] = word;
            self.len += 1;
        } else {
            let last = &mut self.key.words[WORDS - 1];
            *last = (*last ^ word).wrapping_mul(GOLDEN).rotate_left(29);
        }
    }

    /// Adds an operand of which only the type tells, unless it is an array.
    ///
    /// # Safety
    /// `object` is a live object.
    #[inline(always)]
    pub(super) unsafe fn operand(&mut self, object: *mut PyObject) {
        // SAFETY: by the caller's promise.
        match unsafe { Words::of(object) } {
            Some(Words(kind, shape)) => {
                self.push(kind);
                self.push(shape);
            }
            // SAFETY: by the caller's promise; only arrays have no two words.
            None => unsafe { self.large(object) },
        }
    }

    /// Adds an argument of a function: of lists and tuples what they hold, of types and texts which they are.
    ///
    /// # Safety
    /// `object` is a live object, and the thread has the interpreter's lock.
    #[inline(always)]
    pub(super) unsafe fn argument(&mut self, object: *mut PyObject) {
        // SAFETY: by the caller's promise.
        unsafe {
            match Array::of(object) {
                Some(_) => self.operand(object),
                None => self.other_argument(object),
            }
        }
    }

    /// An array of more than two dimensions, with gaps, or of elements that have a size of their own.
    #[inline(never)]
    unsafe fn large(&mut self, object: *mut PyObject) {
        // SAFETY: by the caller's promise.
        let Some(array) = (unsafe { Array::of(object) }) else { return };
        let (axes, flags, number) = (array.dimensions(), array.flags(), array.type_number());
        let order = flags & (C_CONTIGUOUS | F_CONTIGUOUS);
        let mut word = described(number, axes.len(), order);
        if order == 0 {
            word |= without_stride(array) << 32;
        }
        if !is_of_fixed_size(number) {
            word |= (array.item_bytes() & 0xffff) << 40;
        }
        self.push(word);
        for pair in axes.chunks(2) {
            self.push(shape_word(pair[0], pair.get(1).copied().unwrap_or(0)));
        }
        if axes.is_empty() {
            self.push(0);
        }
    }

    /// What is not given, or only says how, takes one word at most.
    #[inline(always)]
    unsafe fn other_argument(&mut self, object: *mut PyObject) {
        // SAFETY: by the caller's promise; None is compared and not kept.
        unsafe {
            if object == ffi::Py_None() {
                return;
            }
            let kind = ffi::Py_TYPE(object);
            if kind == &raw mut ffi::PyList_Type || kind == &raw mut ffi::PyTuple_Type {
                return self.list(object);
            }
            if kind == &raw mut ffi::PyUnicode_Type {
                // Texts that are made for each call lie elsewhere, or where another one was. Hashing one cannot fail.
                let is_told = says_how(object);
                let told = if is_told { ffi::PyObject_Hash(object).cast_unsigned() } else { kind.addr() };
                return self.push(told as u64);
            }
            let is_told_by_itself = kind == &raw mut ffi::PyType_Type || kind == &raw mut ffi::PyBool_Type;
            self.push(if is_told_by_itself { object.addr() } else { kind.addr() } as u64);
        }
    }

    #[inline(never)]
    unsafe fn list(&mut self, object: *mut PyObject) {
        // SAFETY: by the caller's promise; what is listed is live.
        unsafe {
            self.push(ffi::Py_TYPE(object).addr() as u64);
            for item in listed(object).into_iter().take_while(|item| !item.is_null()) {
                self.operand(item);
            }
        }
    }

    /// Adds an operand with shapes rounded up to powers of two.
    ///
    /// # Safety
    /// As for [`KeyBuilder::argument`].
    pub(super) unsafe fn rough(&mut self, object: *mut PyObject) {
        // SAFETY: by the caller's promise.
        unsafe {
            let Some(array) = Array::of(object) else { return self.rough_list(object) };
            let axes = array.dimensions();
            self.push(IS_ARRAY | u64::from(array.type_number().cast_unsigned()) | (axes.len() as u64) << 16);
            for n in axes {
                self.push(rounded(*n));
            }
        }
    }

    /// Adds what is no array: of lists and tuples what they hold, with rounded shapes.
    ///
    /// # Safety
    /// As for [`KeyBuilder::argument`].
    unsafe fn rough_list(&mut self, object: *mut PyObject) {
        // SAFETY: by the caller's promise; what is listed is live.
        unsafe {
            self.operand(object);
            for item in listed(object).into_iter().take_while(|item| !item.is_null()) {
                match Array::of(item) {
                    Some(_) => self.rough(item),
                    None => self.operand(item),
                }
            }
        }
    }

    /// The key, and what its slot is found by.
    #[inline(always)]
    pub(super) fn done(self) -> (Key, u64) {
        (self.key, hashed(self.mixed))
    }
}

/// The two words of a usual operand: a number, or an array without gaps of up to two dimensions and of elements of a fixed size.
#[derive(Clone, Copy)]
pub(super) struct Words(pub(super) u64, pub(super) u64);

impl Words {
    /// The words of an operand; `None` if it takes more.
    ///
    /// # Safety
    /// `object` is a live object.
    #[inline(always)]
    pub(super) unsafe fn of(object: *mut PyObject) -> Option<Self> {
        // SAFETY: by the caller's promise.
        let Some(array) = (unsafe { Array::of_live(object) }) else {
            // SAFETY: as above.
            return Some(Self(unsafe { ffi::Py_TYPE(object) }.addr() as u64, 0));
        };
        let (n_axes, first, second) = array.few_dimensions()?;
        let number = array.type_number();
        let order = array.flags() & (C_CONTIGUOUS | F_CONTIGUOUS);
        if order == 0 || !is_of_fixed_size(number) {
            return None;
        }
        Some(Self(described(number, n_axes as usize, order), shape_word(first, second)))
    }
}

/// A key of a few usual operands, which never leaves the registers.
#[derive(Clone, Copy)]
pub(super) struct QuickKey<const N: usize> {
    instant: Instant,
    called: usize,
    operands: [Words; N],
}

impl<const N: usize> QuickKey<N> {
    /// A call of what has this address with `N` operands, from an instruction; `None` if one of them is not usual.
    ///
    /// # Safety
    /// The operands are live objects.
    #[inline(always)]
    pub(super) unsafe fn new(
        instant: Instant,
        called: usize,
        operands: *const *mut PyObject,
    ) -> Option<Self> {
        const { assert!(3 + 2 * N <= WORDS, "one word is left to tell that there are no more") };
        let mut words = [Words(0, 0); N];
        for (at, words) in words.iter_mut().enumerate() {
            // SAFETY: by the caller's promise.
            *words = unsafe { Words::of(*operands.add(at)) }?;
        }
        Some(Self { instant, called, operands: words })
    }

    /// What its slot is found by: as [`KeyBuilder`] does it.
    #[inline(always)]
    pub(super) fn hash(&self) -> u64 {
        // Turning and adding without carry may be done in any order: what is known last, the instruction, comes last.
        let mut later = 2 * N as u32;
        let mut mixed = (self.called as u64).rotate_left(17 + later * TURN);
        for Words(kind, shape) in self.operands {
            mixed ^= kind.rotate_left(later * TURN) ^ shape.rotate_left((later - 1) * TURN);
            later -= 2;
        }
        hashed(mixed ^ self.instant.rotate_left(2 * N as u32 * TURN))
    }

    /// Whether a key is this one.
    #[inline(always)]
    pub(super) fn is(&self, key: &Key) -> bool {
        let words = &key.words;
        let called = (words[0] ^ self.instant) | (words[1] ^ self.called as u64);
        let operands = self.operands.iter().enumerate();
        let differs = operands.fold(called, |differs, (at, Words(kind, shape))| {
            differs | (words[2 + 2 * at] ^ kind) | (words[3 + 2 * at] ^ shape)
        });
        differs | words[2 + 2 * N] == 0
    }
}

#[inline(always)]
fn described(number: i32, n_axes: usize, order: i32) -> u64 {
    IS_ARRAY
        | u64::from(number.cast_unsigned() & 0xffff)
        | (n_axes as u64) << 16
        | u64::from(order.cast_unsigned()) << 24
}

/// Texts and records are of any size.
#[inline(always)]
fn is_of_fixed_size(number: i32) -> bool {
    (0..18).contains(&number)
}

#[inline(always)]
fn shape_word(first: i64, second: i64) -> u64 {
    first.cast_unsigned() ^ second.cast_unsigned().rotate_left(32)
}

#[inline(always)]
fn begun(instant: Instant, called: usize) -> u64 {
    instant ^ (called as u64).rotate_left(17)
}

#[inline(always)]
fn stirred(mixed: u64, word: u64) -> u64 {
    (mixed ^ word).rotate_left(TURN)
}

#[inline(always)]
fn hashed(mixed: u64) -> u64 {
    (mixed ^ mixed >> 32).wrapping_mul(GOLDEN)
}

/// A length up to the next power of two.
pub(super) fn rounded(n: i64) -> u64 {
    n.cast_unsigned().checked_next_power_of_two().unwrap_or(u64::MAX)
}

/// The first objects of a list or a tuple, null behind the last; none of anything else.
///
/// # Safety
/// `object` is a live object, and the thread has the interpreter's lock.
pub(super) unsafe fn listed(object: *mut PyObject) -> [*mut PyObject; LISTED] {
    let mut items = [std::ptr::null_mut(); LISTED];
    // SAFETY: by the caller's promise; items are asked for below the count, and borrowed.
    unsafe {
        let kind = ffi::Py_TYPE(object);
        if kind == &raw mut ffi::PyList_Type {
            let n = ffi::PyList_Size(object).min(LISTED as isize);
            for at in 0..n {
                items[at as usize] = ffi::PyList_GetItem(object, at);
            }
        } else if kind == &raw mut ffi::PyTuple_Type {
            let n = ffi::PyTuple_Size(object).min(LISTED as isize);
            for at in 0..n {
                items[at as usize] = ffi::PyTuple_GetItem(object, at);
            }
        }
    }
    items
}

/// A bit for each of the first eight axes that is the same memory again and again.
#[inline(never)]
fn without_stride(array: Array) -> u64 {
    let axes = array.strides().iter().take(8).enumerate();
    axes.fold(0, |bits, (at, stride)| bits | u64::from(*stride == 0) << at)
}
/// Texts longer than this are what is read or written.
const LONGEST_TEXT: isize = 64;

/// Whether a text says how something is done, as types, modes and subscripts do. Names of files and numbers that are read are others
/// in each call, and each would be a row of its own.
///
/// # Safety
/// It is a live text, and the lock of the interpreter is held.
#[inline(never)]
unsafe fn says_how(text: *mut PyObject) -> bool {
    // SAFETY: by the caller's promise; positions are below the length.
    unsafe {
        let length = ffi::PyUnicode_GetLength(text);
        if !(0..=LONGEST_TEXT).contains(&length) {
            return false;
        }
        let letters = (0..length).map(|at| char::from_u32(ffi::PyUnicode_ReadChar(text, at)).unwrap_or('/'));
        let (mut has_digits, mut has_marks) = (false, false);
        for (at, letter) in letters.enumerate() {
            match letter {
                '/' | '\\' => return false,
                '0'..='9' if at == 0 => return false,
                '0'..='9' => has_digits = true,
                '.' | ',' | '_' | ' ' => has_marks = true,
                _ => {}
            }
        }
        // `float32`, `ij,jk->ik`, and not `part_7.npy`.
        !(has_digits && has_marks)
    }
}
