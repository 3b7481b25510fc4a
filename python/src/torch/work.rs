//! What an operation computes and moves, from what it is given: floating-point operations as they are counted by hand, a
//! product of matrices as two for each pair of numbers, and bytes as they are read and written once. Where the result is
//! not known, neither are the bytes, and nothing is told.

use super::dtype;
use super::kind::{Convolution, Kind, Product};
use super::operands::{Operand, Operands};

/// What one call does; 0 where it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Work {
    pub(crate) elements: u64,
    pub(crate) bytes: u64,
    pub(crate) flops: u64,
}

/// What a call does, of the kind that its name is of. `is_in_place` tells that the first operand is written.
pub(super) fn work(name: &str, kind: Kind, is_in_place: bool, operands: &Operands) -> Work {
    let work = of_numbers(name, kind, is_in_place, operands);
    // Operations on whole numbers are none, and a number that is read is none either.
    let has_fractions = operands.tensors.iter().any(|tensor| dtype::has_fractions(tensor.dtype));
    let computes = has_fractions && !["item", "_local_scalar_dense"].contains(&name);
    if computes { work } else { Work { flops: 0, ..work } }
}

fn of_numbers(name: &str, kind: Kind, is_in_place: bool, operands: &Operands) -> Work {
    if operands.n_left_out > 0 {
        return Work::default();
    }
    let tensors = &operands.tensors[..];
    let all_read: u64 = tensors.iter().map(read).sum();
    match kind {
        Kind::Elementwise | Kind::Moving | Kind::Comparison => {
            let Some(elements) = spread(tensors) else { return Work::default() };
            // What is copied over is not read before.
            let is_overwritten = name == "copy" && is_in_place;
            let written = result(kind, is_in_place, tensors).map(|result| elements * dtype::bytes(result));
            let bytes =
                written.map_or(0, |written| if is_overwritten { all_read } else { all_read + written });
            Work { elements, bytes, flops: if kind == Kind::Elementwise { elements } else { 0 } }
        }
        Kind::Through => {
            let Some(first) = tensors.first() else { return Work::default() };
            Work { elements: elements(first), bytes: 2 * read(first), flops: 0 }
        }
        Kind::Joining => Work { elements: tensors.iter().map(elements).sum(), bytes: 2 * all_read, flops: 0 },
        Kind::Lookup => lookup_work(tensors).unwrap_or_default(),
        Kind::Reduction => {
            let Some(first) = tensors.first() else { return Work::default() };
            Work { elements: elements(first), bytes: read(first), flops: elements(first) }
        }
        Kind::Product(product) => product_work(product, tensors).unwrap_or_default(),
        Kind::Convolution(convolution) => convolution_work(convolution, operands).unwrap_or_default(),
        Kind::Attention => attention_work(tensors).unwrap_or_default(),
        Kind::Encoder => encoder_work(tensors).unwrap_or_default(),
        Kind::View | Kind::Unknown => Work::default(),
    }
}

/// The type of the result where it follows from those of the operands.
pub(super) fn result(kind: Kind, is_in_place: bool, tensors: &[Operand]) -> Option<u16> {
    if is_in_place && kind != Kind::Unknown {
        return tensors.first().map(|tensor| tensor.dtype);
    }
    let first = match kind {
        Kind::Comparison => return dtype::number("bool"),
        Kind::View | Kind::Reduction | Kind::Lookup | Kind::Convolution(_) | Kind::Unknown => return None,
        _ => tensors.first()?,
    };
    if tensors.iter().all(|tensor| tensor.dtype == first.dtype) {
        return Some(first.dtype);
    }
    // Numbers without axes do not widen what has some, unless they are of another family.
    let widest = |only_with_axes: bool| {
        let counted = tensors.iter().filter(|tensor| !only_with_axes || !tensor.sizes.is_empty());
        counted
            .map(|tensor| tensor.dtype)
            .filter(|dtype| dtype::is_floating(*dtype))
            .max_by_key(|dtype| dtype::bytes(*dtype))
    };
    widest(true).or_else(|| widest(false))
}

/// Elements of a tensor.
pub(super) fn elements(tensor: &Operand) -> u64 {
    tensor.sizes.iter().map(|size| size.max(&0).cast_unsigned()).fold(1, u64::saturating_mul)
}

/// Bytes that reading it takes: what stands for many elements is read once.
fn read(tensor: &Operand) -> u64 {
    let axes = tensor.sizes.iter().zip(&tensor.strides);
    let numbers = axes.filter(|(_, stride)| **stride != 0).map(|(size, _)| size.max(&0).cast_unsigned());
    let numbers = if elements(tensor) == 0 { 0 } else { numbers.fold(1, u64::saturating_mul) };
    numbers.saturating_mul(dtype::bytes(tensor.dtype))
}

/// Elements of tensors that are spread over each other; `None` where they do not fit.
fn spread(tensors: &[Operand]) -> Option<u64> {
    let n_axes = tensors.iter().map(|tensor| tensor.sizes.len()).max()?;
    let mut all: u64 = 1;
    for axis in 0..n_axes {
        let sizes = tensors.iter().filter_map(|tensor| tensor.sizes.iter().rev().nth(axis));
        let size = sizes.copied().fold(1, |size, other| if other == 1 { size } else { other });
        all = all.saturating_mul(size.max(0).cast_unsigned());
    }
    Some(all)
}

