//! Records of what a GPU did, as CUPTI writes them. There are a dozen versions of each, all of which begin alike: what is read
//! here lies in the same place in the headers of CUDA 11.8, 12.1, 12.4, 12.8 and 13.4. What cannot be so is no record.

/// Kinds of records, as CUPTI numbers them.
pub(crate) const COPY: u32 = 1;
pub(crate) const FILL: u32 = 2;
/// A kernel that may run beside others.
pub(crate) const KERNEL: u32 = 10;
/// A copy between two devices.
pub(crate) const COPY_BETWEEN: u32 = 22;

/// Bytes of a record that are read, of each kind.
const KERNEL_BYTES: usize = 112;
const COPY_BYTES: usize = 48;
const BETWEEN_BYTES: usize = 64;
/// A device with a larger number is no device.
const MAX_DEVICES: u32 = 1_024;
/// What runs longer than this many nanoseconds (12 days) has times that are none.
const MOST_NANOS: u64 = 1 << 50;
/// Memory of the host that the system may move, so that what is copied from there goes through other memory first; and memory
/// that it may not.
const PAGEABLE: u8 = 1;
const PINNED: u8 = 2;
/// The kind of copies inside of the host's memory.
const HOST_TO_HOST: u8 = 9;

/// What a record tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record<'a> {
    /// What a GPU did.
    Done(Activity<'a>),
    /// It was not done when the record was handed over.
    Unfinished,
    /// Memory of the host was copied to such, and no GPU had a part in it.
    OnHost,
    /// It cannot be so, or it has no times.
    Unreadable,
}

/// Something that a GPU did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity<'a> {
    /// It ran a kernel.
    Kernel(Kernel<'a>),
    /// It copied or filled memory.
    Copy(Copy),
}

impl Activity<'_> {
    fn device(&self) -> u32 {
        match self {
            Self::Kernel(kernel) => kernel.device,
            Self::Copy(copy) => copy.device,
        }
    }
}

/// A kernel that ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel<'a> {
    /// Its name, as the compiler made it.
    pub name: &'a [u8],
    /// Where it ran.
    pub device: u32,
    /// How long it ran.
    pub nanos: u64,
}

/// Memory that was copied or filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy {
    /// Which way.
    pub way: Way,
    /// Whether the side of the host may be moved by the system; `None` where the host has no side.
    pub is_pageable: Option<bool>,
    /// The device.
    pub device: u32,
    /// How much.
    pub bytes: u64,
    /// How long it took.
    pub nanos: u64,
}

/// Which way a copy went.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// From the host to a device.
    ToDevice,
    /// From a device to the host.
    ToHost,
    /// Inside of a device or between two.
    Inside,
    /// Nowhere: memory was filled.
    Fill,
}

/// What a record tells. `is_last` says that nothing is waited for any more: what has not even begun then is not done either,
/// while otherwise a record without a begin and an end is one whose times were lost.
///
/// `name` finds the text at an address.
pub fn read<'a>(record: &[u8], is_last: bool, name: impl FnOnce(u64) -> Option<&'a [u8]>) -> Record<'a> {
    let (Some(start), Some(end)) = (long(record, 16), long(record, 24)) else { return Record::Unreadable };
    let is_copy = word(record, 0) == Some(COPY);
    if is_copy && record.get(4) == Some(&HOST_TO_HOST) {
        return Record::OnHost;
    }
    if end == 0 && (start > 0 || is_last) {
        return Record::Unfinished;
    }
    done(record, name).map_or(Record::Unreadable, Record::Done)
}

/// The number of the call that asked for it.
pub fn launch(record: &[u8]) -> Option<u32> {
    match word(record, 0)? {
        KERNEL => word(record, 92),
        COPY | FILL => word(record, 44),
        COPY_BETWEEN => word(record, 60),
        _ => None,
    }
}

fn done<'a>(record: &[u8], name: impl FnOnce(u64) -> Option<&'a [u8]>) -> Option<Activity<'a>> {
    let kind = word(record, 0)?;
    let activity = match kind {
        COPY_BETWEEN => {
            let record = record.get(..BETWEEN_BYTES)?;
            let (bytes, nanos, device) = (long(record, 8)?, nanos(record)?, word(record, 32)?);
            Activity::Copy(Copy { way: Way::Inside, is_pageable: None, device, bytes, nanos })
        }
        KERNEL => {
            let record = record.get(..KERNEL_BYTES)?;
            let (device, nanos) = (word(record, 40)?, nanos(record)?);
            Activity::Kernel(Kernel { name: name(long(record, 104)?)?, device, nanos })
        }
        COPY | FILL => {
            let record = record.get(..COPY_BYTES)?;
            let (way, host) =
                if kind == FILL { (Way::Fill, None) } else { way(record[4], record[5], record[6]) };
            let (bytes, nanos, device) = (long(record, 8)?, nanos(record)?, word(record, 32)?);
            let is_pageable = match host {
                Some(PAGEABLE) => Some(true),
                Some(PINNED) => Some(false),
                _ => None,
            };
            Activity::Copy(Copy { way, is_pageable, device, bytes, nanos })
        }
        _ => return None,
    };
    (activity.device() < MAX_DEVICES).then_some(activity)
}

/// Which way a copy of a kind goes, and which memory of the host is at one end.
fn way(kind: u8, from: u8, to: u8) -> (Way, Option<u8>) {
    match kind {
        // To a device, and to an array there.
        1 | 3 => (Way::ToDevice, Some(from)),
        2 | 4 => (Way::ToHost, Some(to)),
        _ => (Way::Inside, None),
    }
}

