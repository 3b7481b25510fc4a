//! The facts of a report: one value, made of a profile and a question. Pages and programs show different parts of it, and a
//! question says which paths are wanted; what a page looks like is nobody's business here.

mod answer;
mod python_waits;
mod question;
mod sampled;
mod selected;
mod unmeasured;

pub use answer::ReportAnswer;
pub use question::{PathDetail, ReportQuestion, ReportRows};
pub use sampled::SampledLists;
pub use selected::SelectedProfile;
