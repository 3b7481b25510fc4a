//! CUPTI: where it is, and its functions by their names.

#![expect(unsafe_code, reason = "functions of a library are found and called by their address")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{GpuError, driver};

/// Names under which it is found without a folder.
const NAMES: [&str; 4] = ["libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"];
/// Where NVIDIA's own packages put it.
const FOLDERS: [&str; 2] = ["/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64"];
/// Versions whose records begin as `activity` reads them: of CUDA 11.0, and the first that has not been looked at.
const VERSIONS: std::ops::Range<u32> = 13..140_000;

/// What CUPTI answers when all is well.
pub(super) const SUCCESS: u32 = 0;
const NOT_PRIVILEGED: u32 = 35;
const TAKEN: u32 = 39;

/// Asks for room for records.
pub(super) type Requested = unsafe extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
/// Hands records over: context, stream, room, its size, and how much of it is in use.
pub(super) type Completed = unsafe extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);
/// Tells of a call: what was given with the subscription, area, number of the function, and what is known of the call.
pub(super) type Called = unsafe extern "C" fn(*mut c_void, u32, u32, *const Call);

/// What is known of a call: `CUpti_CallbackData`, which is the same since CUDA 11.
#[repr(C)]
pub(super) struct Call {
    /// 0 before the call, 1 behind it.
    pub(super) moment: u32,
    function: *const c_char,
    parameters: *const c_void,
    answer: *const c_void,
    symbol: *const c_char,
    context: *const c_void,
    context_number: u32,
    between: *mut u64,
    /// The number of the call, which the record of what it launched has too.
    pub(super) number: u32,
}

/// Its functions.
pub(super) struct Cupti {
    pub(super) path: PathBuf,
    /// As it numbers itself: 26 with CUDA 12.8, 130,000 with 13.0.
    pub(super) version: u32,
    pub(super) subscribe: unsafe extern "C" fn(*mut *mut c_void, Called, *mut c_void) -> u32,
    pub(super) unsubscribe: unsafe extern "C" fn(*mut c_void) -> u32,
    pub(super) enable_call: unsafe extern "C" fn(u32, *mut c_void, u32, u32) -> u32,
    pub(super) name_of_call: unsafe extern "C" fn(u32, u32, *mut *const c_char) -> u32,
    pub(super) register: unsafe extern "C" fn(Requested, Completed) -> u32,
    pub(super) enable: unsafe extern "C" fn(u32) -> u32,
    pub(super) disable: unsafe extern "C" fn(u32) -> u32,
    pub(super) next: unsafe extern "C" fn(*mut u8, usize, *mut *mut u8) -> u32,
    pub(super) flush: unsafe extern "C" fn(u32) -> u32,
    pub(super) n_dropped: unsafe extern "C" fn(*mut c_void, u32, *mut usize) -> u32,
}

impl Cupti {
    /// The one that the program has loaded, or else the first that is found. It stays loaded.
    pub(super) fn open(folders: &[PathBuf]) -> Result<Self, GpuError> {
        if !driver::is_there() {
            return Err(GpuError::NoDriver);
        }
        let mut refusal = GpuError::NoLibrary;
        for path in candidates(folders) {
            match Self::at(&path) {
                Ok(cupti) => return Ok(cupti),
                // One that was there and did not fit tells more than those that are not there.
                Err(error) => {
                    if path.is_absolute() || !matches!(error, GpuError::Library { .. }) {
                        refusal = error;
                    }
                }
            }
        }
        Err(refusal)
    }

    fn at(path: &Path) -> Result<Self, GpuError> {
        let refused = |why: String| GpuError::Library { path: path.to_owned(), why };
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| refused(error.to_string()))?;
        // SAFETY: the name ends with a zero; what the library does when it is loaded is NVIDIA's.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return Err(refused(last_error()));
        }
        let find = |name: &CStr| {
            // SAFETY: the library is open, and the name ends with a zero.
            let found = unsafe { libc::dlsym(library, name.as_ptr()) };
            match found.is_null() {
                true => Err(refused(format!("it has no function {}", name.to_string_lossy()))),
                false => Ok(found),
            }
        };
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: so the function of this name is declared, in all versions that are asked below.
                unsafe { as_function(find($name)?) }
            };
        }
        let version: unsafe extern "C" fn(*mut u32) -> u32 = function!(c"cuptiGetVersion");
        let mut number = 0;
        // SAFETY: it writes one number.
        let answer = unsafe { version(&raw mut number) };
        if answer != SUCCESS {
            return Err(refusal("to tell its version", answer));
        }
        if !VERSIONS.contains(&number) {
            return Err(GpuError::Version(number));
        }
        Ok(Self {
            path: path.to_owned(),
            version: number,
            subscribe: function!(c"cuptiSubscribe"),
            unsubscribe: function!(c"cuptiUnsubscribe"),
            enable_call: function!(c"cuptiEnableCallback"),
            name_of_call: function!(c"cuptiGetCallbackName"),
            register: function!(c"cuptiActivityRegisterCallbacks"),
            enable: function!(c"cuptiActivityEnable"),
            disable: function!(c"cuptiActivityDisable"),
            next: function!(c"cuptiActivityGetNextRecord"),
            flush: function!(c"cuptiActivityFlushAll"),
            n_dropped: function!(c"cuptiActivityGetNumDroppedRecords"),
        })
    }
}

