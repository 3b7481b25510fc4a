//! Prints what a region holds: for looking at one by hand.

use std::os::unix::fs::FileExt;

fn main() {
    for path in std::env::args().skip(1) {
        let file = std::fs::File::open(&path).expect("the file can be opened");
        let word = |offset: u64| {
            let mut bytes = [0; 8];
            file.read_exact_at(&mut bytes, offset).ok().map(|()| u64::from_ne_bytes(bytes))
        };
        match calor_heap::Image::read(&word) {
            Ok(image) => println!("{image:#?}"),
            Err(error) => println!("{path}: {error}"),
        }
    }
}
