//! Finds out where this PyTorch keeps what operations are given, before anything relies on it.
//!
//! A few operations are called on tensors that are known, and looked for in what PyTorch hands over: shapes that occur nowhere
//! else, types and devices that are told by several tensors together. Addresses are followed through the kernel, so one that
//! leads nowhere is no crash. What was found is then read in the quick way, on other tensors, and has to be right.

#![expect(unsafe_code, reason = "what is found is tried by reading it in the quick way")]

use std::cell::RefCell;
use std::ffi::c_void;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::dtype;
use super::library::{FUNCTION, Library, Range};
use super::memory::Memory;
use super::operands::{Inputs, Layout, N_INSIDE, Operand, Operands, VALUE_BYTES};

/// Words of a range, a tensor and a list in which things are looked for.
const RANGE_WORDS: usize = 96;
const TENSOR_WORDS: usize = 32;
const LIST_WORDS: usize = 12;
/// Words of a value.
const VALUE_WORDS: usize = VALUE_BYTES / 8;
/// Shape and strides of the tensors that are added, how many times the second one, and what is behind them in a range.
const SIZES: [u64; 4] = [3, 5, 7, 11];
const STRIDES: [u64; 4] = [385, 77, 11, 1];
const TIMES: u64 = 7;
const ADD_VALUES: u64 = 3;
/// The number of the device that computes nothing.
const META: u8 = 14;
const NO_NUMBER: u8 = 0xff;

/// Tensors that are added, by type and device; a name and a call for each list.
const PROGRAM: &std::ffi::CStr = c"
def add(dtype, device):
    a = torch.empty((3, 5, 7, 11), dtype=getattr(torch, dtype), device=device)
    # Where nothing is computed, newer ones do it in Python and load their compiler for it, which takes a second and stays:
    # by then the addition was told. Only this thread is kept from it: another one may want it just now.
    is_kept_away = device == 'meta' and 'torch._dynamo' not in sys.modules
    if is_kept_away:
        finder = Absent()
        sys.meta_path.insert(0, finder)
    try:
        torch.add(a, a, alpha=7)
    except ImportError:
        if not is_kept_away:
            raise
    finally:
        if is_kept_away:
            sys.meta_path.remove(finder)

class Absent:
    def __init__(self):
        self.thread = _thread.get_ident()

    def find_spec(self, name, path, target=None):
        if name == 'torch._dynamo' and _thread.get_ident() == self.thread:
            raise ModuleNotFoundError(name)

def lists():
    a = torch.zeros((3, 5, 7, 11), dtype=torch.float32, device='cpu')
    torch.cat([a, a, a], 1)
    a[torch.tensor([0, 2], device='cpu')]
    torch.permute(a, (2, 0, 1, 3))

def others():
    a = torch.zeros((2, 3, 1, 2, 1, 4), dtype=torch.float64, device='cpu')
    torch.add(a, a)
    b = torch.zeros((4, 6), dtype=torch.int16, device='cpu')
    torch.add(b.t(), torch.zeros((), dtype=torch.int16, device='cpu'))
    torch.cat([b, torch.zeros((1, 6), dtype=torch.int16, device='cpu')], 0)
    torch.permute(b, (1, 0))
";

thread_local! {
    static TRIAL: RefCell<Option<Trial>> = const { RefCell::new(None) };
}

/// What is looked for now, and what was seen.
struct Trial {
    library: Library,
    memory: Memory,
    stage: Stage,
    n_begun: u64,
    n_ended: u64,
}

enum Stage {
    /// Additions: for each what was found at which offset of the range.
    Additions(Vec<Vec<Addition>>),
    /// Lists, by the offset of the inputs and the number of tensors.
    Lists { inputs: usize, tensor_kind: u32, found: Vec<(String, Vec<Listed>)> },
    /// Everything in the quick way.
    Quick { layout: Layout, found: Vec<(String, Operands)> },
}

struct Addition {
    inputs: usize,
    tensor_kind: u32,
    tensor: Vec<u64>,
}

/// A list: where its values are in it, its own kind, the kind of its first value, and their words.
struct Listed {
    list: usize,
    kind: u32,
    first_kind: u32,
    words: Vec<u64>,
}

