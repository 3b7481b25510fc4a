//! What an operation is given, read where PyTorch keeps it: without its headers, so by offsets that `trial` has found and
//! tried on this very library. Nothing is copied and nothing allocated until an operation is new to its thread.

#![expect(unsafe_code, reason = "tensors are read where they are")]

use super::library::Range;
use super::mix::mix;

/// Bytes of a value (`c10::IValue`), and where in it is what kind of value it is.
pub(super) const VALUE_BYTES: usize = 16;
const KIND: usize = 8;
/// Sizes and strides that lie in a tensor itself; more are elsewhere.
pub(super) const N_INSIDE: usize = 5;
/// PyTorch knows no tensors with more.
const MAX_SIZES: usize = 64;
/// Of longer lists of tensors the first ones stand for all.
const MOST_OF_LIST: usize = 32;

/// Where things are, as offsets in bytes, and which numbers kinds of values have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// In a range: the address of what it is given, and how many values.
    pub(super) inputs: usize,
    /// In a tensor: how many sizes, then sizes and strides themselves, or the address of both.
    pub(super) sizes: usize,
    /// In a tensor: the number of its type, two bytes.
    pub(super) dtype: usize,
    /// In a tensor: the kind of its device and the number of that, a byte each.
    pub(super) device: usize,
    /// In a list: the address of its first value, and the one behind its last.
    pub(super) list: usize,
    pub(super) tensor_kind: u32,
    pub(super) list_kind: u32,
    /// Of whole numbers.
    pub(super) number_kind: u32,
    /// Types of numbers that the library has; the number behind them is that of none.
    pub(super) n_types: u16,
}

/// A tensor as it was when an operation began.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Operand {
    pub(crate) sizes: Vec<i64>,
    pub(crate) strides: Vec<i64>,
    pub(crate) dtype: u16,
    /// Kind and number.
    pub(crate) device: (u8, i8),
}

/// All that an operation was given, as far as it matters here.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Operands {
    pub(crate) tensors: Vec<Operand>,
    /// Whole numbers in lists, such as the strides of a convolution.
    pub(crate) numbers: Vec<Vec<i64>>,
    /// Words of what is neither: numbers, truths, and what is missing.
    pub(crate) others: Vec<u64>,
    /// Tensors that were left out because their list is long.
    pub(crate) n_left_out: usize,
}

/// What an operation is given, where it is.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    layout: &'a Layout,
    values: Values,
}

/// Values that lie side by side.
#[derive(Clone, Copy)]
struct Values {
    first: *const u8,
    n: usize,
}

enum Given {
    Tensor(*const u8),
    List(Values),
    Number(u64),
    Other(u64),
}

impl<'a> Inputs<'a> {
    /// # Safety
    /// PyTorch tells that the range begins, and the layout is that of its library.
    #[inline(always)]
    pub(super) unsafe fn of(range: Range, layout: &'a Layout) -> Self {
        // SAFETY: a range has its inputs there.
        let (first, n) =
            unsafe { (word(range.cast(), layout.inputs), word(range.cast(), layout.inputs + 8)) };
        Self {
            layout,
            values: Values { first: std::ptr::with_exposed_provenance(first as usize), n: n as usize },
        }
    }

    /// Mixes everything that tells this call from others of the operation; numbers only where they are in lists and asked for.
    #[inline]
    pub(super) fn hash(&self, hash: u64, with_numbers: bool) -> u64 {
        self.values.iter().fold(hash, |hash, value| {
            // SAFETY: the values of a range that begins are whole.
            match unsafe { value.given(self.layout) } {
                // SAFETY: as above.
                Given::Tensor(tensor) => unsafe { hash_tensor(self.layout, tensor, hash) },
                Given::List(list) => self.hash_list(list, hash, with_numbers),
                Given::Number(_) | Given::Other(_) => hash,
            }
        })
    }

    fn hash_list(&self, list: Values, hash: u64, with_numbers: bool) -> u64 {
        let mut n_tensors = 0;
        for value in list.iter().take(MOST_OF_LIST) {
            // SAFETY: lists hold whole values.
            match unsafe { value.given(self.layout) } {
                Given::Tensor(_) => n_tensors += 1,
                Given::Number(_) if !with_numbers => return hash,
                _ => {}
            }
        }
        let hash = mix(hash, if n_tensors > 0 { list.n as u64 } else { u64::MAX });
        list.iter().take(MOST_OF_LIST).fold(hash, |hash, value| {
            // SAFETY: as above.
            match unsafe { value.given(self.layout) } {
                // SAFETY: as above.
                Given::Tensor(tensor) => unsafe { hash_tensor(self.layout, tensor, hash) },
                Given::Number(number) => mix(hash, number),
                Given::List(_) | Given::Other(_) => mix(hash, 2),
            }
        })
    }

    /// A copy of what matters.
    #[cold]
    pub(super) fn operands(&self) -> Operands {
        let mut all = Operands::default();
        for value in self.values.iter() {
            // SAFETY: the values of a range that begins are whole, and so are those of its lists.
            match unsafe { value.given(self.layout) } {
                // SAFETY: as above.
                Given::Tensor(tensor) => all.tensors.extend(unsafe { operand(self.layout, tensor) }),
                Given::List(list) => self.add_list(list, &mut all),
                Given::Number(word) | Given::Other(word) => all.others.push(word),
            }
        }
        all
    }

