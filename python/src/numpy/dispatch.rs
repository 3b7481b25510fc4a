//! What calling any operation costs on this machine, however small its arrays are: what the rules hold small operations against.

#![expect(
    unsafe_code,
    reason = "a ufunc is called as the interpreter calls it, without a tuple of arguments"
)]

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use calor::model::{CounterKey, CounterPoint, Profile};
use pyo3::ffi;
use pyo3::prelude::*;

use super::layout::{TYPE_BASIC_SIZE, TYPE_VECTORCALL_OFFSET};
use super::memory::read;
use super::vectorcall::Vectorcall;

/// Batches of calls; the quickest counts, as whatever else runs only adds.
const BATCHES: usize = 8;
const CALLS: u32 = 100;

/// In picoseconds; 0 until measured.
static COST: AtomicU64 = AtomicU64::new(0);

/// Measures it, before anything is hooked. Some 0.3 ms, once.
pub(super) fn measure(numpy: &Bound<'_, PyAny>) -> PyResult<()> {
    if COST.load(Relaxed) != 0 {
        return Ok(());
    }
    let add = numpy.getattr("add")?;
    let one = numpy.call_method1("ones", (1,))?;
    let arguments = [one.as_ptr(), one.as_ptr()];
    // SAFETY: the offset is that of a ufunc's type, as `layout::check` has seen, and the object holds such a function there.
    let call: Option<Vectorcall> = unsafe {
        let kind = add.get_type();
        let offset: usize = read(kind.as_ptr(), TYPE_VECTORCALL_OFFSET);
        let size: usize = read(kind.as_ptr(), TYPE_BASIC_SIZE);
        if offset < 16 || offset + 8 > size { None } else { read(add.as_ptr(), offset) }
    };
    let Some(call) = call else { return Ok(()) };
    let mut quickest = u64::MAX;
    for _ in 0..BATCHES {
        let began = Instant::now();
        for _ in 0..CALLS {
            // SAFETY: a ufunc is called with two live arguments; the result is given up at once.
            let result = unsafe { call(add.as_ptr(), arguments.as_ptr(), 2, std::ptr::null_mut()) };
            if result.is_null() {
                return Err(PyErr::fetch(numpy.py()));
            }
            // SAFETY: the reference is ours.
            unsafe { ffi::Py_DECREF(result) };
        }
        let nanos = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        quickest = quickest.min(nanos.saturating_mul(1000) / u64::from(CALLS));
    }
    COST.store(quickest, Relaxed);
    Ok(())
}

/// Says it in a profile, as the series that rules read.
pub(super) fn add_to(profile: &mut Profile) {
    let cost = COST.load(Relaxed);
    if cost > 0 {
        let key = CounterKey {
            name: profile.strings.intern("numpy dispatch"),
            unit: profile.strings.intern("ns"),
            thread: None,
        };
        profile.counters.series_mut(key).push(CounterPoint { at_nanos: 0, value: cost as f64 / 1000.0 });
    }
}
