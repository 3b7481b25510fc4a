//! Names and memory of the GPUs that this process uses, as the driver knows them.

#![expect(unsafe_code, reason = "the driver is asked by the addresses of its functions")]

use std::ffi::{CStr, c_char, c_int};

use super::driver;
use super::library::as_function;

/// A GPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// Its number in this process, which hides some where `CUDA_VISIBLE_DEVICES` says so.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Its memory.
    pub memory_bytes: u64,
}

const MOST_OF_NAME: usize = 256;

/// What is known of devices by number. Only the driver that the program has loaded and begun to use is asked.
#[must_use]
pub fn devices(numbers: &[u32]) -> Vec<Device> {
    Driver::loaded()
        .map_or_else(Vec::new, |driver| numbers.iter().filter_map(|index| driver.device(*index)).collect())
}

struct Driver {
    get: unsafe extern "C" fn(*mut c_int, c_int) -> c_int,
    name: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int,
    memory: unsafe extern "C" fn(*mut usize, c_int) -> c_int,
}

impl Driver {
    fn loaded() -> Option<Self> {
        let library = driver::loaded()?;
        let find = |name: &CStr| {
            // SAFETY: the library is open, and the name ends with a zero.
            let found = unsafe { libc::dlsym(library.as_ptr(), name.as_ptr()) };
            (!found.is_null()).then_some(found)
        };
        let (get, name) = (find(c"cuDeviceGet")?, find(c"cuDeviceGetName")?);
        let memory = find(c"cuDeviceTotalMem_v2")?;
        // SAFETY: so the driver declares them.
        Some(unsafe { Self { get: as_function(get), name: as_function(name), memory: as_function(memory) } })
    }

    fn device(&self, index: u32) -> Option<Device> {
        let (mut handle, mut memory, mut name) = (0, 0, [0_u8; MOST_OF_NAME]);
        // SAFETY: each writes what it is given room for, and answers 0 where it did.
        let is_known = unsafe {
            (self.get)(&raw mut handle, c_int::try_from(index).ok()?) == 0
                && (self.name)(name.as_mut_ptr().cast(), MOST_OF_NAME as c_int, handle) == 0
                && (self.memory)(&raw mut memory, handle) == 0
        };
        let name = CStr::from_bytes_until_nul(&name).ok()?.to_string_lossy().into_owned();
        is_known.then_some(Device { index, name, memory_bytes: memory as u64 })
    }
}
