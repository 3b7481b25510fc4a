//! What `einsum` does: its subscripts say which axes are walked together, and so how many products and sums there are. Shapes
//! alone do not tell a batch from a sum.

#![expect(unsafe_code, reason = "operands are live objects of Python, looked at by their pointers")]

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::call::Call;
use super::layout::Array;
use super::operation::{Operation, Origin};
use super::work::{self, Arrays, Work};

/// Codes of the axes that an ellipsis stands for, the last one first. Below are letters.
const HIDDEN: u8 = 128;
/// Operations of a product and of a sum of complex numbers.
const COMPLEX: (u64, u64) = (6, 2);

/// Which axes are walked together: each has a code, a letter as a rule.
struct Subscripts {
    operands: Vec<Vec<u8>>,
    /// How long the axes of each code are; `None` of codes that do not occur.
    extents: Vec<Option<u64>>,
    is_summed: Vec<bool>,
}

pub(super) fn is_it(operation: &Operation) -> bool {
    operation.origin == Origin::Function && matches!(operation.name.as_str(), "einsum" | "c_einsum")
}

/// The work of a call; none where its subscripts are not a text, or an operand is no plain array.
///
/// # Safety
/// The objects of the call are live, the result is null or live, and the thread has the interpreter's lock.
pub(super) unsafe fn of(operation: &Operation, call: &Call<'_>, result: *mut PyObject) -> Work {
    // SAFETY: by the caller's promise.
    let Some((operands, text)) = (unsafe { operands(call).zip(text(call)) }) else { return Work::NONE };
    let Some(subscripts) = Subscripts::read(&text, &operands) else { return Work::NONE };
    // SAFETY: by the caller's promise.
    let (arrays, is_optimized) = unsafe { (Arrays::of(operation, call, result), is_optimized(call)) };
    let results_len = arrays.results_len();
    let elements = |number: usize| subscripts.touched(number, operands[number], false);
    let bytes = |number: usize| {
        subscripts.touched(number, operands[number], true).saturating_mul(operands[number].item_bytes())
    };
    let read: u64 = (0..operands.len()).map(bytes).fold(0, u64::saturating_add);
    let bytes = if work::is_view(&arrays) { 0 } else { read.saturating_add(arrays.written_bytes(result)) };
    let flops = subscripts.flops(&arrays, is_optimized);
    let largest = (0..operands.len()).map(elements).max().unwrap_or(0).max(results_len);
    Work { elements: if bytes == 0 && flops == 0 { results_len } else { largest }, bytes, flops }
}

/// All operands, if each is a plain array.
///
/// # Safety
/// As for [`of`].
unsafe fn operands(call: &Call<'_>) -> Option<Vec<Array>> {
    // SAFETY: by the caller's promise.
    call.operands().skip(1).map(|operand| unsafe { Array::of(operand) }).collect()
}

/// The subscripts.
///
/// # Safety
/// As for [`of`].
unsafe fn text(call: &Call<'_>) -> Option<String> {
    let first = call.operands().next()?;
    // SAFETY: by the caller's promise.
    let object = unsafe { Bound::from_borrowed_ptr(Python::assume_attached(), first) };
    Some(object.cast::<PyString>().ok()?.to_cow().ok()?.into_owned())
}

/// Whether NumPy chooses in which order it does what.
///
/// # Safety
/// As for [`of`].
unsafe fn is_optimized(call: &Call<'_>) -> bool {
    // SAFETY: by the caller's promise; the constant is compared and not kept.
    call.keyword(c"optimize").is_some_and(|given| given != unsafe { ffi::Py_False() })
}