/// The layout of this library, or what did not fit.
pub(super) fn layout(torch: &Bound<'_, PyAny>, library: Library) -> Result<Layout, String> {
    let memory = Memory::open().ok_or("the kernel does not show this process its own memory")?;
    let watch = library.add(FUNCTION, see, seen, true);
    let trial = Trial { library, memory, stage: Stage::Additions(Vec::new()), n_begun: 0, n_ended: 0 };
    TRIAL.set(Some(trial));
    let found = find(torch);
    library.remove(watch);
    let trial = TRIAL.take();
    let layout = found?;
    match trial {
        Some(trial) if trial.n_begun > 0 && trial.n_begun == trial.n_ended => Ok(layout),
        _ => Err("not all operations that begin are told to end".to_owned()),
    }
}

fn find(torch: &Bound<'_, PyAny>) -> Result<Layout, String> {
    let in_words = |error: PyErr| format!("an operation fails: {error}");
    let names = PyDict::new(torch.py());
    names.set_item("torch", torch).map_err(in_words)?;
    for module in ["sys", "_thread"] {
        names.set_item(module, torch.py().import(module).map_err(in_words)?).map_err(in_words)?;
    }
    torch.py().run(PROGRAM, Some(&names), None).map_err(in_words)?;
    let call = |name: &str, arguments: Option<(&str, &str)>| {
        let function = names.as_any().get_item(name)?;
        arguments.map_or_else(|| function.call0(), |arguments| function.call1(arguments)).map(|_| ())
    };
    let kinds = [
        ("float32", "cpu"),
        ("float64", "cpu"),
        ("int64", "cpu"),
        ("int32", "cpu"),
        ("uint8", "cpu"),
        ("bfloat16", "cpu"),
        ("float32", "meta"),
    ];
    for kind in kinds {
        call("add", Some(kind)).map_err(in_words)?;
    }
    let additions = next_stage(|stage| match stage {
        Stage::Additions(seen) => Some(std::mem::take(seen)),
        _ => None,
    })?;
    if additions.len() != kinds.len() {
        return Err(format!("{} additions are told of where there are {}", additions.len(), kinds.len()));
    }
    let first = additions.first().ok_or("no addition is told of")?;
    let everywhere = first.iter().filter(|addition| {
        additions.iter().all(|seen| {
            seen.iter()
                .any(|other| other.inputs == addition.inputs && other.tensor_kind == addition.tensor_kind)
        })
    });
    let (inputs, tensor_kind) =
        the_one(everywhere.map(|addition| (addition.inputs, addition.tensor_kind)), "inputs")?;
    let tensors: Vec<&[u64]> = additions
        .iter()
        .filter_map(|seen| seen.iter().find(|addition| addition.inputs == inputs))
        .map(|addition| &addition.tensor[..])
        .collect();
    let sizes = the_one(tensors.first().into_iter().flat_map(|tensor| sizes_in(tensor)), "sizes")?;
    let numbers: Vec<u16> = kinds.iter().filter_map(|(name, _)| dtype::number(name)).collect();
    let all_bytes: Vec<Vec<u8>> =
        tensors.iter().map(|tensor| tensor.iter().flat_map(|word| word.to_ne_bytes()).collect()).collect();
    let dtype = the_one(dtypes_in(&all_bytes, &numbers), "types")?;
    let device = the_one(devices_in(&all_bytes), "devices")?;

    set_stage(Stage::Lists { inputs, tensor_kind, found: Vec::new() })?;
    call("lists", None).map_err(in_words)?;
    let lists = next_stage(|stage| match stage {
        Stage::Lists { found, .. } => Some(std::mem::take(found)),
        _ => None,
    })?;
    let of = |name: &str| lists.iter().find(|(of, _)| of == name).map_or(&[][..], |(_, found)| &found[..]);
    let tensors = |name: &str, n: usize| {
        let fits = of(name)
            .iter()
            .filter(|found| found.words.len() == n * VALUE_WORDS && found.first_kind == tensor_kind);
        the_one(fits.map(|found| (found.list, found.kind)), "lists of tensors")
    };
    let (list, list_kind) = tensors("aten::cat", 3)?;
    let numbers = of("aten::permute")
        .iter()
        .filter(|found| found.words.chunks(VALUE_WORDS).map(|value| value[0]).eq([2, 0, 1, 3]));
    let found = numbers.map(|found| ((found.list, found.kind), found.first_kind));
    let (number_list, number_kind) = the_one(found, "lists of numbers")?;
    if tensors("aten::index", 1)? != (list, list_kind) || number_list != (list, list_kind) {
        return Err("lists are of several kinds".to_owned());
    }
    let n_types =
        if torch.hasattr("uint16").unwrap_or(false) { dtype::N_TYPES } else { dtype::N_TYPES_BEFORE };
    let layout = Layout { inputs, sizes, dtype, device, list, tensor_kind, list_kind, number_kind, n_types };
    set_stage(Stage::Quick { layout, found: Vec::new() })?;
    call("others", None).map_err(in_words)?;
    let read = next_stage(|stage| match stage {
        Stage::Quick { found, .. } => Some(std::mem::take(found)),
        _ => None,
    })?;
    if read == expected() { Ok(layout) } else { Err(format!("operands are read as {read:?}")) }
}

