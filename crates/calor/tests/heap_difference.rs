//! Two looks at a heap of which samples are kept: how far their difference may be off.

use std::hint::black_box;

#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::sampled(std::alloc::System, 16 << 10);

#[inline(never)]
fn held(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|_| black_box(vec![1; 1000])).collect()
}

#[test]
fn a_difference_of_samples_has_the_error_of_what_one_look_holds_alone() {
    let early = held(20_000);
    let before = calor::heap::snapshot().expect("the allocator is installed");
    let late = held(2_000);
    let after = calor::heap::snapshot().expect("the allocator is installed");
    let change = calor::heap::diff(&before, &after);
    let row = change
        .changes
        .iter()
        .find(|change| after.path_names(change.stack).iter().any(|name| name.ends_with("held")))
        .expect("samples are much nearer to each other than what came");
    // Of 2,000 blocks of 1,000 bytes one in 16.9 is sampled and stands for 16.9: that is a deviation of 179,000 bytes. Were
    // the 20,000 earlier ones in it, it would be 590,000.
    let deviation = row.variance.sqrt();
    assert!((120_000.0..250_000.0).contains(&deviation), "{deviation}");
    let off = (row.delta_bytes() - 2_000_000).unsigned_abs() as f64;
    assert!(off < 6.0 * deviation, "{off} bytes off, deviation {deviation}");
    assert!(row.interval().is_some() && change.interval().is_some());
    drop((early, late));
}

#[test]
fn a_look_is_saved_and_read_again() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let path = folder.path().join("heap.calor");
    let kept = black_box(vec![vec![1_u8; 100_000]; 50]);
    let profile = calor::heap::snapshot().expect("the allocator is installed");
    calor::save(&profile, &path).expect("the folder is there");
    let bytes = std::fs::read(&path).expect("it was saved");
    let read = calor_formats::native::read(&bytes).expect("it is whole");
    assert_eq!((read.heap.len(), read.heap.summary), (profile.heap.len(), profile.heap.summary));
    let error = calor::save(&profile, folder.path().join("missing/heap.calor")).expect_err("no such folder");
    assert!(error.to_string().contains("missing/heap.calor"), "{error}");
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("it is there").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    drop(kept);
}