/// An address as the function that lies there.
///
/// # Safety
/// It is that of a function of this type.
pub(super) unsafe fn as_function<F>(address: *mut c_void) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "it is a pointer to a function") };
    // SAFETY: by the caller's promise; both are as long as each other.
    unsafe { std::mem::transmute_copy(&address) }
}

/// What an answer other than `SUCCESS` means.
pub(super) fn refusal(what: &'static str, code: u32) -> GpuError {
    match code {
        TAKEN => GpuError::Taken,
        NOT_PRIVILEGED => GpuError::NotAllowed,
        code => GpuError::Refused { what, code },
    }
}

/// Where it may be, the most likely first.
fn candidates(folders: &[PathBuf]) -> Vec<PathBuf> {
    let named = std::env::var_os("CALOR_CUPTI").map(PathBuf::from);
    let inside = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| is_cupti(path)).collect();
        found.sort();
        found
    };
    let named = named.into_iter().flat_map(|path| if path.is_dir() { inside(&path) } else { vec![path] });
    let given = folders.iter().map(PathBuf::as_path).chain(FOLDERS.map(Path::new)).flat_map(inside);
    named.chain(loaded()).chain(given).chain(NAMES.map(PathBuf::from)).collect()
}

/// Whether a file is CUPTI by its name: `libcupti.so.12`, `libcupti-5a2c.so.11.8`.
fn is_cupti(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let rest = name.strip_prefix("libcupti").filter(|rest| rest.starts_with(['.', '-']));
    rest.is_some_and(|rest| rest.contains(".so"))
}

/// Those that this process has loaded.
fn loaded() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut found: Vec<PathBuf> = maps
        .lines()
        .filter_map(|line| Some(PathBuf::from(&line[line.find('/')?..])))
        .filter(|path| is_cupti(path))
        .collect();
    found.dedup();
    found
}

fn last_error() -> String {
    // SAFETY: it returns null or a text that ends with a zero, which is copied at once.
    let text = unsafe { libc::dlerror() };
    match text.is_null() {
        true => "it cannot be loaded".to_owned(),
        // SAFETY: as above.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_by_its_name() {
        for (name, expected) in [
            ("/x/libcupti.so.12", true),
            ("libcupti-922d2a81.so.11.8", true),
            ("libcupti.so.2024.1.0", true),
            ("/x/libcuptiutil.so", false),
            ("libcupti_static.a", false),
            ("libcuda.so.1", false),
        ] {
            assert_eq!(is_cupti(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn a_folder_that_is_given_is_looked_through_before_names_are_tried() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["libcupti.so.12", "libother.so"] {
            std::fs::write(folder.path().join(name), "no library").expect("a file");
        }
        let found = candidates(&[folder.path().to_owned()]);
        let place = |path: &Path| found.iter().position(|found| found == path);
        let given = place(&folder.path().join("libcupti.so.12"));
        assert!(given.is_some() && given < place(Path::new(NAMES[0])), "{found:?}");
        assert!(place(&folder.path().join("libother.so")).is_none());
    }

    #[test]
    fn a_file_that_is_no_library_is_told_with_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("libcupti.so.12");
        std::fs::write(&path, "no library").expect("a file");
        let refusal = Cupti::at(&path).err().expect("it is none");
        assert!(refusal.to_string().contains("libcupti.so.12"), "{refusal}");
    }

    #[test]
    fn refusals_tell_what_stands_in_the_way() {
        assert_eq!(refusal("kernels", TAKEN), GpuError::Taken);
        assert_eq!(refusal("kernels", NOT_PRIVILEGED), GpuError::NotAllowed);
        let other = refusal("records of kernels", 7);
        assert_eq!(other.to_string(), "CUPTI refuses records of kernels (its error 7)");
    }
}