/// What `others` in the program above has to be read as.
fn expected() -> Vec<(String, Operands)> {
    let operand = |sizes: &[i64], strides: &[i64], dtype: &str| Operand {
        sizes: sizes.to_vec(),
        strides: strides.to_vec(),
        dtype: dtype::number(dtype).unwrap_or(u16::MAX),
        device: (0, -1),
    };
    let six = operand(&[2, 3, 1, 2, 1, 4], &[24, 8, 8, 4, 4, 1], "float64");
    let turned = operand(&[6, 4], &[1, 6], "int16");
    let matrix = operand(&[4, 6], &[6, 1], "int16");
    let of = |name: &str, tensors: &[&Operand], numbers: &[&[i64]], others: &[u64]| {
        let operands = Operands {
            tensors: tensors.iter().map(|tensor| (*tensor).clone()).collect(),
            numbers: numbers.iter().map(|list| list.to_vec()).collect(),
            others: others.to_vec(),
            n_left_out: 0,
        };
        (name.to_owned(), operands)
    };
    vec![
        of("aten::add", &[&six, &six], &[], &[1]),
        of("aten::add", &[&turned, &operand(&[], &[], "int16")], &[], &[1]),
        of("aten::cat", &[&matrix, &operand(&[1, 6], &[6, 1], "int16")], &[], &[0]),
        of("aten::permute", &[&matrix], &[&[1, 0]], &[]),
    ]
}

/// The only one there is.
fn the_one<T: PartialEq>(found: impl Iterator<Item = T>, what: &str) -> Result<T, String> {
    let mut all: Vec<T> = Vec::new();
    for one in found {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    match (all.len(), all.pop()) {
        (1, Some(one)) => Ok(one),
        (n, _) => Err(format!("{what} are found in {n} places")),
    }
}

/// Where in a tensor the sizes are.
fn sizes_in(tensor: &[u64]) -> impl Iterator<Item = usize> + '_ {
    tensor.windows(1 + 2 * N_INSIDE).enumerate().filter_map(|(at, words)| {
        let is = words[0] == SIZES.len() as u64
            && words[1..].starts_with(&SIZES)
            && words[1 + N_INSIDE..].starts_with(&STRIDES);
        is.then_some(8 * at)
    })
}

/// Where the numbers of types are, in all tensors alike.
fn dtypes_in<'a>(tensors: &'a [Vec<u8>], numbers: &'a [u16]) -> impl Iterator<Item = usize> + 'a {
    let at = |bytes: &[u8], offset: usize| {
        bytes.get(offset..offset + 2).map(|two| u16::from_ne_bytes([two[0], two[1]]))
    };
    (0..8 * TENSOR_WORDS).step_by(2).filter(move |offset| {
        tensors.len() == numbers.len()
            && tensors.iter().zip(numbers).all(|(bytes, number)| at(bytes, *offset) == Some(*number))
    })
}

/// Where the device is: the last tensor is on another one.
fn devices_in(tensors: &[Vec<u8>]) -> impl Iterator<Item = usize> + '_ {
    (0..8 * TENSOR_WORDS).step_by(2).filter(|offset| {
        tensors.iter().rev().enumerate().all(|(from_end, bytes)| {
            let kind = if from_end == 0 { META } else { 0 };
            bytes.get(*offset..offset + 2) == Some(&[kind, NO_NUMBER])
        })
    })
}

