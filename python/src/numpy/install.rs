//! Putting hooks in and taking them out. A pointer is replaced only where it was found to be what it is taken for: it lies in
//! memory that may be written, and leads into a library of NumPy or SciPy. It is put back only where it is still ours.

#![expect(unsafe_code, reason = "pointers in objects and tables of NumPy are replaced")]

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pyo3::ffi::PyObject;
use pyo3::prelude::*;

use super::discover::{Target, Targets};
use super::layout::{
    DESCRIPTOR_DEFINITION, FUNCTION_DEFINITION, MAPPING_ASS_SUBSCRIPT, MAPPING_SUBSCRIPT, SEQUENCE_ITEM,
    TYPE_AS_MAPPING, TYPE_AS_SEQUENCE, TYPE_BASIC_SIZE, TYPE_VECTORCALL_OFFSET,
};
use super::memory::{at, read};
use super::methods::{MAX_METHODS, trampoline};
use super::operation::{self, Operation, Origin};
use super::subscript::{self, AssSubscript, Item, Subscript};
use super::vectorcall::{Reading, Vectorcall, hook_for, is_hook};

/// In the definition of a method.
const ML_METH: usize = 8;
const ML_FLAGS: usize = 16;

/// A pointer that was replaced.
struct Replaced {
    place: usize,
    original: usize,
    hook: usize,
    /// The object that the place is in or belongs to, which stays as long as it is hooked.
    _kept: Py<PyAny>,
}

#[derive(Default)]
struct Installed {
    replaced: Vec<Replaced>,
    /// Definitions of methods that have a trampoline, by its number. A number is never given to another.
    definitions: Vec<usize>,
}

static INSTALLED: Mutex<Option<Installed>> = Mutex::new(None);

/// Puts hooks on all targets, and says how many there are now.
pub(super) fn install(array: &Bound<'_, PyAny>, targets: Targets<'_>) -> PyResult<usize> {
    let writable = writable();
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    let installed = installed.get_or_insert_default();
    for target in targets.callables {
        installed.hook_callable(target, &writable);
    }
    for target in targets.methods {
        installed.hook_definition(target, DESCRIPTOR_DEFINITION, &writable);
    }
    for target in targets.functions {
        installed.hook_definition(target, FUNCTION_DEFINITION, &writable);
    }
    installed.hook_indexing(array, &writable);
    installed.hook_iteration(array, &writable);
    Ok(installed.replaced.len())
}

/// Puts back every pointer that is still ours.
pub(super) fn uninstall() {
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    let replaced = installed.as_mut().map(|installed| std::mem::take(&mut installed.replaced));
    drop(installed);
    for Replaced { place, original, hook, _kept } in replaced.into_iter().flatten() {
        let place: *mut usize = std::ptr::with_exposed_provenance_mut(place);
        // SAFETY: it was written to when the hook was put in, and what it lies in was kept since.
        unsafe {
            if place.read() == hook {
                place.write(original);
            }
        }
    }
}

impl Installed {
    fn hook_callable(&mut self, target: Target<'_>, writable: &[Range<usize>]) {
        let object: *mut PyObject = target.object.as_ptr();
        let kind = target.object.get_type();
        // SAFETY: the offsets are those of a type, as `layout::check` has seen; the place lies inside the object.
        let (place, original) = unsafe {
            let offset: isize = read(kind.as_ptr(), TYPE_VECTORCALL_OFFSET);
            let size: isize = read(kind.as_ptr(), TYPE_BASIC_SIZE);
            if offset < 16 || offset > size - 8 || offset % 8 != 0 {
                return;
            }
            let place: *mut Option<Vectorcall> = at(object, offset as usize);
            let Some(original) = place.read() else { return };
            (place, original)
        };
        if is_hook(original) || !is_ours_to_hook(original as usize) {
            return;
        }
        let reading = match target.origin {
            Origin::Ufunc { .. } | Origin::Generalised { .. } => Reading::Operands,
            _ => Reading::Arguments,
        };
        let Some(hook) = hook_for(original, reading) else { return };
        operation::keep(object.addr(), 0, Operation { name: target.name, origin: target.origin });
        self.replace(place.cast(), original as usize, hook as usize, target.object.unbind(), writable);
    }

    fn hook_definition(&mut self, target: Target<'_>, offset: usize, writable: &[Range<usize>]) {
        let name = target.name.rsplit('.').next().unwrap_or_default();
        // SAFETY: descriptors and built-in functions have a pointer to their definition there; that it is one is seen by its
        // name before anything else of it is read.
        let (definition, flags, original) = unsafe {
            let definition: *const u8 = read(target.object.as_ptr(), offset);
            let is_place = |address: usize| writable.iter().any(|range| range.contains(&address));
            if definition.is_null() || !is_place(definition.addr()) || !is_place(definition.addr() + 31) {
                return;
            }
            let told: *const std::ffi::c_char = read(definition, 0);
            if told.is_null() {
                return;
            }
            let told = CStr::from_ptr(told).to_bytes();
            if !told.ends_with(name.as_bytes()) && told != format!("__{name}__").as_bytes() {
                return;
            }
            (definition, read::<c_int>(definition, ML_FLAGS), read::<*mut c_void>(definition, ML_METH))
        };
        if self.replaced.iter().any(|replaced| replaced.place == definition.addr() + ML_METH)
            || !is_ours_to_hook(original.addr())
        {
            return;
        }
        let number = match self.definitions.iter().position(|known| *known == definition.addr()) {
            Some(number) => number,
            None if self.definitions.len() < MAX_METHODS => {
                self.definitions.push(definition.addr());
                self.definitions.len() - 1
            }
            None => return,
        };
        let operation = Operation { name: target.name, origin: target.origin };
        let operation = operation::keep(definition.addr(), 0, operation);
        let Some(hook) = trampoline(number, flags, original, operation) else { return };
        let place = at::<usize>(definition, ML_METH);
        self.replace(place, original.addr(), hook.expose_provenance(), target.object.unbind(), writable);
    }

