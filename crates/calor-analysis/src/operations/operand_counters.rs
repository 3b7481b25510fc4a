//! Counters by which recorders of operations tell rules of their operands. They are in a profile beside the counters of the
//! program, and pages for people leave them out.

/// Calls that were held against the call before at their line.
pub(crate) const OPERAND_PAIRS: &str = "operand_pairs";
/// Of those, calls whose operands were the same and had not been written to since.
pub(crate) const SAME_OPERANDS: &str = "same_operands";
/// Calls whose operands lay in the same memory and had been written to.
pub(crate) const CHANGED_OPERANDS: &str = "changed_operands";
/// How much of the memory of operands was looked at, in thousandths.
pub(crate) const OPERANDS_COMPARED: &str = "operands_compared";

/// Whether a counter is one of these.
pub(crate) fn is_of_operands(counter: &str) -> bool {
    [OPERAND_PAIRS, SAME_OPERANDS, CHANGED_OPERANDS, OPERANDS_COMPARED].contains(&counter)
}
