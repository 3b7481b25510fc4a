//! The distributions by which a chance finding is told from a real one: normal, Student's, and the functions they need.

pub(crate) mod gamma;
pub(crate) mod normal;
mod student;

pub use student::t_975;
pub(crate) use student::{t_quantile, t_upper_tail};
