//! The orders in which the numbers of the table stand, by the names that are used here. Each ends where the part of the
//! table ends that is used: what follows is of objects whose shape follows from `object.type`.

/// 3.13, from `pycore_runtime.h`.
pub(crate) const V3_13: &str = "version free_threaded
    runtime.size runtime.finalizing runtime.interpreters
    interpreter.size interpreter.id interpreter.next interpreter.threads interpreter.gc interpreter.modules
    interpreter.sys interpreter.builtins interpreter.gil interpreter.own_gil interpreter.gil_enabled
    interpreter.gil_locked interpreter.gil_holder
    thread.size thread.previous thread.next thread.interpreter thread.frame thread.id thread.native_id
    thread.data_stack thread.status
    frame.size frame.back frame.code frame.instruction frame.locals frame.owner
    code.size code.file code.name code.qualified_name code.lines code.first_line code.arguments code.local_names
    code.local_kinds code.bytecode
    object.size object.type type.size type.name";

/// 3.14 and the first alphas of 3.15, from `pycore_debug_offsets.h`.
pub(crate) const V3_14: &str = "version free_threaded
    runtime.size runtime.finalizing runtime.interpreters
    interpreter.size interpreter.id interpreter.next interpreter.threads interpreter.main_thread interpreter.gc
    interpreter.modules interpreter.sys interpreter.builtins interpreter.gil interpreter.own_gil
    interpreter.gil_enabled interpreter.gil_locked interpreter.gil_holder interpreter.code_generation
    interpreter.copies_generation
    thread.size thread.previous thread.next thread.interpreter thread.frame thread.id thread.native_id
    thread.data_stack thread.status
    frame.size frame.back frame.code frame.instruction frame.locals frame.owner frame.stack_pointer frame.copy
    code.size code.file code.name code.qualified_name code.lines code.first_line code.arguments code.local_names
    code.local_kinds code.bytecode code.copies
    object.size object.type type.size type.name";

/// Later alphas and the first betas of 3.15, in which thread states hold the end of the chain of frames.
pub(crate) const V3_15_EARLY: &str = "version free_threaded
    runtime.size runtime.finalizing runtime.interpreters
    interpreter.size interpreter.id interpreter.next interpreter.threads interpreter.main_thread interpreter.gc
    interpreter.modules interpreter.sys interpreter.builtins interpreter.gil interpreter.own_gil
    interpreter.gil_enabled interpreter.gil_locked interpreter.gil_holder interpreter.code_generation
    interpreter.copies_generation
    thread.size thread.previous thread.next thread.interpreter thread.frame thread.base_frame thread.profiled_frame
    thread.id thread.native_id thread.data_stack thread.status thread.holds_gil thread.wants_gil thread.exception
    thread.exceptions
    exception_value
    frame.size frame.back frame.code frame.instruction frame.locals frame.owner frame.stack_pointer frame.copy
    code.size code.file code.name code.qualified_name code.lines code.first_line code.arguments code.local_names
    code.local_kinds code.bytecode code.copies
    object.size object.type type.size type.name";

/// 3.15 from its fourth beta on.
pub(crate) const V3_15: &str = "version free_threaded
    runtime.size runtime.finalizing runtime.interpreters
    interpreter.size interpreter.id interpreter.next interpreter.threads interpreter.main_thread interpreter.gc
    interpreter.modules interpreter.sys interpreter.builtins interpreter.gil interpreter.own_gil
    interpreter.gil_enabled interpreter.gil_locked interpreter.gil_holder interpreter.code_generation
    interpreter.copies_generation
    thread.size thread.previous thread.next thread.interpreter thread.frame thread.base_frame thread.profiled_frame
    thread.profiled_frame_number thread.id thread.native_id thread.data_stack thread.status thread.holds_gil
    thread.wants_gil thread.exception thread.exceptions
    exception_value
    frame.size frame.back frame.code frame.instruction frame.locals frame.owner frame.stack_pointer frame.copy
    code.size code.file code.name code.qualified_name code.lines code.first_line code.arguments code.local_names
    code.local_kinds code.bytecode code.copies
    object.size object.type type.size type.name";
