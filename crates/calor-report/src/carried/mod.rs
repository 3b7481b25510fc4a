//! The profile that a report carries out of sight, so that a report that was kept can be read like the profile it
//! came from. A page has to open in a browser and a file has to be shown by a forge, so there is a bound: what can be
//! missed most easily goes first, and the carried profile says in its own warnings what it lost.

mod detail;
mod spans;

use calor_analysis::quantity::{count, counted, percent};
use calor_formats::{embedded, native};
use calor_model::{Condenser, Profile, Warning};

use crate::Carry;

pub(crate) use spans::Longest;

/// The lines around the letters: what follows, with its length and checksum, and where it ends.
const HEADING_BYTES: usize = 100;

/// Shares of rows, the shortest first, that lose their histograms, one after the other until the rest fits.
const WITHOUT_HISTOGRAM: [f64; 3] = [0.5, 0.75, 0.9];
/// So many functions are kept on all their paths: the first number that leaves a quarter of the room.
const FUNCTIONS: [usize; 14] = [2_000, 1_000, 500, 250, 120, 80, 60, 40, 30, 20, 15, 10, 6, 3];
/// Call paths with a smaller share of the whole than one between these are left out.
const SHARES: std::ops::Range<f64> = 1e-8..1.0;
/// So often the range of shares is halved: what is kept is then within a tenth of what would fit.
const HALVINGS: usize = 8;

/// The warnings that say so, and that say what it means for figures.
const PATHS_LEFT_OUT: &str = "report_paths_left_out";
const FIGURES_REDUCED: &str = "report_figures_reduced";

/// What a page carries.
pub(crate) struct Carried {
    /// The lines for the place out of sight.
    pub(crate) lines: String,
    /// What had to be left out, in words; empty when all is there.
    pub(crate) left_out: Vec<String>,
}

/// What a page carries of a profile in about `most_bytes`; `None` where nothing was asked for, or where the profile
/// cannot be made so small.
pub(crate) fn carried(profile: &Profile, carry: Carry, most_bytes: usize) -> Option<Carried> {
    let most_bytes = match carry {
        Carry::Fitting => most_bytes,
        Carry::Whole => usize::MAX / 4,
        Carry::Nothing => return None,
    };
    // Four letters stand for three bytes, lines have ends, and a line stands before and after them.
    let most_bytes = most_bytes.saturating_sub(HEADING_BYTES) / 121 * 120 / 4 * 3;
    let (file, warnings) = fitting(profile, most_bytes)?;
    let is_new = |warning: &&Warning| !profile.warnings.contains(warning);
    let left_out = warnings.iter().filter(is_new).filter_map(in_words).collect();
    Some(Carried { lines: embedded::lines(&file), left_out })
}

/// The sentence of a page for what its profile lost.
fn in_words(warning: &Warning) -> Option<String> {
    let n = warning.count.unwrap_or(0);
    Some(match warning.code.as_str() {
        "report_spans_left_out" => format!("the {} shortest spans of the timeline", count(n)),
        "report_instants_left_out" => "when each sample was taken".to_owned(),
        "report_code_left_out" => format!("the machine code of {}", counted(n, "function")),
        "report_counters_left_out" => "counters over time".to_owned(),
        "report_percentiles_left_out" => format!("percentiles of {}", counted(n, "short scope")),
        PATHS_LEFT_OUT => format!("{} with the least time", counted(n, "call path")),
        FIGURES_REDUCED => "some of what functions took that are called from many places".to_owned(),
        _ => return None,
    })
}

/// A profile as a file, and its warnings.
type File = (Vec<u8>, Vec<Warning>);

/// The profile as a file that is small enough, with as much detail as fits.
fn fitting(profile: &Profile, most_bytes: usize) -> Option<File> {
    let whole = file(profile)?;
    if whole.0.len() <= most_bytes {
        return Some(whole);
    }
    let bare = spans::keep_longest(profile, 0);
    let bare_file = file(&bare)?;
    if bare_file.0.len() <= most_bytes {
        return Some(with_spans(profile, whole.0.len(), bare_file, most_bytes));
    }
    let fits = |file: &File| file.0.len() <= most_bytes;
    let mut rest = detail::without_instants(detail::without_code(bare));
    for share in WITHOUT_HISTOGRAM {
        if let Some(file) = file(&rest).filter(fits) {
            return Some(file);
        }
        rest = detail::without_histograms(rest, share);
    }
    file(&rest).filter(fits).or_else(|| condensed(&rest, most_bytes))
}

/// The profile with as many functions and call paths as fit.
fn condensed(profile: &Profile, most_bytes: usize) -> Option<File> {
    let condenser = profile.condenser();
    let made = |share, n_functions, room: usize| {
        file(&smaller(&condenser, share, n_functions)).filter(|file| file.0.len() <= room)
    };
    let with_functions =
        FUNCTIONS.into_iter().find_map(|n| made(SHARES.end, n, most_bytes / 4 * 3).map(|file| (n, file)));
    let (n_functions, mut best) = match with_functions {
        Some(found) => found,
        None => (0, made(SHARES.end, 0, most_bytes)?),
    };
    let (mut least, mut most) = (SHARES.start, SHARES.end);
    for _ in 0..HALVINGS {
        let share = (least * most).sqrt();
        match made(share, n_functions, most_bytes) {
            Some(file) => (best, most) = (file, share),
            None => least = share,
        }
    }
    Some(best)
}

/// As many of the longest spans as fit beside what has none.
fn with_spans(profile: &Profile, whole: usize, bare: File, most_bytes: usize) -> File {
    let n_bare = bare.0.len();
    let room = (most_bytes - n_bare) as f64 / whole.saturating_sub(n_bare).max(1) as f64;
    let mut keep = (profile.timeline.n_spans() as f64 * room) as usize;
    while keep > 100 {
        match file(&spans::keep_longest(profile, keep)) {
            Some(file) if file.0.len() <= most_bytes => return file,
            // Those that are kept are told apart less easily than those that went, so they compress less.
            _ => keep = keep * 4 / 5,
        }
    }
    bare
}

fn smaller(condenser: &Condenser<'_>, share: f64, n_functions: usize) -> Profile {
    let condensed = condenser.condense(share, n_functions);
    let mut small = condensed.profile;
    let message = "a report has no room for the whole profile: the call paths with the least time stand as `(left out)` \
                   below their callers; give the profile itself to see them";
    small.warn(Warning::counted(PATHS_LEFT_OUT, message, condensed.n_left_out as u64));
    if condensed.most_missing > 0.0 {
        let message = format!(
            "this profile was made smaller for its page: what a function took, with what it called or by itself, can be \
             too small by up to {} of the whole; give the profile itself to see all",
            percent(condensed.most_missing)
        );
        small.warn(Warning::new(FIGURES_REDUCED, message));
    }
    small
}

/// What has to be known of a function's figures in a profile that was read from a page, if they can be too small.
pub(crate) fn caution(profile: &Profile) -> Option<&str> {
    let warning = profile.warnings.iter().find(|warning| warning.code == FIGURES_REDUCED)?;
    Some(&warning.message)
}

/// The bytes; `None` for a profile that no file can hold, which is then not carried.
fn file(profile: &Profile) -> Option<File> {
    let mut file = Vec::new();
    native::write(profile, &mut file).is_ok().then(|| (file, profile.warnings.clone()))
}

#[cfg(test)]
mod tests;
