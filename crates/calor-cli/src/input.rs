//! Profiles from files, from standard input and from the store. What is read has a bound: a device or a pipe may never end.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read};
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, Result, anyhow, bail};
use calor_formats::Format;
use calor_model::Profile;

use crate::{convert, output, progress, store};

/// The most that is read: far above any profile, and what memory can be asked to hold.
const MOST_BYTES: u64 = 4 << 30;
/// So much of it tells what it is.
const BEGINNING_BYTES: u64 = 1 << 20;

/// Reads a profile of any format; `-` stands for standard input, and `store:latest` and the like for saved runs.
pub(crate) fn profile(path: &Path) -> Result<Profile> {
    if let Some(saved) = store::reference::profile(path) {
        return saved;
    }
    let is_standard_input = output::is_standard(path);
    let bytes = if is_standard_input { standard_input()? } else { file(path)? };
    let shown = if is_standard_input { "standard input".to_owned() } else { path.display().to_string() };
    progress::waited(&format!("decoding {shown}"), || decoded(&bytes))
        .with_context(|| format!("cannot read {shown}"))
}

fn decoded(bytes: &[u8]) -> Result<Profile> {
    if is_perf_data(bytes) {
        return perf_data(bytes);
    }
    calor_formats::read(bytes).map_err(|error| match error {
        // The command reads more than the library does.
        calor_formats::Error::UnknownFormat { found } => anyhow!(
            "not a profile: found {found}; formats read here are {}; record one with `calor record`, or try \
             `calor demo`",
            convert::readable_words()
        ),
        error => error.into(),
    })
}

/// Whether bytes are a file of `perf record`, of this kind of machine or another. It is no format of the library: its
/// stacks are still to be walked and its addresses to be named.
fn is_perf_data(bytes: &[u8]) -> bool {
    [b"PERFILE2", b"2ELIFREP", b"PERFFILE"].into_iter().any(|magic| bytes.starts_with(magic))
}

#[cfg(target_os = "linux")]
fn perf_data(bytes: &[u8]) -> Result<Profile> {
    Ok(calor_record::perf_data::read(bytes, &calor_record::perf_data::ReadOptions::default())?)
}

#[cfg(not(target_os = "linux"))]
fn perf_data(_: &[u8]) -> Result<Profile> {
    bail!("perf.data is read on Linux only: run `perf script` there and give its text instead")
}

fn standard_input() -> Result<Vec<u8>> {
    let input = std::io::stdin().lock();
    if input.is_terminal() {
        bail!("standard input is a terminal: pipe a profile into the command, or name a file");
    }
    progress::waited("reading standard input", || bounded(input, 0, MOST_BYTES))
        .context("cannot read standard input")
}

fn file(path: &Path) -> Result<Vec<u8>> {
    let shown = path.display();
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("{shown}: no such file; check the path, or give - to read from standard input");
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            bail!("{shown}: not allowed to read; ask for the permission (chmod +r) or copy the file");
        }
        open => open.with_context(|| format!("cannot open {shown}"))?,
    };
    let about = file.metadata().with_context(|| format!("cannot look at {shown}"))?;
    if about.is_dir() {
        bail!("{shown}: expected a profile, found a directory; name a file inside it");
    }
    // A device or a pipe does not say how much there is.
    let steps = usize::try_from(about.len()).ok().filter(|length| *length > 0);
    progress::shown(&format!("reading {shown}"), steps, |done| {
        bounded(Counted { input: file, done }, about.len(), MOST_BYTES)
    })
    .with_context(|| format!("cannot read {shown}"))
}

/// Counts the bytes that were read.
struct Counted<'c, R> {
    input: R,
    done: &'c AtomicUsize,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.done.fetch_add(read, Relaxed);
        Ok(read)
    }
}

/// Everything there is to read, if that is not more than `most`. Of what begins like no profile only the beginning
/// is returned: it is all that is needed to say so.
fn bounded(mut input: impl Read, expected: u64, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.by_ref().take(BEGINNING_BYTES).read_to_end(&mut bytes)?;
    let is_known = || Format::detect(&bytes).is_some() || is_perf_data(&bytes);
    if bytes.len() as u64 == BEGINNING_BYTES && !is_known() {
        return Ok(bytes);
    }
    if expected <= most {
        let rest = usize::try_from(expected)?.saturating_sub(bytes.len());
        bytes.try_reserve(rest).context("not enough memory for the whole of it")?;
        input.take(most + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    }
    if expected > most || bytes.len() as u64 > most {
        let limit = calor_analysis::quantity::bytes(most);
        bail!("more than {limit}, which no profile is: check that it is the right file");
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A profile's first bytes, and then zeros without end.
    fn endless() -> impl Read {
        calor_formats::native::MAGIC.chain(std::io::repeat(0))
    }

    #[test]
    fn input_that_does_not_end_is_read_up_to_the_bound() {
        let most = 2 * BEGINNING_BYTES;
        for expected in [0, most + 1] {
            let error = bounded(endless(), expected, most).unwrap_err();
            assert!(error.to_string().starts_with("more than 2.00 MiB"), "{error}");
        }
    }

    #[test]
    fn what_begins_like_no_profile_is_not_read_any_further() {
        let bytes = bounded(std::io::repeat(0), 0, MOST_BYTES).unwrap();
        assert_eq!(bytes.len() as u64, BEGINNING_BYTES);
    }

    #[test]
    fn input_of_exactly_the_bound_is_read_whole() {
        let most = BEGINNING_BYTES + 7;
        assert_eq!(bounded(endless().take(most), 0, most).unwrap().len() as u64, most);
        assert_eq!(bounded(&b"short"[..], 5, most).unwrap(), b"short");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_perf_are_told_by_their_content_and_read_like_any_profile() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/perf_data");
        for (name, n_samples) in [("frame-pointers.data", 23), ("pipe.data", 23)] {
            let profile = profile(&folder.join(name)).unwrap();
            assert_eq!(profile.samples.iter().map(|(_, weight)| weight.count).sum::<u64>(), n_samples);
        }
        let error = format!("{:#}", decoded(b"2ELIFREPxxxxxxxx").unwrap_err());
        assert!(error.contains("big-endian") && error.contains("perf script"), "{error}");
    }
}
