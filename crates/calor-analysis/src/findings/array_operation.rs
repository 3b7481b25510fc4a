//! Operations on arrays as several rules look at them: which are whose, what kind they are of, and what calling one costs
//! however small its arrays are.
//!
//! The names are those of NumPy: of a ufunc (`add`, `add.reduce`), of a method (`copy`) or of a function (`linalg.solve`);
//! indexing is `getitem` and `setitem`. PyTorch has its own (`mul`), which end in `_` where they work in place (`mul_`).

use std::collections::HashSet;

use calor_model::{CounterKey, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::{Facts, Operation, Place, Share};

/// What calling an operation costs at least by library, where nobody measured it: finding the loop for the types, checking
/// shapes, making the result.
const USUAL_DISPATCH_NANOS: [(&str, f64); 2] = [("numpy", 350.0), ("torch", 1_500.0)];
/// The unit of a series that tells it.
const NANOS: &str = "ns";
/// Operations that read each element once and write one for it, as NumPy and PyTorch call them.
const ELEMENTWISE: [&str; 82] = [
    "abs",
    "absolute",
    "add",
    "addcdiv",
    "addcmul",
    "arctan",
    "arctan2",
    "atan",
    "atan2",
    "bitwise_and",
    "bitwise_or",
    "cbrt",
    "ceil",
    "clamp",
    "clip",
    "conj",
    "cos",
    "div",
    "divide",
    "elu",
    "eq",
    "equal",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "ge",
    "gelu",
    "greater",
    "greater_equal",
    "gt",
    "hardswish",
    "hypot",
    "le",
    "leaky_relu",
    "lerp",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "logical_and",
    "logical_not",
    "logical_or",
    "lt",
    "masked_fill",
    "maximum",
    "minimum",
    "mish",
    "mod",
    "mul",
    "multiply",
    "ne",
    "neg",
    "negative",
    "not_equal",
    "pow",
    "power",
    "reciprocal",
    "relu",
    "remainder",
    "rint",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "softplus",
    "sqrt",
    "square",
    "sub",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
    "where",
];
/// Products of matrices, as far as a library of linear algebra does them.
const PRODUCTS: [&str; 18] = [
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bilinear",
    "bmm",
    "dot",
    "einsum",
    "inner",
    "linear",
    "matmul",
    "mm",
    "mv",
    "outer",
    "scaled_dot_product_attention",
    "tensordot",
    "vdot",
];

/// Operations of one function of the program.
pub(super) struct OperationGroup<'f, 'p> {
    /// The line of the function that took the longest.
    pub place: Place,
    /// The operations, the longest first.
    pub operations: Vec<&'f Operation<'p>>,
    /// Their part of the whole.
    pub share: Share,
    /// Calls of all of them.
    pub calls: u64,
}

/// Operations that were called by a line and not by another operation, so that no time counts twice.
pub(super) fn outermost<'f, 'p>(facts: &'f Facts<'p>) -> impl Iterator<Item = &'f Operation<'p>> {
    let all = facts.operations();
    let stacks: HashSet<StackId, RandomState> = all.iter().map(|operation| operation.stack).collect();
    // Between two operations there may be functions of the library.
    let callers = |operation: &Operation<'_>| {
        std::iter::successors(operation.line, |at| facts.profile().stacks.get(*at).parent)
    };
    all.iter().filter(move |operation| !callers(operation).any(|caller| stacks.contains(&caller)))
}

