//! The profile that a report carries out of sight, so that a report that was kept can be read like the profile it
//! came from. A page has to open in a browser and a file has to be shown by a forge, so there is a bound: what can be
//! missed most easily goes first, and the carried profile says in its own warnings what it lost.

mod detail;
mod spans;

use calor_formats::{embedded, native};
use calor_model::{Profile, Prune, Warning};

pub(crate) use spans::Longest;

/// Shares of rows, the shortest first, that lose their histograms, one after the other until the rest fits.
const WITHOUT_HISTOGRAM: [f64; 3] = [0.5, 0.75, 0.9];
/// Call paths with a smaller share of the whole than one between these go into their callers.
const SHARES: std::ops::Range<f64> = 1e-8..1.0;
/// So often the range of shares is halved: what is kept is then within a tenth of what would fit.
const HALVINGS: usize = 8;

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
    let fits = |file: &Vec<u8>| file.len() <= most_bytes;
    let mut rest = detail::without_instants(bare);
    for share in WITHOUT_HISTOGRAM {
        if let Some(file) = file(&rest).filter(fits) {
            return Some(file);
        }
        rest = detail::without_histograms(rest, share);
    }
    file(&rest).filter(fits).or_else(|| {
        let (mut least, mut most) = (SHARES.start, SHARES.end);
        let mut best = file(&pruned(&rest, most)).filter(fits)?;
        for _ in 0..HALVINGS {
            let share = (least * most).sqrt();
            match file(&pruned(&rest, share)).filter(fits) {
                Some(file) => (best, most) = (file, share),
                None => least = share,
            }
        }
        Some(best)
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
    let message = "a report has no room for the whole profile: the call paths with the least time were added to their \
                   callers; give the profile itself to see them";
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
