/* Prints where things are, by the headers it is compiled with; since 3.14 also the table that the interpreter carries,
   and for builds without the lock what only those have. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stddef.h>
#include <stdio.h>
#include <frameobject.h>
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#else
#include <internal/pycore_pystate.h>
#endif
#if PY_VERSION_HEX >= 0x030B0000
#include <internal/pycore_frame.h>
#endif
#if PY_VERSION_HEX >= 0x030E0000
#include <internal/pycore_debug_offsets.h>
static const struct _Py_DebugOffsets table = _Py_DebugOffsets_INIT("xdebugpy");
#endif

#define AT(what, type, field) printf("%s %zu\n", what, offsetof(type, field))
#define SIZE(what, type) printf("%s %zu\n", what, sizeof(type))

int main(void) {
    AT("runtime.interpreters", _PyRuntimeState, interpreters.head);
#if PY_VERSION_HEX >= 0x03090000
    AT("runtime.finalizing", _PyRuntimeState, _finalizing);
#else
    AT("runtime.finalizing", _PyRuntimeState, finalizing);
#endif
    AT("interpreter.next", PyInterpreterState, next);
#if PY_VERSION_HEX >= 0x030B0000
    AT("interpreter.threads", PyInterpreterState, threads.head);
#else
    AT("interpreter.threads", PyInterpreterState, tstate_head);
#endif
#if PY_VERSION_HEX >= 0x030C0000
    AT("gil.pointer", PyInterpreterState, ceval.gil);
    AT("gil.locked", struct _gil_runtime_state, locked);
    AT("gil.holder", struct _gil_runtime_state, last_holder);
#else
    AT("gil.locked", _PyRuntimeState, ceval.gil.locked);
    AT("gil.holder", _PyRuntimeState, ceval.gil.last_holder);
    AT("gil.current", _PyRuntimeState, gilstate.tstate_current);
#endif
    AT("thread.next", PyThreadState, next);
    AT("thread.interpreter", PyThreadState, interp);
    AT("thread.id", PyThreadState, thread_id);
#if PY_VERSION_HEX >= 0x030B0000
    AT("thread.native_id", PyThreadState, native_thread_id);
#endif
#if PY_VERSION_HEX >= 0x030D0000
    AT("thread.current_frame", PyThreadState, current_frame);
#elif PY_VERSION_HEX >= 0x030B0000
    AT("thread.cframe", PyThreadState, cframe);
    AT("cframe.current_frame", _PyCFrame, current_frame);
    AT("cframe.previous", _PyCFrame, previous);
#else
    AT("thread.frame", PyThreadState, frame);
#endif
#if PY_VERSION_HEX >= 0x030D0000
    AT("frame.code", _PyInterpreterFrame, f_executable);
    AT("frame.instruction", _PyInterpreterFrame, instr_ptr);
#elif PY_VERSION_HEX >= 0x030B0000
    AT("frame.code", _PyInterpreterFrame, f_code);
    AT("frame.instruction", _PyInterpreterFrame, prev_instr);
#else
    AT("frame.code", PyFrameObject, f_code);
    AT("frame.instruction", PyFrameObject, f_lasti);
    AT("frame.back", PyFrameObject, f_back);
#endif
#if PY_VERSION_HEX >= 0x030B0000
    AT("frame.back", _PyInterpreterFrame, previous);
#endif
#if PY_VERSION_HEX >= 0x030C0000
    AT("frame.owner", _PyInterpreterFrame, owner);
#elif PY_VERSION_HEX >= 0x030B0000
    AT("frame.is_entry", _PyInterpreterFrame, is_entry);
#endif
    AT("code.file", PyCodeObject, co_filename);
    AT("code.name", PyCodeObject, co_name);
    AT("code.first_line", PyCodeObject, co_firstlineno);
#if PY_VERSION_HEX >= 0x030B0000
    AT("code.qualified_name", PyCodeObject, co_qualname);
    AT("code.bytecode", PyCodeObject, co_code_adaptive);
    AT("code.bytecode_units", PyCodeObject, ob_base.ob_size);
#else
    AT("code.bytecode", PyCodeObject, co_code);
#endif
#if PY_VERSION_HEX >= 0x030A0000
    AT("code.lines", PyCodeObject, co_linetable);
#else
    AT("code.lines", PyCodeObject, co_lnotab);
#endif
    AT("object.type", PyObject, ob_type);
    AT("bytes.length", PyVarObject, ob_size);
    AT("bytes.data", PyBytesObject, ob_sval);
    AT("text.length", PyASCIIObject, length);
    AT("text.state", PyASCIIObject, state);
    SIZE("text.ascii", PyASCIIObject);
    SIZE("text.compact", PyCompactUnicodeObject);
    AT("type.name", PyTypeObject, tp_name);
#ifdef Py_GIL_DISABLED
    AT("gil.enabled", struct _gil_runtime_state, enabled);
#if PY_VERSION_HEX >= 0x030E0000
    AT("code.copies", PyCodeObject, co_tlbc);
#endif
#endif
#if PY_VERSION_HEX >= 0x030E0000
    printf("table ");
    for (size_t i = 0; i < sizeof table; i++)
        printf("%02x", ((const unsigned char *)&table)[i]);
    printf("\n");
#endif
    /* The bits of a text of two-byte characters that follow its head. */
    PyASCIIObject text = {0};
    text.state.kind = 2;
    text.state.compact = 1;
    unsigned state = 0;
    memcpy(&state, &text.state, sizeof state);
    printf("state %u\n", state);
    return 0;
}
