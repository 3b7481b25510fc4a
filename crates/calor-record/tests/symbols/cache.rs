//! What one symbolizer found, another finds again in the folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use calor_record::image::Image;
use calor_record::symbols::{Symbol, SymbolOptions, Symbolizer};

use crate::programs::{functions, open};

fn symbolizer(folder: &Path) -> Symbolizer {
    Symbolizer::new(SymbolOptions { cache: Some(folder.to_owned()), ..SymbolOptions::default() })
}

/// This very test: large enough to be worth keeping.
fn this_program() -> (Arc<Image>, Vec<u64>) {
    let path = std::env::current_exe().unwrap();
    let addresses = functions(&path);
    (open(&path), addresses.into_iter().step_by(9_973).collect())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("symbols")).unwrap().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn fill(folder: &Path) -> Vec<Vec<Symbol>> {
    let (image, addresses) = this_program();
    let mut first = symbolizer(folder);
    let found = first.resolve(&image, &addresses);
    first.save().unwrap();
    found
}

#[test]
fn what_is_read_back_is_what_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let found = fill(folder.path());
    assert!(found.iter().any(|symbols| symbols.len() > 1));
    let before: Vec<_> = files(folder.path()).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(before.len(), 1);
    let (image, addresses) = this_program();
    let mut second = symbolizer(folder.path());
    assert_eq!(second.resolve(&image, &addresses), found);
    second.save().unwrap();
    let after: Vec<_> = files(folder.path()).iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(before == after, "what was known was not learned again");
}

#[test]
fn other_addresses_of_known_functions_and_unknown_ones_are_right_with_and_without_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = std::env::current_exe().unwrap();
    let others: Vec<u64> = functions(&path).into_iter().skip(3).step_by(10_007).collect();
    let with = symbolizer(folder.path()).resolve(&open(&path), &others);
    let without = crate::programs::symbolizer().resolve(&open(&path), &others);
    for ((address, with), without) in others.iter().zip(&with).zip(&without) {
        assert_eq!(with, without, "at {address:#x}");
    }
}

#[test]
fn a_damaged_file_is_ignored_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let found = fill(folder.path());
    let file = files(folder.path()).remove(0);
    let whole = fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let mut newer = whole.clone();
    newer[8] = 255;
    for damaged in [&flipped[..], &newer, &whole[..whole.len() - 1], &whole[..20], b"", b"calorsym"] {
        fs::write(&file, damaged).unwrap();
        let (image, addresses) = this_program();
        let mut next = symbolizer(folder.path());
        assert_eq!(next.resolve(&image, &addresses), found);
        next.save().unwrap();
        assert_eq!(fs::read(&file).unwrap().len(), whole.len(), "it was written anew");
    }
}

#[test]
fn many_at_once_leave_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| fill(folder.path()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.iter().all(|other| other == &found[0]));
    assert_eq!(files(folder.path()).len(), 1, "nothing unfinished is left");
    let (image, addresses) = this_program();
    assert_eq!(symbolizer(folder.path()).resolve(&image, &addresses), found[0]);
}

#[test]
fn the_folder_stays_within_its_bound_and_the_oldest_goes() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let own = files(folder.path()).remove(0);
    let length = fs::metadata(&own).unwrap().len();
    let old = own.with_file_name("00000000000000000000.symbols");
    fs::write(&old, vec![0; 1_000]).unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(86_400);
    fs::File::options().append(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    fs::remove_file(&own).unwrap();
    let (image, addresses) = this_program();
    let mut bounded = Symbolizer::new(SymbolOptions {
        cache: Some(folder.path().to_owned()),
        cache_bytes: length + 500,
        ..SymbolOptions::default()
    });
    bounded.resolve(&image, &addresses);
    bounded.save().unwrap();
    assert_eq!(files(folder.path()), [own]);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_of_saving_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let (image, addresses) = this_program();
    let mut symbolizer = symbolizer(&file);
    assert!(!symbolizer.resolve(&image, &addresses)[0].is_empty());
    assert!(symbolizer.save().is_err());
}