    fn hook_indexing(&mut self, array: &Bound<'_, PyAny>, writable: &[Range<usize>]) {
        // SAFETY: a type has a pointer to its table of indexing there, and the table these two functions.
        let (places, get, set) = unsafe {
            let table: *const u8 = read(array.as_ptr(), TYPE_AS_MAPPING);
            if table.is_null() {
                return;
            }
            let get: Option<Subscript> = read(table, MAPPING_SUBSCRIPT);
            let set: Option<AssSubscript> = read(table, MAPPING_ASS_SUBSCRIPT);
            let (Some(get), Some(set)) = (get, set) else { return };
            ([at::<usize>(table, MAPPING_SUBSCRIPT), at::<usize>(table, MAPPING_ASS_SUBSCRIPT)], get, set)
        };
        if !is_ours_to_hook(get as usize) || !is_ours_to_hook(set as usize) {
            return;
        }
        subscript::set_originals(get, set);
        let (get_hook, set_hook): (Subscript, AssSubscript) = (subscript::get, subscript::set);
        let hooks = [(get as usize, get_hook as usize), (set as usize, set_hook as usize)];
        for (place, (original, hook)) in places.into_iter().zip(hooks) {
            self.replace(place, original, hook, array.clone().unbind(), writable);
        }
    }

    fn hook_iteration(&mut self, array: &Bound<'_, PyAny>, writable: &[Range<usize>]) {
        // SAFETY: a type has a pointer to its table of sequences there, and the table this function.
        let (place, item) = unsafe {
            let table: *const u8 = read(array.as_ptr(), TYPE_AS_SEQUENCE);
            if table.is_null() {
                return;
            }
            let Some(item) = read::<Option<Item>>(table, SEQUENCE_ITEM) else { return };
            (at::<usize>(table, SEQUENCE_ITEM), item)
        };
        if !is_ours_to_hook(item as usize) {
            return;
        }
        subscript::set_original_of_iteration(item);
        let hook: Item = subscript::item;
        self.replace(place, item as usize, hook as usize, array.clone().unbind(), writable);
    }

    /// Replaces a pointer, if it may be written.
    fn replace(
        &mut self,
        place: *mut usize,
        original: usize,
        hook: usize,
        kept: Py<PyAny>,
        writable: &[Range<usize>],
    ) {
        let place = place.expose_provenance();
        if writable.iter().any(|range| range.contains(&place)) {
            // SAFETY: the memory is there and may be written, and callers found the pointer there to be what is replaced.
            unsafe { std::ptr::with_exposed_provenance_mut::<usize>(place).write(hook) };
            self.replaced.push(Replaced { place, original, hook, _kept: kept });
        }
    }
}

/// Memory of this process that may be written; nothing where the system does not tell.
fn writable() -> Vec<Range<usize>> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let range = |line: &str| {
        let mut words = line.split_whitespace();
        let (from, to) = words.next()?.split_once('-')?;
        let may_write = words.next()?.as_bytes().get(1) == Some(&b'w');
        let range = usize::from_str_radix(from, 16).ok()?..usize::from_str_radix(to, 16).ok()?;
        may_write.then_some(range)
    };
    maps.lines().filter_map(range).collect()
}

/// Whether a place may be written.
pub(crate) fn may_write(place: Range<usize>) -> bool {
    writable().iter().any(|range| range.start <= place.start && place.end <= range.end)
}

/// Whether a function is of a library of NumPy or SciPy.
pub(crate) fn is_ours_to_hook(function: usize) -> bool {
    let address: *const c_void = std::ptr::with_exposed_provenance(function);
    // SAFETY: any address may be asked for; the name that comes back stays as long as the library.
    unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address, &raw mut found) == 0 || found.dli_fname.is_null() {
            return false;
        }
        let file = CStr::from_ptr(found.dli_fname).to_string_lossy();
        let is_theirs = file.contains("/numpy/") || file.contains("/scipy/");
        // An environment may lie in a folder of that name, and our own functions are hooks already.
        is_theirs && found.dli_fbase != own_library()
    }
}

/// Where the library with this code begins.
fn own_library() -> *mut c_void {
    let address: *const c_void =
        std::ptr::with_exposed_provenance(is_ours_to_hook as fn(usize) -> bool as usize);
    // SAFETY: any address may be asked for.
    unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address, &raw mut found) == 0 { std::ptr::null_mut() } else { found.dli_fbase }
    }
}
