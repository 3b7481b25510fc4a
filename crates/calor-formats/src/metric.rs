//! What a format that has one number for each call path is filled with: a profile holds several such numbers.

use std::fmt;
use std::str::FromStr;

use calor_model::{Profile, SampleKind};

use crate::Error;

/// One of the numbers that a profile has for its call paths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Metric {
    /// Time in scopes.
    Scopes,
    /// Time on a CPU, by samples.
    Cpu,
    /// Time waited.
    OffCpu,
    /// Time on a CPU and waited.
    Wall,
    /// Bytes allocated.
    Allocated,
    /// Bytes allocated and never freed.
    Live,
    /// Bytes held when the heap was largest.
    Peak,
    /// Bytes that were freed again at once.
    Temporary,
    /// Time of kernels and copies on GPUs.
    Gpu,
}

impl Metric {
    /// All of them; of those that a profile has, the first is shown unless another is asked for.
    pub const ALL: [Self; 9] = [
        Self::Scopes,
        Self::Cpu,
        Self::Wall,
        Self::OffCpu,
        Self::Gpu,
        Self::Allocated,
        Self::Peak,
        Self::Live,
        Self::Temporary,
    ];

    /// The word for it on a command line and in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Scopes => "scopes",
            Self::Cpu => "cpu",
            Self::OffCpu => "off_cpu",
            Self::Wall => "wall",
            Self::Allocated => "allocated",
            Self::Live => "live",
            Self::Peak => "peak",
            Self::Temporary => "temporary",
            Self::Gpu => "gpu",
        }
    }

    /// What its values are counted in: `ns` or `bytes`.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Scopes | Self::Cpu | Self::OffCpu | Self::Wall | Self::Gpu => "ns",
            Self::Allocated | Self::Live | Self::Peak | Self::Temporary => "bytes",
        }
    }

    /// Those that a profile has, in the order of [`Metric::ALL`].
    #[must_use]
    pub fn available(profile: &Profile) -> Vec<Self> {
        let (mut has_cpu, mut has_off_cpu, mut has_wall) = (false, false, false);
        for (key, _) in profile.samples.iter() {
            match key.kind {
                SampleKind::Cpu => has_cpu = true,
                SampleKind::OffCpu => has_off_cpu = true,
                SampleKind::Wall => has_wall = true,
                _ => {}
            }
        }
        let has = |metric: &Self| match metric {
            Self::Scopes => !profile.scopes.is_empty(),
            Self::Cpu => has_cpu,
            Self::OffCpu => has_off_cpu,
            Self::Wall => has_wall || (has_cpu && has_off_cpu),
            Self::Allocated => !profile.heap.is_empty(),
            Self::Live => profile.heap.iter().any(|(_, site)| site.live_bytes() > 0),
            Self::Peak => profile.heap.iter().any(|(_, site)| site.peak_bytes > 0),
            Self::Temporary => profile.heap.iter().any(|(_, site)| site.temporary_bytes > 0),
            Self::Gpu => !profile.gpu.kernels.is_empty() || !profile.gpu.copies.is_empty(),
        };
        Self::ALL.into_iter().filter(has).collect()
    }

    /// The one to show of a profile when none is asked for; scopes when it has none at all.
    #[must_use]
    pub fn default_for(profile: &Profile) -> Self {
        Self::available(profile).first().copied().unwrap_or(Self::Scopes)
    }

    /// The one that was asked for, or else the one to show.
    ///
    /// # Errors
    /// When the profile does not have the one that was asked for.
    pub fn choose(asked_for: Option<Self>, profile: &Profile) -> Result<Self, Error> {
        let Some(metric) = asked_for else { return Ok(Self::default_for(profile)) };
        let available = Self::available(profile);
        if available.contains(&metric) {
            return Ok(metric);
        }
        let words: Vec<&str> = available.into_iter().map(Self::word).collect();
        let available = if words.is_empty() { "nothing".to_owned() } else { words.join(", ") };
        Err(Error::MetricMissing { metric, available })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        let word = given.to_ascii_lowercase().replace('-', "_");
        let words: Vec<&str> = Self::ALL.into_iter().map(Self::word).collect();
        Self::ALL.into_iter().find(|metric| metric.word() == word).ok_or_else(|| Error::UnknownWord {
            what: "metric",
            found: given.to_owned(),
            known: words.join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_found_by_the_word_it_shows() {
        for metric in Metric::ALL {
            assert_eq!(metric.to_string().parse::<Metric>().unwrap(), metric);
        }
        assert_eq!("off-cpu".parse::<Metric>().unwrap(), Metric::OffCpu);
        let error = "heat".parse::<Metric>().unwrap_err().to_string();
        assert!(error.contains("\"heat\"") && error.contains("off_cpu"), "{error}");
    }

    #[test]
    fn a_metric_that_was_not_recorded_is_refused_by_name() {
        let error = Metric::choose(Some(Metric::Gpu), &Profile::default()).unwrap_err().to_string();
        assert!(error.contains("gpu") && error.contains("nothing"), "{error}");
        assert_eq!(Metric::choose(None, &Profile::default()).unwrap(), Metric::Scopes);
    }
}