/// Operations by the function of the program that called them, the one with the most time first.
pub(super) fn by_function<'f, 'p>(
    facts: &Facts<'p>,
    operations: impl Iterator<Item = &'f Operation<'p>>,
) -> Vec<OperationGroup<'f, 'p>>
where
    'p: 'f,
{
    let mut groups: IndexMap<(String, Option<String>), OperationGroup<'f, 'p>, RandomState> =
        IndexMap::default();
    for operation in operations {
        let place = place(facts, operation);
        let function = (place.function.clone(), place.file.clone());
        let none = || OperationGroup { place, operations: Vec::new(), share: Share::default(), calls: 0 };
        let group = groups.entry(function).or_insert_with(none);
        group.operations.push(operation);
        group.share = group.share.with(operation.share);
        group.calls += operation.calls;
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by(|a, b| {
        b.share.estimate.total_cmp(&a.share.estimate).then_with(|| a.place.source().cmp(&b.place.source()))
    });
    groups
}

/// Where an operation was called: the line of the program, or the operation itself where none is known. Recorders keep the
/// line with the operation; [`with_calling_lines`](super::with_calling_lines) puts it among the callers first.
pub(super) fn place(facts: &Facts<'_>, operation: &Operation<'_>) -> Place {
    let line = operation.line.unwrap_or(operation.stack);
    facts.place(facts.program_site(line).unwrap_or(line))
}

/// What calling an operation of a library costs at least, in nanoseconds: as the Python package measured it when it began (the
/// series `numpy dispatch` in `ns`), or as is usual.
pub(super) fn dispatch_nanos(facts: &Facts<'_>, library: &str) -> f64 {
    let profile = facts.profile();
    let measured = || {
        let name = profile.strings.find(&format!("{library} dispatch"))?;
        let unit = profile.strings.find(NANOS)?;
        let points = profile.counters.get(&CounterKey { name, unit, thread: None })?;
        points.iter().map(|point| point.value).find(|nanos| *nanos > 0.0)
    };
    let usual = || USUAL_DISPATCH_NANOS.iter().find(|(known, _)| *known == library).map(|(_, nanos)| *nanos);
    measured().or_else(usual).unwrap_or(USUAL_DISPATCH_NANOS[0].1)
}

/// Whether an operation reads each element once and writes one for it.
pub(super) fn is_elementwise(operation: &Operation<'_>) -> bool {
    ELEMENTWISE.contains(&base(operation))
}

/// Whether an operation is a product of matrices.
pub(super) fn is_product(operation: &Operation<'_>) -> bool {
    PRODUCTS.contains(&base(operation))
}

/// Whether an operation writes into one of its operands: those of PyTorch say so by their name.
pub(super) fn is_in_place(operation: &Operation<'_>) -> bool {
    base(operation).len() < operation.name.len()
}

/// The name of an operation, whether it works in place or not.
fn base<'p>(operation: &Operation<'p>) -> &'p str {
    match (operation.library, operation.name.strip_suffix('_')) {
        ("torch", Some(base)) if !base.is_empty() => base,
        _ => operation.name,
    }
}

/// Whether an operation takes elements out of an array or puts them in.
pub(super) fn is_indexing(operation: &Operation<'_>) -> bool {
    matches!(operation.name, "getitem" | "setitem")
}

/// Bytes of a number of a type; `None` for what is no number of a fixed size.
pub(super) fn bytes_of(dtype: &str) -> Option<u32> {
    let digits = dtype.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    match (dtype, digits.parse::<u32>()) {
        ("bool", _) => Some(1),
        (_, Ok(bits)) if bits % 8 == 0 => Some(bits / 8),
        _ => None,
    }
}

/// Whether a type is of floating-point numbers.
pub(super) fn is_floating(dtype: &str) -> bool {
    dtype.starts_with("float") || dtype.starts_with("bfloat")
}

#[cfg(test)]
mod tests {
    use calor_model::{CounterPoint, Work};

    use super::*;
    use crate::findings::draft::Draft;

    const TRAIN: &str = "py:train@train.py:12";

