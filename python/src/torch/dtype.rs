//! Types of numbers by the numbers that PyTorch gives them, which stay for good since files hold them.

/// Name and bytes by number.
const TYPES: [(&str, u64); 30] = [
    ("uint8", 1),
    ("int8", 1),
    ("int16", 2),
    ("int32", 4),
    ("int64", 8),
    ("float16", 2),
    ("float32", 4),
    ("float64", 8),
    ("complex32", 4),
    ("complex64", 8),
    ("complex128", 16),
    ("bool", 1),
    ("qint8", 1),
    ("quint8", 1),
    ("qint32", 4),
    ("bfloat16", 2),
    ("quint4x2", 1),
    ("quint2x4", 1),
    ("bits1x8", 1),
    ("bits2x4", 1),
    ("bits4x2", 1),
    ("bits8", 1),
    ("bits16", 2),
    ("float8_e5m2", 1),
    ("float8_e4m3fn", 1),
    ("float8_e5m2fnuz", 1),
    ("float8_e4m3fnuz", 1),
    ("uint16", 2),
    ("uint32", 4),
    ("uint64", 8),
];

/// The name of a type, such as `float32`.
pub(super) fn name(number: u16) -> Option<&'static str> {
    kept(number).map(|(name, _)| name)
}

/// Bytes of a number of a type.
pub(super) fn bytes(number: u16) -> u64 {
    kept(number).map_or(0, |(_, bytes)| bytes)
}

/// The number of a type by its name.
pub(super) fn number(name: &str) -> Option<u16> {
    let at = TYPES.iter().position(|(known, _)| *known == name)?;
    u16::try_from(at).ok()
}

/// Whether it is of floating-point numbers.
pub(super) fn is_floating(number: u16) -> bool {
    name(number).is_some_and(|name| name.starts_with("float") || name.starts_with("bfloat"))
}

/// Whether it is of numbers that computing on is counted.
pub(super) fn has_fractions(number: u16) -> bool {
    is_floating(number) || name(number).is_some_and(|name| name.starts_with("complex"))
}

fn kept(number: u16) -> Option<(&'static str, u64)> {
    TYPES.get(usize::from(number)).copied()
}

/// How many types there are, and how many there were before those without a sign were added.
pub(super) const N_TYPES: u16 = 30;
pub(super) const N_TYPES_BEFORE: u16 = 27;
