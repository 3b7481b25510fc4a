//! The profile that a report carries out of sight, so that a report that was kept can be read like the profile it
//! came from. A page has to open in a browser and a file has to be shown by a forge, so there is a bound: what can be
//! missed most easily goes first, and the carried profile says in its own warnings what it lost.

mod detail;
mod spans;

use calor_formats::{embedded, native};
use calor_model::{Profile, Prune, Warning};

pub(crate) use spans::Longest;

/// Shares of rows, the shortest first, that lose their histograms, one after the other until the rest fits.
const WITHOUT_HISTOGRAM: [f64; 4] = [0.5, 0.75, 0.9, 1.0];
/// Shares of the whole below which call paths go into their callers.
const SMALLEST_SHARES: [f64; 16] =
    [1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1];

/// The lines to carry, of at most about `most_bytes`; `None` for a profile that cannot be made so small.
pub(crate) fn lines(profile: &Profile, most_bytes: usize) -> Option<String> {
    // Four letters stand for three bytes, and lines have ends.
    let most_bytes = most_bytes / 4 * 3 / 121 * 120;
    fitting(profile, most_bytes).map(|file| embedded::lines(&file))
}

/// The profile as a file that is small enough, with as much detail as fits.
fn fitting(profile: &Profile, most_bytes: usize) -> Option<Vec<u8>> {
    let whole = file(profile)?;
    if whole.len() <= most_bytes {
        return Some(whole);
    }
    let bare = spans::keep_longest(profile, 0);
    let bare_file = file(&bare)?;
    if bare_file.len() <= most_bytes {
        return Some(with_spans(profile, whole.len(), bare_file, most_bytes));
    }
    let mut rest = detail::without_instants(bare);
    for share in WITHOUT_HISTOGRAM {
        if let Some(file) = file(&rest).filter(|file| file.len() <= most_bytes) {
            return Some(file);
        }
        rest = detail::without_histograms(rest, share);
    }
    let fits = |file: &Vec<u8>| file.len() <= most_bytes;
    file(&rest).filter(fits).or_else(|| {
        // The larger the share, the smaller the file: half of the steps are never tried.
        let step = SMALLEST_SHARES
            .partition_point(|share| !file(&pruned(&rest, *share)).is_some_and(|file| fits(&file)));
        file(&pruned(&rest, *SMALLEST_SHARES.get(step)?)).filter(fits)
    })
}

/// As many of the longest spans as fit beside what has none.
fn with_spans(profile: &Profile, whole: usize, bare: Vec<u8>, most_bytes: usize) -> Vec<u8> {
    let room = (most_bytes - bare.len()) as f64 / (whole - bare.len()).max(1) as f64;
    let mut keep = (profile.timeline.n_spans() as f64 * room) as usize;
    while keep > 100 {
        match file(&spans::keep_longest(profile, keep)) {
            Some(file) if file.len() <= most_bytes => return file,
            // Those that are kept are told apart less easily than those that went, so they compress less.
            _ => keep = keep * 4 / 5,
        }
    }
    bare
}

fn pruned(profile: &Profile, share: f64) -> Profile {
    let mut small = profile.prune(&Prune::new().min_share(share));
    let n_gone = profile.scopes.len().saturating_sub(small.scopes.len());
    let message = format!(
        "a report has no room for the whole profile: call paths below {} % of it were added to their callers; \
         give the profile itself to see them",
        share * 100.0
    );
    small.warn(Warning::counted("report_paths_left_out", message, n_gone as u64));
    small
}

/// The bytes; `None` for a profile that no file can hold, which is then not carried.
fn file(profile: &Profile) -> Option<Vec<u8>> {
    let mut file = Vec::new();
    native::write(profile, &mut file).is_ok().then_some(file)
}

#[cfg(test)]
mod tests;
