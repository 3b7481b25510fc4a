//! The native half of Calor's Python package: the engines of the workspace, as Python calls them. What people import and
//! read about is in `calor/*.py`; this module is called `calor._calor` and is nobody's to use directly.

mod ab;
#[cfg(feature = "command")]
mod command;
mod control;
mod detector;
mod frame;
mod functions;
mod here;
mod interpreter;
mod last_thread;
mod memory;
mod notes;
mod numpy;
mod recording;
mod report;
mod scope;
mod stack_room;
mod thread_names;
mod torch;
mod type_layout;
mod words;

use pyo3::prelude::*;

/// The native half of Calor.
#[pymodule]
mod _calor {
    #[pymodule_export]
    use super::ab::{Outcome, ab};
    #[cfg(feature = "command")]
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::control::{clear, disable, enable, is_enabled, is_set_up, options, warnings};
    #[pymodule_export]
    use super::detector::{Alarm, CallBaseline, CallWindow, Detector, Signal};
    #[pymodule_export]
    use super::functions::sample_rows;
    #[pymodule_export]
    use super::memory::HeapSnapshot;
    #[pymodule_export]
    use super::numpy::operation_rows;
    #[pymodule_export]
    use super::recording::{start_recording, stop_recording};
    #[pymodule_export]
    use super::report::{
        Comparison, Gathering, Snapshot, baseline_runs, check_export, compare, save_baseline,
    };
    #[pymodule_export]
    use super::scope::{Life, Steps, scope_at, scope_rows};
    #[pymodule_export]
    use super::torch::{torch_gpu_start, torch_gpu_stop, torch_row, torch_start, torch_stop, torch_told};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        interpreter::check()?;
        frame::look();
        thread_names::tell();
        scope::add_to(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
