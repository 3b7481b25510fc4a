//! The data of a run: files that somebody names, or else what is made up.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use calor_analysis::quantity::counted;

use super::Corpus;
use crate::{Error, input};

/// Pieces that the sample of a large file is made of, spread evenly over it.
const PIECES: u64 = 16;

/// What is compressed, and what it is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its name in tables: a kind, or a file.
    pub name: String,
    /// The kind, if it was made up.
    pub corpus: Option<Corpus>,
    /// The bytes.
    pub data: Vec<u8>,
    /// The size of the file, where only a sample of it was read.
    pub sampled_from: Option<u64>,
}

impl Source {
    /// Made-up data of a kind.
    #[must_use]
    pub fn made(corpus: Corpus, seed: u64, length: usize) -> Self {
        let (name, data) = (corpus.name().to_owned(), corpus.make(seed, length));
        Self { name, corpus: Some(corpus), data, sampled_from: None }
    }

    /// A file, or a sample of it where it is larger than `most` bytes: pieces spread evenly over it.
    ///
    /// # Errors
    ///
    /// It cannot be read, or there is nothing in it.
    pub fn read(path: &Path, most: usize) -> Result<Self, Error> {
        let told = |cause: std::io::Error| input::unread(path, &cause, INSTEAD);
        let mut file = input::open(path, INSTEAD)?;
        let length = file.metadata().map_err(told)?.len();
        let mut data = Vec::new();
        let mut sampled_from = None;
        if length > most as u64 {
            sampled_from = Some(length);
            sample(&mut file, length, most, &mut data).map_err(told)?;
        } else {
            // Files of the kernel do not tell how long they are.
            file.take(most as u64).read_to_end(&mut data).map_err(told)?;
        }
        if data.len() < LEAST {
            let problem = match data.len() {
                0 => "is empty: there is nothing to compress".to_owned(),
                n => format!(
                    "has {}, of which nothing can be told: name files of {LEAST} bytes or more",
                    counted(n as u64, "byte")
                ),
            };
            return Err(Error::File { path: path.to_owned(), problem });
        }
        Ok(Self { name: name(path), corpus: None, data, sampled_from })
    }

    /// All of some files; names that are the same are told apart by their paths.
    ///
    /// # Errors
    ///
    /// As of [`read`](Self::read), of the first that cannot be read.
    pub fn read_all(paths: &[PathBuf], most: usize) -> Result<Vec<Self>, Error> {
        refuse_twice(paths)?;
        let mut sources = paths.iter().map(|path| Self::read(path, most)).collect::<Result<Vec<_>, _>>()?;
        let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
        for (source, path) in sources.iter_mut().zip(paths) {
            if names.iter().filter(|name| **name == source.name).count() > 1 {
                source.name = path.display().to_string();
            }
        }
        Ok(sources)
    }
}

const INSTEAD: &str = "name files to compress, such as DIR/*, or none for made-up data";
/// Below it, the head of a compressed block is most of it.
const LEAST: usize = 64;

/// A file that is named twice would be measured twice under one name.
fn refuse_twice(paths: &[PathBuf]) -> Result<(), Error> {
    let real: Vec<PathBuf> = paths.iter().map(|path| path.canonicalize().unwrap_or(path.clone())).collect();
    let twice = real.iter().enumerate().find(|(n, path)| real[..*n].contains(path));
    match twice {
        Some((n, _)) => Err(Error::File {
            path: paths[n].clone(),
            problem: "is named twice: name each file once".to_owned(),
        }),
        None => Ok(()),
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn sample(file: &mut File, length: u64, most: usize, data: &mut Vec<u8>) -> std::io::Result<()> {
    let piece = (most as u64 / PIECES).max(1);
    for at in 0..PIECES.min(most as u64) {
        file.seek(SeekFrom::Start((length - piece) / (PIECES - 1) * at))?;
        file.by_ref().take(piece).read_to_end(data)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, content: &[u8]) -> (PathBuf, PathBuf) {
        let folder = std::env::temp_dir().join(format!("calor-source-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    #[test]
    fn a_small_file_is_read_whole_and_a_large_one_is_sampled_from_end_to_end() {
        let content: Vec<u8> = (0..100_000_u32).map(|n| (n / 1_000) as u8).collect();
        let (folder, path) = file("whole", &content);
        let whole = Source::read(&path, 100_000).unwrap();
        assert!(whole.data == content && whole.sampled_from.is_none() && whole.name == "whole");
        let part = Source::read(&path, 16_000).unwrap();
        assert_eq!((part.data.len(), part.sampled_from), (16_000, Some(100_000)));
        assert_eq!((part.data[0], part.data[15_999]), (0, 99));
        assert!(part.data.is_sorted());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_cannot_be_compressed_is_told_with_what_to_do() {
        let (folder, path) = file("empty", b"");
        let check = |path: &Path, expect: &str| {
            let error = Source::read(path, 1_000).unwrap_err().to_string();
            assert!(error.contains(expect) && error.starts_with(path.to_str().unwrap()), "{error}");
        };
        check(&path, "is empty");
        check(&folder, "is a directory: name files to compress, such as DIR/*");
        check(&folder.join("missing"), "no such file");
        std::fs::write(&path, b"ab").unwrap();
        check(&path, "has 2 bytes, of which nothing can be told");
        std::fs::write(&path, [7; 100]).unwrap();
        let twice = Source::read_all(&[path.clone(), folder.join("./empty")], 1_000).unwrap_err().to_string();
        assert!(twice.contains("is named twice: name each file once"), "{twice}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_of_the_same_name_are_told_apart() {
        let (one, two) = (file("same", &[1; 100]), file("other", &[2; 100]));
        let twin = two.0.join("same");
        std::fs::write(&twin, [3; 100]).unwrap();
        let sources = Source::read_all(&[one.1, two.1, twin.clone()], 1_000).unwrap();
        assert_eq!(sources[1].name, "other");
        assert_eq!(sources[2].name, twin.display().to_string());
        assert_ne!(sources[0].name, sources[2].name);
        std::fs::remove_dir_all(one.0).unwrap();
        std::fs::remove_dir_all(two.0).unwrap();
    }
}
