//! The workloads that come along with Calor, as far as an analysis has to know them: how they are run, in rounds or until a time
//! is over, and which models they ran. All of it is found by labels that the workloads record, and never by names of threads.

mod command;
mod models;
mod outputs;
mod repeated;
mod rounds;
mod scaling;
mod unlike;

pub use command::{BenchCommand, workload_at};
pub use models::{ModelOperation, ModelPhase, ModelRun, PROMPT_TOKENS, SIZES, model_names, models, phases};
pub use outputs::without_outputs;
pub use repeated::{REPEATED_BY_TIME, SETTLED, is_repeated_by_time, is_repeated_label};
pub(crate) use repeated::{cpu_parts, cpu_remark, remark as repeated_remark};
pub use rounds::ROUNDS;
pub(crate) use rounds::{n_rounds, remark as rounds_remark, threads_of_rounds};
pub use scaling::{ModelGrowth, ModelScaling};
pub use unlike::Unlike;