fn product_work(product: Product, tensors: &[Operand]) -> Option<Work> {
    let (a, b, added) = match product {
        Product::First | Product::Linear => (tensors.first()?, tensors.get(1)?, tensors.get(2)),
        Product::Second => (tensors.get(1)?, tensors.get(2)?, tensors.first()),
    };
    let inner = a.sizes.last().copied()?.max(1).cast_unsigned();
    let columns = match (product, &b.sizes[..]) {
        (_, [_]) => 1,
        (Product::Linear, [rows, _]) => rows.max(&0).cast_unsigned(),
        (_, [.., columns]) => columns.max(&0).cast_unsigned(),
        (_, []) => return None,
    };
    // Stacks of matrices go pair by pair; of a longer stack on the right there are as many products.
    let stack = |tensor: &Operand| match tensor.sizes.split_last_chunk::<2>() {
        Some((stack, _)) => {
            stack.iter().map(|size| size.max(&0).cast_unsigned()).fold(1, u64::saturating_mul)
        }
        None => 1,
    };
    let rows = elements(a) / inner / stack(a).max(1);
    let stacked = if product == Product::Linear { stack(a) } else { stack(a).max(stack(b)) };
    let elements = stacked.saturating_mul(rows).saturating_mul(columns);
    let bytes = read(a) + read(b) + added.map_or(0, read) + elements * dtype::bytes(a.dtype);
    Some(Work { elements, bytes, flops: (2 * inner).saturating_mul(elements) })
}

fn lookup_work(tensors: &[Operand]) -> Option<Work> {
    let [table, places] = tensors else { return None };
    let width = table.sizes.last()?.max(&0).cast_unsigned();
    let elements = elements(places).saturating_mul(width);
    Some(Work { elements, bytes: read(places) + 2 * elements * dtype::bytes(table.dtype), flops: 0 })
}

fn convolution_work(convolution: Convolution, operands: &Operands) -> Option<Work> {
    let tensors = &operands.tensors;
    let at = |index: usize| tensors.get(index);
    let (input, weight) = match convolution {
        Convolution::Backward => (at(1)?, at(2)?),
        _ => (at(0)?, at(1)?),
    };
    let per_result: u64 = weight.sizes.get(1..)?.iter().map(|size| size.max(&0).cast_unsigned()).product();
    let (results, multiplied) = match convolution {
        Convolution::Forward { lists, transposed } if !is_set(operands, transposed) => {
            let results = convolved(input, weight, lists.map(|list| operands.numbers.get(list)))?;
            (results, results)
        }
        Convolution::Forward { .. } | Convolution::Transposed => (0, elements(input)),
        // Both what goes back to the input and what goes to the weights.
        Convolution::Backward => (elements(input) + elements(weight), 2 * elements(at(0)?)),
    };
    let flops = (2 * per_result).saturating_mul(multiplied);
    let is_known = results > 0;
    let all_read: u64 = tensors.iter().map(read).sum();
    let bytes = if is_known { all_read + results * dtype::bytes(input.dtype) } else { 0 };
    Some(Work { elements: results, bytes, flops })
}

/// Whether a truth is so, by its place from the end of what is neither a tensor nor a list.
fn is_set(operands: &Operands, from_end: Option<usize>) -> bool {
    let other = |from_end: usize| operands.others.iter().rev().nth(from_end);
    from_end.and_then(other).is_some_and(|word| word & 0xff == 1)
}

/// Elements of what a convolution gives, from its strides, paddings and dilations.
fn convolved(input: &Operand, weight: &Operand, lists: [Option<&Vec<i64>>; 3]) -> Option<u64> {
    let n_axes = weight.sizes.len().checked_sub(2)?;
    // Without an axis for a batch there is one example.
    let has_batch = input.sizes.len() == weight.sizes.len();
    let batch = if has_batch { *input.sizes.first()? } else { 1 };
    let axes = input.sizes.get(input.sizes.len().checked_sub(n_axes)?..)?;
    let number = |list: usize, axis: usize| lists[list]?.get(axis).or(lists[list]?.first()).copied();
    let mut all = batch.max(0).checked_mul(*weight.sizes.first()?)?;
    for (axis, size) in axes.iter().enumerate() {
        let (stride, padding, dilation) = (number(0, axis)?, number(1, axis)?, number(2, axis)?);
        let reach = dilation * (weight.sizes[axis + 2] - 1) + 1;
        all = all.checked_mul((size + 2 * padding - reach).checked_div(stride.max(1))?.max(-1) + 1)?;
    }
    u64::try_from(all).ok()
}

fn attention_work(tensors: &[Operand]) -> Option<Work> {
    let [query, key, value, ..] = tensors else { return None };
    let (&width, &value_width) = (query.sizes.last()?, value.sizes.last()?);
    let keys = *key.sizes.get(key.sizes.len().checked_sub(2)?)?;
    let [width, value_width, keys] = [width, value_width, keys].map(|size| size.max(1).cast_unsigned());
    let queries = elements(query) / width;
    let elements = queries * value_width;
    let bytes = [query, key, value].map(read).iter().sum::<u64>() + elements * dtype::bytes(query.dtype);
    Some(Work { elements, bytes, flops: 2 * queries * keys * (width + value_width) })
}

/// The input of three axes, then the weights of its products, among others of fewer axes.
fn encoder_work(tensors: &[Operand]) -> Option<Work> {
    let input = tensors.first()?;
    let &[batch, length, width] = &input.sizes[..] else { return None };
    let [batch, length, width] = [batch, length, width].map(|size| size.max(0).cast_unsigned());
    let weights: u64 = tensors.iter().filter(|tensor| tensor.sizes.len() == 2).map(elements).sum();
    let flops = 2 * batch * length * weights + 4 * batch * length * length * width;
    let bytes = tensors.iter().map(read).sum::<u64>() + read(input);
    Some(Work { elements: elements(input), bytes, flops })
}
