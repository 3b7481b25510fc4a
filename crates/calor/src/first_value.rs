//! A value that is made once and kept. Nobody waits for whoever makes it: two may make it at once, and the first is kept.
//! So a fork while it is being made leaves nothing behind that the child would wait for.

#![expect(unsafe_code, reason = "the value is behind a pointer")]

use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

/// The value.
pub(crate) struct FirstValue<T> {
    /// Null until it is made.
    value: AtomicPtr<T>,
}

impl<T: Sync + 'static> FirstValue<T> {
    pub(crate) const fn new() -> Self {
        Self { value: AtomicPtr::new(null_mut()) }
    }

    /// The value, if it was made.
    pub(crate) fn get(&self) -> Option<&'static T> {
        // SAFETY: the pointer is null or a leaked box.
        unsafe { self.value.load(Acquire).as_ref() }
    }

    /// The value, made if need be.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> T) -> &'static T {
        if let Some(value) = self.get() {
            return value;
        }
        let made = Box::into_raw(Box::new(make()));
        match self.value.compare_exchange(null_mut(), made, AcqRel, Acquire) {
            // SAFETY: the box was just leaked.
            Ok(_) => unsafe { &*made },
            // SAFETY: nobody else has seen this box; the earlier one is leaked.
            Err(earlier) => unsafe {
                drop(Box::from_raw(made));
                &*earlier
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FirstValue;

    #[test]
    fn all_get_the_same_value_also_while_it_is_made() {
        static VALUE: FirstValue<String> = FirstValue::new();
        let first = VALUE.get_or_make(|| {
            // As another thread would, while this one is not done.
            let meanwhile = VALUE.get_or_make(|| "meanwhile".to_owned());
            assert_eq!(meanwhile, "meanwhile");
            "later".to_owned()
        });
        assert_eq!(first, "meanwhile");
        let threads: Vec<_> =
            (0..4).map(|_| std::thread::spawn(|| VALUE.get_or_make(String::new).clone())).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("no thread panics"), "meanwhile");
        }
    }
}
