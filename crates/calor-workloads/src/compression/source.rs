//! The data of a run: files that somebody names, or else what is made up.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::Corpus;
use crate::Error;

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
        let refuse = |problem: &str| Error::File { path: path.to_owned(), problem: problem.to_owned() };
        let told = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => refuse("no such file; name files to compress, or none for made-up data"),
            ErrorKind::PermissionDenied => {
                refuse("may not be read; ask for the permission, or name another file")
            }
            ErrorKind::IsADirectory => refuse(DIRECTORY),
            _ => refuse(&format!("cannot be read ({error})")),
        };
        let mut file = File::open(path).map_err(told)?;
        let about = file.metadata().map_err(told)?;
        if about.is_dir() {
            return Err(refuse(DIRECTORY));
        }
        let length = if about.is_file() { about.len() } else { 0 };
        let mut data = Vec::new();
        let mut sampled_from = None;
        if length > most as u64 {
            sampled_from = Some(length);
            sample(&mut file, length, most, &mut data).map_err(told)?;
        } else {
            // Pipes and files of the kernel do not tell how long they are.
            file.take(most as u64).read_to_end(&mut data).map_err(told)?;
        }
        if data.is_empty() {
            return Err(refuse("is empty: there is nothing to compress"));
        }
        Ok(Self { name: name(path), corpus: None, data, sampled_from })
    }

    /// All of some files; names that are the same are told apart by their paths.
    ///
    /// # Errors
    ///
    /// As of [`read`](Self::read), of the first that cannot be read.
    pub fn read_all(paths: &[PathBuf], most: usize) -> Result<Vec<Self>, Error> {
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

const DIRECTORY: &str = "is a directory; name the files in it, such as DIR/*";

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
        check(&folder, "is a directory; name the files in it");
        check(&folder.join("missing"), "no such file");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_of_the_same_name_are_told_apart() {
        let (one, two) = (file("same", b"a"), file("other", b"b"));
        let twin = two.0.join("same");
        std::fs::write(&twin, b"c").unwrap();
        let sources = Source::read_all(&[one.1, two.1, twin.clone()], 10).unwrap();
        assert_eq!(sources[1].name, "other");
        assert_eq!(sources[2].name, twin.display().to_string());
        assert_ne!(sources[0].name, sources[2].name);
        std::fs::remove_dir_all(one.0).unwrap();
        std::fs::remove_dir_all(two.0).unwrap();
    }
}
