//! A BLAS of this machine, loaded at run time where there is one: what everybody's matrices are multiplied by, to hold ours
//! against. Called the way Fortran does, which all of them understand.

#![expect(unsafe_code, reason = "functions of a library that is found at run time")]

use std::ffi::{c_char, c_int};
use std::path::Path;

use libloading::Library;

use super::BlasChoice;
use super::number::Number;
use crate::Error;

/// Where to look, the quickest first.
const NAMES: [&str; 6] = [
    "libmkl_rt.so.2",
    "libmkl_rt.so.1",
    "libopenblas.so.0",
    "libopenblas.so",
    "libblis.so.4",
    "libblas.so.3",
];

/// How to get one.
pub(crate) const ADVICE: &str = "no BLAS was found to hold ours against: install one (Debian and Ubuntu: libopenblas0), or name one with --blas";

type Multiply<T> = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_int,
    *const c_int,
    *const c_int,
    *const T,
    *const T,
    *const c_int,
    *const T,
    *const c_int,
    *const T,
    *mut T,
    *const c_int,
    // The lengths of the two texts, which some Fortran compilers add.
    usize,
    usize,
);

/// A library that was loaded.
#[derive(Debug)]
pub(crate) struct Blas {
    pub(crate) name: String,
    single: Multiply<f32>,
    double: Multiply<f64>,
    /// Whether it does what one thread does.
    pub(crate) is_single_threaded: bool,
    /// Last, because what it holds is of it.
    _library: Library,
}

/// Numbers that a BLAS multiplies.
pub(crate) trait BlasNumber: Number {
    fn function(blas: &Blas) -> Multiply<Self>;
}

impl BlasNumber for f32 {
    fn function(blas: &Blas) -> Multiply<Self> {
        blas.single
    }
}

impl BlasNumber for f64 {
    fn function(blas: &Blas) -> Multiply<Self> {
        blas.double
    }
}

/// An error with what is behind it: what the loader has to say is there.
fn whole(error: &libloading::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    format!("{error}{}", cause.unwrap_or_default())
}

impl Blas {
    /// The library that was chosen; `None` where none was found.
    pub(crate) fn chosen(choice: &BlasChoice) -> Result<Option<Self>, Error> {
        match choice {
            BlasChoice::None => Ok(None),
            BlasChoice::Found => Ok(NAMES.iter().find_map(|name| Self::load(Path::new(name)).ok())),
            BlasChoice::File(path) => Self::load(path).map(Some).map_err(|problem| Error::File {
                path: path.clone(),
                problem: format!(
                    "it is no BLAS that can be loaded ({problem}): name one such as libopenblas.so.0, or none with --blas none"
                ),
            }),
        }
    }

    fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: what a BLAS does when it is loaded is start threads and look at the processor. Whoever names another
        // library has it run with their rights, as any program that they start.
        let library = unsafe { Library::new(path) }.map_err(|error| whole(&error))?;
        // SAFETY: every BLAS has these functions with these arguments; integers of 64 bits have other names.
        let (single, double) = unsafe {
            let single = library.get::<Multiply<f32>>("sgemm_").map(|symbol| *symbol);
            let double = library.get::<Multiply<f64>>("dgemm_").map(|symbol| *symbol);
            let lacks =
                |error| format!("it has no sgemm_ and dgemm_ with integers of 32 bits ({})", whole(&error));
            (single.map_err(lacks)?, double.map_err(lacks)?)
        };
        let is_single_threaded = one_thread(&library);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let name = version(&library).unwrap_or(name);
        Ok(Self { name, single, double, is_single_threaded, _library: library })
    }

    /// `c = a * b` of square matrices, row after row.
    pub(crate) fn multiply<T: BlasNumber>(&self, n: usize, a: &[T], b: &[T], c: &mut [T]) {
        assert!([a.len(), b.len(), c.len()] == [n * n; 3]);
        let n = c_int::try_from(n).expect("sizes are bounded");
        let (as_is, one, zero) = (b'N' as c_char, T::ONE, T::default());
        // SAFETY: all three matrices have that many rows and columns. Fortran goes column by column, so that each is the
        // transpose of ours, and the product of transposes is the transpose of the product the other way round.
        unsafe {
            T::function(self)(
                &as_is,
                &as_is,
                &n,
                &n,
                &n,
                &one,
                b.as_ptr(),
                &n,
                a.as_ptr(),
                &n,
                &zero,
                c.as_mut_ptr(),
                &n,
                1,
                1,
            );
        }
    }
}

/// Tells the library to work with one thread; whether it has heard. The reference implementation has never more.
fn one_thread(library: &Library) -> bool {
    // SAFETY: the functions of the three that have one take a number of that size.
    unsafe {
        for name in ["openblas_set_num_threads", "MKL_Set_Num_Threads"] {
            if let Ok(set) = library.get::<unsafe extern "C" fn(c_int)>(name) {
                set(1);
                return true;
            }
        }
        if let Ok(set) = library.get::<unsafe extern "C" fn(i64)>("bli_thread_set_num_threads") {
            set(1);
            return true;
        }
    }
    false
}

/// What the library says of itself.
fn version(library: &Library) -> Option<String> {
    // SAFETY: a function of OpenBLAS without arguments, which returns a text that stays.
    let text = unsafe {
        let config = library.get::<unsafe extern "C" fn() -> *const c_char>("openblas_get_config").ok()?;
        let text = config();
        (!text.is_null()).then(|| std::ffi::CStr::from_ptr(text))?
    };
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ... SkylakeX MAX_THREADS=64": the version, and the processor it is for.
    let text = text.to_string_lossy();
    let words: Vec<&str> = text.split_whitespace().collect();
    let core = words.iter().rev().find(|word| !word.contains('=')).filter(|_| words.len() > 2);
    let version = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
    Some(core.map_or(version.clone(), |core| format!("{version} ({core})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_library_is_refused_by_name() {
        let choice = BlasChoice::File("no-such-library.so".into());
        let error = Blas::chosen(&choice).expect_err("there is none").to_string();
        assert!(error.contains("no-such-library.so") && error.contains("no BLAS"), "{error}");
        assert!(Blas::chosen(&BlasChoice::None).expect("nothing is loaded").is_none());
    }
}