fn next_stage<T>(take: impl FnOnce(&mut Stage) -> Option<T>) -> Result<T, String> {
    let taken = TRIAL.with_borrow_mut(|trial| trial.as_mut().and_then(|trial| take(&mut trial.stage)));
    taken.ok_or_else(|| "the trial was interrupted".to_owned())
}

fn set_stage(stage: Stage) -> Result<(), String> {
    let set = TRIAL.with_borrow_mut(|trial| trial.as_mut().map(|trial| trial.stage = stage));
    set.ok_or_else(|| "the trial was interrupted".to_owned())
}

/// An operation begins while the trial goes on; those of other threads are not its own.
unsafe extern "C" fn see(made: *mut *mut c_void, range: Range) -> *mut *mut c_void {
    // SAFETY: PyTorch made room for a pointer.
    unsafe { made.write(std::ptr::null_mut()) };
    let look =
        || TRIAL.try_with(|trial| trial.try_borrow_mut().ok()?.as_mut().map(|trial| trial.look(range)));
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(look));
    made
}

unsafe extern "C" fn seen(_range: Range, _made: *mut c_void) {
    let _ = TRIAL.try_with(|trial| {
        if let Some(trial) = trial.try_borrow_mut().ok().as_mut().and_then(|trial| trial.as_mut()) {
            trial.n_ended += 1;
        }
    });
}

impl Trial {
    fn look(&mut self, range: Range) {
        self.n_begun += 1;
        // SAFETY: PyTorch tells of the range now.
        let name = String::from_utf8_lossy(unsafe { self.library.name(range) }).into_owned();
        let words = self.memory.words(range.addr() as u64, RANGE_WORDS);
        match &mut self.stage {
            Stage::Additions(seen) if name == "aten::add" => seen.push(additions(&self.memory, &words)),
            Stage::Lists { inputs, tensor_kind, found } => {
                if let Some([first, n]) = words.get(*inputs / 8..*inputs / 8 + 2) {
                    let values = self.memory.words(*first, (*n as usize).min(8) * VALUE_WORDS);
                    found.push((name, lists(&self.memory, &values, *tensor_kind)));
                }
            }
            Stage::Quick { layout, found } if TRIED.contains(&&name[..]) => {
                // SAFETY: PyTorch tells of the range now, and the layout was found in ranges of this library.
                found.push((name, unsafe { Inputs::of(range, layout) }.operands()));
            }
            Stage::Additions(_) | Stage::Quick { .. } => {}
        }
    }
}

/// Operations of `others` that are looked at; it calls more on its way.
const TRIED: [&str; 3] = ["aten::add", "aten::cat", "aten::permute"];

/// Where in a range the inputs of the addition may be, and the tensor that is added to.
fn additions(memory: &Memory, range: &[u64]) -> Vec<Addition> {
    let is_there = |(at, words): (usize, &[u64])| {
        let &[first, ADD_VALUES] = words else { return None };
        let values = memory.words(first, ADD_VALUES as usize * VALUE_WORDS);
        let &[a, kind, b, b_kind, TIMES, _] = &values[..] else { return None };
        let tensor = memory.words(a, TENSOR_WORDS);
        let is = a == b && kind as u32 == b_kind as u32 && sizes_in(&tensor).next().is_some();
        is.then_some(Addition { inputs: 8 * at, tensor_kind: kind as u32, tensor })
    };
    range.windows(2).enumerate().filter_map(is_there).collect()
}

/// Lists among values, by where their values may be.
fn lists(memory: &Memory, values: &[u64], tensor_kind: u32) -> Vec<Listed> {
    let mut found = Vec::new();
    for value in values.chunks_exact(VALUE_WORDS).filter(|value| value[1] as u32 != tensor_kind) {
        let words = memory.words(value[0], LIST_WORDS);
        for (at, pair) in words.windows(2).enumerate() {
            let bytes = pair[1].wrapping_sub(pair[0]);
            if (1..=8 * VALUE_BYTES as u64).contains(&bytes) && bytes % VALUE_BYTES as u64 == 0 {
                let inside = memory.words(pair[0], bytes as usize / 8);
                if inside.len() * 8 == bytes as usize {
                    found.push(Listed {
                        list: 8 * at,
                        kind: value[1] as u32,
                        first_kind: inside[1] as u32,
                        words: inside,
                    });
                }
            }
        }
    }
    found
}
