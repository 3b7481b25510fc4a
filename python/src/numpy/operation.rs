//! Operations by what they are: their name as a Python user would say it, and how their work is counted.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::RandomState;

/// Where an operation comes from, as far as that decides how its operands are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// A ufunc with so many inputs; the result of each element is one element.
    Ufunc { n_inputs: u8 },
    /// A generalised ufunc, such as `matmul`.
    Generalised { n_inputs: u8 },
    /// `reduce` and its relatives.
    UfuncMethod,
    /// A function of a module.
    Function,
    /// A method of arrays.
    Method,
    /// A method of a generator of random numbers.
    Random,
    /// `a[index]`.
    GetItem,
    /// `a[index] = value`.
    SetItem,
}

/// One operation.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) origin: Origin,
}

/// Operations by the addresses of what is called and of the ufunc it is called on. Those of objects that may go away are never
/// asked for again, because hooks hold a reference to what they are on.
static KNOWN: Mutex<Option<Operations>> = Mutex::new(None);

type Operations = HashMap<(usize, usize), &'static Operation, RandomState>;

/// Keeps an operation for what has this address.
pub(super) fn keep(called: usize, on: usize, operation: Operation) -> &'static Operation {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    match known.get(&(called, on)) {
        // Enabled again, or another object at the address of one that is gone.
        Some(earlier) if earlier.name == operation.name && earlier.origin == operation.origin => earlier,
        _ => {
            let operation: &'static Operation = Box::leak(Box::new(operation));
            known.insert((called, on), operation);
            operation
        }
    }
}

/// The operation that was kept.
pub(super) fn find(called: usize, on: usize) -> Option<&'static Operation> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.as_ref()?.get(&(called, on)).copied()
}
