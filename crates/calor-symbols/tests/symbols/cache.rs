//! What one symbolizer found, another finds again in the folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use calor_symbols::image::Image;
use calor_symbols::{Symbol, SymbolOptions, Symbolizer};

use crate::programs::{Workshop, function, functions, open};

/// One that keeps everything, however fast it was found.
fn options(folder: &Path) -> SymbolOptions {
    SymbolOptions { cache: Some(folder.to_owned()), cache_from: Duration::ZERO, ..SymbolOptions::default() }
}

/// A program, its addresses, and a folder for the cache.
struct Bench {
    workshop: Workshop,
    image: Arc<Image>,
    addresses: Vec<u64>,
}

impl Bench {
    fn new() -> Self {
        let workshop = Workshop::new();
        let path = workshop.chain(&["-g"]);
        Self { image: open(&path), addresses: functions(&path), workshop }
    }

    fn folder(&self) -> PathBuf {
        self.workshop.path("cache")
    }

    fn resolve(&self) -> (Symbolizer, Vec<Vec<Symbol>>) {
        let mut symbolizer = Symbolizer::new(options(&self.folder()));
        let found = symbolizer.resolve(&self.image, &self.addresses);
        (symbolizer, found)
    }

    fn fill(&self) -> Vec<Vec<Symbol>> {
        let (mut symbolizer, found) = self.resolve();
        symbolizer.save().unwrap();
        found
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("symbols")).unwrap().flatten().map(|entry| entry.path()).collect();
    files.sort_by_key(|path| (path.extension().is_none_or(|it| it != "symbols"), path.clone()));
    files
}

#[test]
fn what_is_read_back_is_what_was_found() {
    let bench = Bench::new();
    let found = bench.fill();
    assert!(found.iter().any(|symbols| symbols.len() > 2));
    let before: Vec<_> = files(&bench.folder()).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(before.len(), 1);
    assert_eq!(bench.fill(), found);
    let after: Vec<_> = files(&bench.folder()).iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(before == after, "what was known was not learned again");
}

#[test]
fn what_is_in_the_cache_needs_no_debug_information() {
    let bench = Bench::new();
    let found = bench.fill();
    // The same build id and size, and nothing left in the debug information.
    let mut bytes = bench.image.bytes().to_vec();
    let (_, information) = bench.image.section(".debug_info").unwrap();
    let at = information.as_ptr().addr() - bench.image.bytes().as_ptr().addr();
    bytes[at..at + information.len()].fill(0);
    fs::write(bench.workshop.path("emptied"), bytes).unwrap();
    let emptied = open(&bench.workshop.path("emptied"));
    let again = Symbolizer::new(options(&bench.folder())).resolve(&emptied, &bench.addresses);
    assert_eq!(again, found);
    let without = crate::programs::symbolizer().resolve(&emptied, &bench.addresses);
    assert_ne!(without, found);
}

#[test]
fn one_address_is_enough_to_know_its_whole_function() {
    let bench = Bench::new();
    let outer = function(bench.image.file().unwrap(), "outer");
    let mut first = Symbolizer::new(options(&bench.folder()));
    first.resolve(&bench.image, &outer[..1]);
    first.save().unwrap();
    let before: Vec<_> = files(&bench.folder()).iter().map(|path| fs::read(path).unwrap()).collect();
    let mut second = Symbolizer::new(options(&bench.folder()));
    let found = second.resolve(&bench.image, &outer);
    second.save().unwrap();
    let after: Vec<_> = files(&bench.folder()).iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(before == after, "there was nothing left to learn");
    assert_eq!(found, crate::programs::resolve(bench.image.file().unwrap(), &outer));
}

#[test]
fn debug_information_that_appears_later_is_used() {
    let bench = Bench::new();
    let workshop = &bench.workshop;
    workshop.run("objcopy", &["--only-keep-debug", "chain", "chain.dbg"]);
    workshop.run("strip", &["chain"]);
    workshop.run("objcopy", &["--add-gnu-debuglink=chain.dbg", "chain"]);
    fs::rename(workshop.path("chain.dbg"), workshop.path("away")).unwrap();
    let stripped = open(&workshop.path("chain"));
    let mut first = Symbolizer::new(options(&bench.folder()));
    first.resolve(&stripped, &bench.addresses);
    first.save().unwrap();
    fs::rename(workshop.path("away"), workshop.path("chain.dbg")).unwrap();
    let found = Symbolizer::new(options(&bench.folder())).resolve(&stripped, &bench.addresses);
    assert!(found.iter().any(|symbols| symbols.len() == 3));
}

