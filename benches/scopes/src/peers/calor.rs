//! Calor: statistics by call path; the same with the timeline; the same with one call in sixteen timed. The report
//! is the profile.

use super::no_batch;
use crate::peer::Peer;

/// One way to record.
#[cfg_attr(not(feature = "recording"), expect(dead_code, reason = "nothing can be started in this build"))]
pub(crate) struct Calor {
    timeline: bool,
    time_one_in: u32,
}

pub(crate) static STATISTICS: Calor = Calor { timeline: false, time_one_in: 1 };
pub(crate) static TIMELINE: Calor = Calor { timeline: true, time_one_in: 1 };
pub(crate) static ONE_IN_16: Calor = Calor { timeline: false, time_one_in: 16 };

macro_rules! scope {
    ($name:literal, $body:expr) => {{
        ::calor::scope!($name);
        $body
    }};
}

workload_functions!(scope, no_batch);

impl Peer for Calor {
    #[cfg(feature = "recording")]
    fn start(&self) -> crate::peer::MakeReport {
        let options = ::calor::Options::new().timeline(self.timeline).time_one_in(self.time_one_in);
        ::calor::enable_with(&options);
        Box::new(|| {
            let profile = std::hint::black_box(::calor::snapshot());
            Some(profile.scopes.iter().map(|(_, stats)| stats.calls).sum())
        })
    }

    workloads!(scope, no_batch);
}