    #[test]
    fn operations_inside_others_do_not_count_twice() {
        let profile = Draft::new()
            .seconds(1e-6)
            .operation(&[TRAIN, "mean"], &[], 1, 300, Work::default())
            .operation(
                &[TRAIN, "mean", "py:_mean@numpy/_methods.py:7", "add.reduce"],
                &[],
                1,
                200,
                Work::default(),
            )
            .operation(&["py:train@train.py:13", "exp"], &[], 2, 400, Work::default())
            .operation(&["py:test@test.py:2", "exp"], &[], 1, 100, Work::default())
            .profile();
        let facts = Facts::new(&profile, None);
        let groups = by_function(&facts, outermost(&facts));
        let told: Vec<_> = groups
            .iter()
            .map(|group| (group.place.function.as_str(), group.calls, (group.share.estimate * 10.0).round()))
            .collect();
        assert_eq!(told, [("train", 3, 7.0), ("test", 1, 1.0)]);
        assert_eq!(groups[0].place.line, Some(13));
    }

    #[test]
    fn a_row_that_tells_its_caller_is_at_its_own_line() {
        let caller = [("caller", "Model.step")];
        let profile = Draft::new()
            .seconds(1e-6)
            .operation(&["run", "ndarray.copy@model.py:7"], &caller, 2, 300, Work::default())
            .operation(&["run", "add@model.py:9"], &caller, 1, 100, Work::default())
            .operation(
                &["run", "exp@/venv/lib/site-packages/kit/fast.py:3"],
                &[("caller", "fast")],
                1,
                50,
                Work::default(),
            )
            .profile();
        let profile = crate::findings::with_calling_lines(&profile);
        let facts = Facts::new(&profile, None);
        let groups = by_function(&facts, outermost(&facts));
        let told: Vec<_> =
            groups.iter().map(|group| (group.place.source(), group.calls, group.place.is_programs)).collect();
        assert_eq!(
            told,
            [
                (Some("model.py:7".to_owned()), 3, true),
                // What a library calls is at the part of the program that called the library.
                (None, 1, true)
            ]
        );
        assert_eq!(groups[0].place.path, ["run", "Model.step"]);
        assert_eq!(groups[0].operations[0].name, "copy");
    }

    #[test]
    fn the_cost_of_a_call_is_as_measured_or_as_is_usual() {
        let mut profile = Draft::new().profile();
        let facts = Facts::new(&profile, None);
        assert_eq!((dispatch_nanos(&facts, "numpy"), dispatch_nanos(&facts, "torch")), (350.0, 1_500.0));
        let key = CounterKey {
            name: profile.strings.intern("numpy dispatch"),
            unit: profile.strings.intern("ns"),
            thread: None,
        };
        profile.counters.series_mut(key).push(CounterPoint { at_nanos: 0, value: 280.0 });
        assert_eq!(dispatch_nanos(&Facts::new(&profile, None), "numpy"), 280.0);
    }

    #[test]
    fn names_of_pytorch_are_known_in_place_or_not() {
        let kinds = |library: &str, name: &str| {
            let labels = [("op", library)];
            let profile = Draft::new().operation(&[TRAIN, name], &labels, 1, 300, Work::default()).profile();
            let facts = Facts::new(&profile, None);
            let operation = &facts.operations()[0];
            assert_eq!(is_in_place(operation), library == "torch" && name.len() > 1 && name.ends_with('_'));
            (is_elementwise(operation), is_product(operation))
        };
        for name in ["mul", "div", "sub", "add_", "relu_", "pow", "sigmoid", "eq", "masked_fill_"] {
            assert_eq!(kinds("torch", name), (true, false), "{name}");
        }
        for name in ["addmm", "bmm", "linear", "mm", "baddbmm_", "matmul"] {
            assert_eq!(kinds("torch", name), (false, true), "{name}");
        }
        for name in ["embedding", "softmax", "layer_norm", "_", "copy_"] {
            assert_eq!(kinds("torch", name), (false, false), "{name}");
        }
        assert_eq!(kinds("numpy", "add"), (true, false));
    }

    #[test]
    fn types_have_sizes() {
        let told = ["float32", "bfloat16", "int64", "bool", "object", "float8"].map(bytes_of);
        assert_eq!(told, [Some(4), Some(2), Some(8), Some(1), None, Some(1)]);
        assert!(is_floating("bfloat16") && !is_floating("int8"));
    }
}
