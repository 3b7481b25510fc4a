//! What a Python program recorded, as tables: operations on arrays by line and shape, and scopes by name. Both add up
//! what the tree keeps apart by path, thread and label, and count no time twice.

mod agreed;
mod answer;
mod calls;
mod kind;
mod labelled_sum;
mod operand_counters;
mod row;
mod sampled;
mod scope_sum;
mod shape;

pub use answer::OperationsAnswer;
pub use calls::{ScopeCalls, spread_of_calls};
pub use labelled_sum::LabelledSum;
pub(crate) use operand_counters::{
    CHANGED_OPERANDS, OPERAND_PAIRS, OPERANDS_COMPARED, SAME_OPERANDS, is_of_operands,
};
pub use row::{OperationRow, operation_rows};
pub use sampled::SampledFunction;
pub use scope_sum::{ScopeSum, ScopeSumKind, scope_sums};
pub use shape::shapes;