#[test]
fn a_damaged_file_is_ignored_and_replaced() {
    let bench = Bench::new();
    let found = bench.fill();
    let file = files(&bench.folder()).remove(0);
    let whole = fs::read(&file).unwrap();
    let mut damaged: Vec<Vec<u8>> =
        (0..whole.len()).step_by(7).map(|length| whole[..length].to_vec()).collect();
    for place in (0..whole.len()).step_by(11) {
        let mut flipped = whole.clone();
        flipped[place] ^= 1 << (place % 8);
        damaged.push(flipped);
    }
    for bytes in damaged {
        fs::write(&file, &bytes).unwrap();
        assert_eq!(bench.fill(), found);
        assert_eq!(fs::read(&file).unwrap(), whole, "it was written anew");
    }
}

#[test]
fn many_at_once_leave_a_whole_file() {
    let bench = Bench::new();
    let found = bench.fill();
    let file = files(&bench.folder()).remove(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    fs::remove_file(&file).ok();
                    assert_eq!(bench.fill(), found);
                }
            });
        }
    });
    bench.fill();
    assert_eq!(files(&bench.folder()).len(), 1, "nothing unfinished is left");
    assert_eq!(bench.resolve().1, found);
}

#[test]
fn the_folder_stays_within_its_bound_and_the_oldest_goes() {
    let bench = Bench::new();
    bench.fill();
    let own = files(&bench.folder()).remove(0);
    let length = fs::metadata(&own).unwrap().len();
    let age = |path: &Path, days: u64| {
        let long_ago = SystemTime::now() - Duration::from_secs(days * 86_400);
        fs::File::options().append(true).open(path).unwrap().set_modified(long_ago).unwrap();
    };
    let old = own.with_file_name("00000000000000000000.symbols");
    fs::write(&old, vec![0; 1_000]).unwrap();
    age(&old, 2);
    let abandoned = own.with_file_name("00000000000000000000.1-1.unfinished");
    fs::write(&abandoned, "").unwrap();
    age(&abandoned, 1);
    fs::remove_file(&own).unwrap();
    let mut bounded =
        Symbolizer::new(SymbolOptions { cache_bytes: length + 500, ..options(&bench.folder()) });
    bounded.resolve(&bench.image, &bench.addresses);
    bounded.save().unwrap();
    assert_eq!(files(&bench.folder()), [own]);
}

#[test]
fn what_is_read_counts_as_used() {
    let bench = Bench::new();
    bench.fill();
    let own = files(&bench.folder()).remove(0);
    let long_ago = SystemTime::now() - Duration::from_secs(86_400);
    fs::File::options().append(true).open(&own).unwrap().set_modified(long_ago).unwrap();
    bench.resolve();
    let age = fs::metadata(&own).unwrap().modified().unwrap().elapsed().unwrap_or_default();
    assert!(age < Duration::from_secs(3_600), "{age:?}");
}

#[test]
fn what_was_cheap_is_not_kept() {
    let bench = Bench::new();
    let dear = Duration::from_secs(3_600);
    let mut symbolizer = Symbolizer::new(SymbolOptions { cache_from: dear, ..options(&bench.folder()) });
    symbolizer.resolve(&bench.image, &bench.addresses);
    symbolizer.save().unwrap();
    assert!(!bench.folder().exists());
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_of_saving_alone() {
    let bench = Bench::new();
    fs::write(bench.folder(), "").unwrap();
    let (mut symbolizer, found) = bench.resolve();
    assert!(found.iter().any(|symbols| symbols.len() == 3));
    assert!(symbolizer.save().is_err());
}

#[test]
fn what_is_found_later_is_put_behind_and_gathered_in_the_end() {
    let bench = Bench::new();
    let all = Symbolizer::new(SymbolOptions::default()).resolve(&bench.image, &bench.addresses);
    let size = || fs::metadata(&files(&bench.folder())[0]).unwrap().len();
    let mut sizes = Vec::new();
    // Again and again, each time with some function that was not asked for before, until there is none.
    for n_asked in 1..=bench.addresses.len() {
        let mut symbolizer = Symbolizer::new(options(&bench.folder()));
        let found = symbolizer.resolve(&bench.image, &bench.addresses[..n_asked]);
        assert_eq!(found, all[..n_asked]);
        symbolizer.save().unwrap();
        sizes.push(size());
    }
    assert!(sizes.is_sorted() && sizes.first() < sizes.last(), "{sizes:?}");
    // One that was torn off when it was written ends the file, and the next one writes it anew.
    let path = &files(&bench.folder())[0];
    let whole = fs::read(path).unwrap();
    fs::write(path, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(bench.fill(), all);
    assert_eq!(bench.resolve().1, all);
}
