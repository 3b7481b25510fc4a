//! Which operation is of which kind, by its name: what it gives follows from what it is given in a few ways only.

/// How the result follows from the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// One number for each element of the operands, spread over each other.
    Elementwise,
    /// The same without computing.
    Moving,
    /// One truth for each element.
    Comparison,
    /// As many numbers as the first operand has, but each from several.
    Through,
    /// All operands one behind the other.
    Joining,
    /// Rows of a table.
    Lookup,
    /// One or few numbers for all elements.
    Reduction,
    /// Another look at the same numbers.
    View,
    Product(Product),
    Convolution(Convolution),
    Attention,
    /// Layers of a transformer as one operation.
    Encoder,
    Unknown,
}

/// Which operands are multiplied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Product {
    /// The first two: matrices, vectors or stacks of them.
    First,
    /// The second and the third, and the first is added.
    Second,
    /// The second is turned: each row of it gives one number.
    Linear,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Convolution {
    /// Where strides, paddings and dilations are among the lists of numbers, and where it is told, from the end of what is
    /// neither a tensor nor a list, whether it is the other way round.
    Forward {
        lists: [usize; 3],
        transposed: Option<usize>,
    },
    Transposed,
    Backward,
}

const ELEMENTWISE: &[&str] = &[
    "abs",
    "acos",
    "add",
    "addcdiv",
    "addcmul",
    "asin",
    "atan",
    "atan2",
    "cbrt",
    "ceil",
    "celu",
    "clamp",
    "clamp_max",
    "clamp_min",
    "cos",
    "cosh",
    "div",
    "elu",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "floor_divide",
    "fmod",
    "gelu",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hypot",
    "leaky_relu",
    "lerp",
    "log",
    "log10",
    "log1p",
    "log2",
    "maximum",
    "minimum",
    "mish",
    "mul",
    "neg",
    "pow",
    "reciprocal",
    "relu",
    "remainder",
    "round",
    "rsqrt",
    "rsub",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "softplus",
    "sqrt",
    "square",
    "sub",
    "tan",
    "tanh",
    "trunc",
];
const MOVING: &[&str] =
    &["bitwise_and", "bitwise_not", "bitwise_or", "clone", "copy", "masked_fill", "where"];
const COMPARISONS: &[&str] = &[
    "eq",
    "ge",
    "gt",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "logical_and",
    "logical_not",
    "logical_or",
    "lt",
    "ne",
];
const REDUCTIONS: &[&str] = &[
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "logsumexp",
    "max",
    "mean",
    "min",
    "norm",
    "prod",
    "std",
    "sum",
    "var",
    "_local_scalar_dense",
    "item",
];
const VIEWS: &[&str] = &[
    "_reshape_alias",
    "_unsafe_view",
    "alias",
    "as_strided",
    "chunk",
    "detach",
    "diagonal",
    "expand",
    "expand_as",
    "flatten",
    "movedim",
    "narrow",
    "permute",
    "resolve_conj",
    "resolve_neg",
    "select",
    "slice",
    "split",
    "squeeze",
    "swapaxes",
    "t",
    "transpose",
    "unbind",
    "unflatten",
    "unfold",
    "unsqueeze",
    "view",
    "view_as",
];

/// What kind of operation a name is of, without the `aten::` before it and the underscore behind it.
pub(super) fn kind(name: &str) -> Kind {
    let one_of = |names: &[&str]| names.contains(&name);
    let forward = |lists, transposed| Kind::Convolution(Convolution::Forward { lists, transposed });
    match name {
        "mm" | "bmm" | "matmul" | "mv" | "dot" | "vdot" => Kind::Product(Product::First),
        "addmm" | "baddbmm" | "addmv" | "addbmm" => Kind::Product(Product::Second),
        "linear" => Kind::Product(Product::Linear),
        "conv1d" | "conv2d" | "conv3d" => forward([0, 1, 2], None),
        "convolution" | "convolution_overrideable" => forward([0, 1, 2], Some(1)),
        "_convolution" => forward([0, 1, 2], Some(5)),
        "mkldnn_convolution" | "cudnn_convolution" => forward([1, 0, 2], None),
        "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d" => {
            Kind::Convolution(Convolution::Transposed)
        }
        "convolution_backward" => Kind::Convolution(Convolution::Backward),
        "scaled_dot_product_attention"
        | "_scaled_dot_product_attention_math"
        | "_scaled_dot_product_flash_attention"
        | "_scaled_dot_product_flash_attention_for_cpu"
        | "_scaled_dot_product_efficient_attention"
        | "_scaled_dot_product_cudnn_attention" => Kind::Attention,
        "_transformer_encoder_layer_fwd" | "_native_multi_head_attention" => Kind::Encoder,
        "_softmax" | "_log_softmax" | "_safe_softmax" | "native_layer_norm" | "softmax" | "log_softmax" => {
            Kind::Through
        }
        "cat" | "stack" => Kind::Joining,
        "embedding" => Kind::Lookup,
        _ if one_of(ELEMENTWISE) => Kind::Elementwise,
        _ if one_of(MOVING) => Kind::Moving,
        _ if one_of(COMPARISONS) => Kind::Comparison,
        _ if one_of(REDUCTIONS) => Kind::Reduction,
        _ if one_of(VIEWS) => Kind::View,
        _ => Kind::Unknown,
    }
}
