//! Where types keep what no part of the limited interface tells, in builds with the interpreter's lock: the same in every
//! CPython since 3.9. Whoever relies on it holds it against what Python says of itself.

/// The size of a type's instances.
pub(crate) const TYPE_BASIC_SIZE: usize = 32;
/// Where instances keep what they are called by.
pub(crate) const TYPE_VECTORCALL_OFFSET: usize = 56;