    fn add_list(&self, list: Values, all: &mut Operands) {
        let mut numbers = Vec::new();
        let n_before = all.tensors.len();
        for value in list.iter().take(MOST_OF_LIST) {
            // SAFETY: lists hold whole values.
            match unsafe { value.given(self.layout) } {
                // SAFETY: as above.
                Given::Tensor(tensor) => all.tensors.extend(unsafe { operand(self.layout, tensor) }),
                Given::Number(number) => numbers.push(number.cast_signed()),
                Given::List(_) | Given::Other(_) => {}
            }
        }
        if all.tensors.len() > n_before {
            all.n_left_out += list.n.saturating_sub(MOST_OF_LIST);
        } else {
            all.numbers.push(numbers);
        }
    }
}

impl Values {
    #[inline(always)]
    fn iter(self) -> impl Iterator<Item = Value> {
        let n = if self.first.is_null() { 0 } else { self.n };
        (0..n).map(move |at| Value(self.first.wrapping_add(at * VALUE_BYTES)))
    }
}

/// Where a value is.
#[derive(Clone, Copy)]
struct Value(*const u8);

impl Value {
    /// # Safety
    /// There is a value.
    #[inline(always)]
    unsafe fn given(self, layout: &Layout) -> Given {
        // SAFETY: a value has a word and its kind behind that.
        let (first, kind) = unsafe { (word(self.0, 0), word(self.0, KIND) as u32) };
        let at = std::ptr::with_exposed_provenance::<u8>(first as usize);
        if kind == layout.tensor_kind && !at.is_null() {
            return Given::Tensor(at);
        }
        if kind == layout.number_kind {
            return Given::Number(first);
        }
        if kind != layout.list_kind || at.is_null() {
            return Given::Other(first);
        }
        // SAFETY: a list has its first value and the end of its last there.
        let (first, end) = unsafe { (word(at, layout.list), word(at, layout.list + 8)) };
        let n = end.saturating_sub(first) as usize / VALUE_BYTES;
        Given::List(Values { first: std::ptr::with_exposed_provenance(first as usize), n })
    }
}

/// # Safety
/// There is a tensor.
#[inline(always)]
unsafe fn hash_tensor(layout: &Layout, tensor: *const u8, hash: u64) -> u64 {
    // SAFETY: as the layout says.
    let (sizes, strides, type_and_device) = unsafe {
        let (sizes, strides) = sizes_and_strides(layout, tensor);
        let dtype = u64::from(tensor.wrapping_add(layout.dtype).cast::<u16>().read_unaligned());
        let device = u64::from(tensor.wrapping_add(layout.device).cast::<u16>().read_unaligned());
        (sizes, strides, dtype | device << 16 | (sizes.len() as u64) << 32)
    };
    let mut expected: i64 = 1;
    let mut is_contiguous = true;
    let mut hash = hash;
    for (&size, &stride) in sizes.iter().zip(strides).rev() {
        is_contiguous &= stride == expected || size == 1;
        expected = expected.wrapping_mul(size);
        hash = mix(hash, size.cast_unsigned());
    }
    mix(hash, type_and_device | u64::from(is_contiguous) << 48)
}

/// # Safety
/// There is a tensor, for as long as the slices are used.
#[inline(always)]
unsafe fn sizes_and_strides<'a>(layout: &Layout, tensor: *const u8) -> (&'a [i64], &'a [i64]) {
    // SAFETY: as the layout says.
    let n = unsafe { word(tensor, layout.sizes) } as usize;
    if n > MAX_SIZES {
        return (&[], &[]);
    }
    let inside = tensor.wrapping_add(layout.sizes + 8);
    let (sizes, strides) = if n <= N_INSIDE {
        (inside.cast::<i64>(), inside.wrapping_add(8 * N_INSIDE).cast())
    } else {
        // SAFETY: with so many sizes the word is the address of sizes and strides.
        let outside = std::ptr::with_exposed_provenance::<i64>(unsafe { word(inside, 0) } as usize);
        (outside, outside.wrapping_add(n))
    };
    // SAFETY: so many numbers are there, and PyTorch aligns them.
    unsafe { (std::slice::from_raw_parts(sizes, n), std::slice::from_raw_parts(strides, n)) }
}

/// # Safety
/// There is a tensor.
unsafe fn operand(layout: &Layout, tensor: *const u8) -> Option<Operand> {
    // SAFETY: as the layout says.
    let (sizes, strides, dtype, device) = unsafe {
        let (sizes, strides) = sizes_and_strides(layout, tensor);
        let device = tensor.wrapping_add(layout.device);
        let dtype = tensor.wrapping_add(layout.dtype).cast::<u16>().read_unaligned();
        (sizes, strides, dtype, (device.read(), device.wrapping_add(1).cast::<i8>().read()))
    };
    // The tensor that stands for none has a type that is none.
    (dtype < layout.n_types).then(|| Operand {
        sizes: sizes.to_vec(),
        strides: strides.to_vec(),
        dtype,
        device,
    })
}

/// # Safety
/// There is a word at the offset.
#[inline(always)]
unsafe fn word(at: *const u8, offset: usize) -> u64 {
    // SAFETY: as above.
    unsafe { at.wrapping_add(offset).cast::<u64>().read_unaligned() }
}