impl Subscripts {
    /// Reads a text such as `bij,bjk->bik`.
    fn read(text: &str, arrays: &[Array]) -> Option<Self> {
        let text: String = text.chars().filter(|letter| *letter != ' ').collect();
        let (inputs, output) =
            text.split_once("->").map_or((text.as_str(), None), |(inputs, output)| (inputs, Some(output)));
        let terms: Vec<&str> = inputs.split(',').collect();
        if terms.len() != arrays.len() || output.is_some_and(|output| letters(output).is_none()) {
            return None;
        }
        let mut extents = vec![None; 256];
        let mut n_times = [0_u32; 256];
        let mut operands = Vec::new();
        for (term, array) in terms.iter().zip(arrays) {
            let codes = codes(term, array.dimensions().len())?;
            for (code, n) in codes.iter().zip(array.dimensions()) {
                let extent: &mut Option<u64> = &mut extents[usize::from(*code)];
                // One of them may be 1, and is repeated.
                *extent = Some(extent.unwrap_or(0).max(n.cast_unsigned()));
                n_times[usize::from(*code)] += 1;
            }
            operands.push(codes);
        }
        let is_kept = |code: u8| match output {
            // Without one, what an ellipsis stands for is kept, and each letter that occurs once.
            None => code >= HIDDEN || n_times[usize::from(code)] == 1,
            Some(output) if code >= HIDDEN => output.contains("..."),
            Some(output) => output.as_bytes().contains(&code),
        };
        let is_summed = (0..=u8::MAX).map(|code| extents[usize::from(code)].is_some() && !is_kept(code));
        let is_summed = is_summed.collect();
        Some(Self { operands, extents, is_summed })
    }

    /// Elements of an operand that are touched, each once: of axes that are walked together the diagonal. `in_memory` is set
    /// to leave out axes that are the same memory again and again.
    fn touched(&self, number: usize, array: Array, in_memory: bool) -> u64 {
        let codes = &self.operands[number];
        let axis = |(at, code): (usize, &u8)| {
            if codes[..at].contains(code) {
                return 1;
            }
            let same = || (at..codes.len()).filter(|other| codes[*other] == *code);
            let stride: i64 = same().filter_map(|axis| array.strides().get(axis)).sum();
            let n = same().filter_map(|axis| array.dimensions().get(axis)).max().copied().unwrap_or(1);
            if in_memory && stride == 0 && n > 0 { 1 } else { n.cast_unsigned() }
        };
        codes.iter().enumerate().map(axis).fold(1, u64::saturating_mul)
    }

    /// Products and sums of floating-point numbers; 0 where NumPy's own order may need fewer.
    fn flops(&self, arrays: &Arrays, is_optimized: bool) -> u64 {
        let has = |kind: u8| arrays.inputs.iter().chain(&arrays.results).any(|array| array.kind() == kind);
        let (product, sum) = match (has(b'c'), has(b'f')) {
            (true, _) => COMPLEX,
            (_, true) => (1, 1),
            _ => return 0,
        };
        let summed = || (0..=u8::MAX).filter(|code| self.is_summed[usize::from(*code)]);
        let is_in_all = |code: u8| self.operands.iter().all(|codes| codes.contains(&code));
        // What is summed in one operand alone may be summed before the product.
        if is_optimized && (self.operands.len() > 2 || !summed().all(is_in_all)) {
            return 0;
        }
        let visited = self.extents.iter().flatten().fold(1, |all: u64, n| all.saturating_mul(*n));
        let n_products = (self.operands.len() as u64).saturating_sub(1);
        let each = n_products * product + if summed().next().is_some() { sum } else { 0 };
        visited.saturating_mul(each)
    }
}

/// The code of each axis of an operand that has so many; `None` if the term does not fit it.
fn codes(term: &str, n_axes: usize) -> Option<Vec<u8>> {
    let (before, after) = letters(term)?;
    let n_hidden = n_axes.checked_sub(before.len() + after.map_or(0, str::len))?;
    if after.is_none() && n_hidden > 0 {
        return None;
    }
    // Those of several operands are put together from the last on, as always.
    let hidden = (0..u8::try_from(n_hidden).ok()?).rev().map(|at| HIDDEN.saturating_add(at));
    Some(before.bytes().chain(hidden).chain(after.unwrap_or("").bytes()).collect())
}

/// The letters before and after an ellipsis, all before where there is none; `None` if there is anything else.
fn letters(term: &str) -> Option<(&str, Option<&str>)> {
    let (before, after) =
        term.split_once("...").map_or((term, None), |(before, after)| (before, Some(after)));
    let are_letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
    (are_letters(before) && are_letters(after.unwrap_or(""))).then_some((before, after))
}