/// How long it took, where both ends are known and in order.
fn nanos(record: &[u8]) -> Option<u64> {
    let (start, end) = (long(record, 16)?, long(record, 24)?);
    end.checked_sub(start).filter(|nanos| start > 0 && *nanos < MOST_NANOS)
}

fn word(record: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(record.get(at..at + 4)?.try_into().ok()?))
}

fn long(record: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(record.get(at..at + 8)?.try_into().ok()?))
}

/// How many bytes a record of a kind has at least; `None` where it is not looked at.
pub fn least_bytes(kind: u32) -> Option<usize> {
    match kind {
        KERNEL => Some(KERNEL_BYTES),
        COPY | FILL => Some(COPY_BYTES),
        COPY_BETWEEN => Some(BETWEEN_BYTES),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, words: &[(usize, u32)], longs: &[(usize, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; 200];
        bytes[..4].copy_from_slice(&kind.to_ne_bytes());
        for (at, value) in words {
            bytes[*at..at + 4].copy_from_slice(&value.to_ne_bytes());
        }
        for (at, value) in longs {
            bytes[*at..at + 8].copy_from_slice(&value.to_ne_bytes());
        }
        bytes
    }

    fn read_at(record: &[u8], is_last: bool) -> Record<'static> {
        read(record, is_last, |address| (address == 77).then_some(b"gemm".as_slice()))
    }

    fn activity(record: &[u8]) -> Option<Activity<'static>> {
        match read_at(record, false) {
            Record::Done(activity) => Some(activity),
            _ => None,
        }
    }

    #[test]
    fn a_kernel_has_its_name_device_launch_and_time() {
        let bytes = record(KERNEL, &[(40, 1), (92, 9)], &[(16, 1_000), (24, 1_250), (104, 77)]);
        let kernel = Kernel { name: b"gemm", device: 1, nanos: 250 };
        assert_eq!((activity(&bytes), launch(&bytes)), (Some(Activity::Kernel(kernel)), Some(9)));
    }

    #[test]
    fn copies_know_which_way_they_go_and_whether_the_host_may_move_the_memory() {
        for (kind, from, to, way, is_pageable) in [
            (1, 1, 3, Way::ToDevice, Some(true)),
            (1, 2, 3, Way::ToDevice, Some(false)),
            (2, 3, 1, Way::ToHost, Some(true)),
            // Memory that both have, and memory of which nothing is known.
            (1, 5, 3, Way::ToDevice, None),
            (1, 0, 3, Way::ToDevice, None),
            (8, 3, 3, Way::Inside, None),
        ] {
            let mut bytes = record(COPY, &[(32, 0), (44, 5)], &[(8, 4_096), (16, 10), (24, 30)]);
            (bytes[4], bytes[5], bytes[6]) = (kind, from, to);
            let copy = Copy { way, is_pageable, device: 0, bytes: 4_096, nanos: 20 };
            assert_eq!((activity(&bytes), launch(&bytes)), (Some(Activity::Copy(copy)), Some(5)));
        }
        let fill = record(FILL, &[(32, 2), (44, 6)], &[(8, 64), (16, 10), (24, 11)]);
        let copy = Copy { way: Way::Fill, is_pageable: None, device: 2, bytes: 64, nanos: 1 };
        assert_eq!((activity(&fill), launch(&fill)), (Some(Activity::Copy(copy)), Some(6)));
    }

    #[test]
    fn no_gpu_has_a_part_in_copies_inside_of_the_host() {
        let mut bytes = record(COPY, &[(44, 5)], &[(8, 4_096), (16, 10), (24, 30)]);
        bytes[4] = HOST_TO_HOST;
        assert_eq!(read_at(&bytes, false), Record::OnHost);
    }

    #[test]
    fn copies_between_devices_have_their_launch_elsewhere() {
        let words = [(32, 1), (44, 7), (60, 9)];
        let bytes = record(COPY_BETWEEN, &words, &[(8, 4_096), (16, 10), (24, 30)]);
        let copy = Copy { way: Way::Inside, is_pageable: None, device: 1, bytes: 4_096, nanos: 20 };
        assert_eq!((activity(&bytes), launch(&bytes)), (Some(Activity::Copy(copy)), Some(9)));
    }

    #[test]
    fn what_is_not_done_has_no_end() {
        let times = |start, end| record(KERNEL, &[], &[(16, start), (24, end), (104, 77)]);
        assert_eq!(read_at(&times(10, 0), false), Record::Unfinished);
        assert!(matches!(read_at(&times(10, 11), true), Record::Done(_)));
        // Without either end the times are lost, unless nothing is waited for: then it has not begun.
        assert_eq!(read_at(&times(0, 0), false), Record::Unreadable);
        assert_eq!(read_at(&times(0, 0), true), Record::Unfinished);
    }

    #[test]
    fn what_cannot_be_so_is_no_record() {
        let good = |start, end, device, name| {
            record(KERNEL, &[(40, device), (92, 9)], &[(16, start), (24, end), (104, name)])
        };
        assert!(activity(&good(10, 20, 0, 77)).is_some());
        assert!(activity(&good(20, 10, 0, 77)).is_none(), "it ends before it begins");
        assert!(activity(&good(0, 0, 0, 77)).is_none(), "its times were lost");
        assert!(activity(&good(10, u64::MAX, 0, 77)).is_none(), "it runs for centuries");
        assert!(activity(&good(10, 20, 4_000_000, 77)).is_none(), "there is no such device");
        assert!(activity(&good(10, 20, 0, 78)).is_none(), "its name is nowhere");
        assert!(activity(&record(5, &[], &[])).is_none(), "it is of another kind");
        (0..KERNEL_BYTES)
            .for_each(|cut| assert!(activity(&good(10, 20, 0, 77)[..cut]).is_none(), "cut at {cut}"));
    }
}
