//! The participants at work, one file each, as their own documentation sets them up.

mod calor;
mod calor_counted;
#[cfg(feature = "recording")]
pub(crate) mod calor_paths;
#[cfg(feature = "recording")]
mod calor_tracing;
pub(crate) mod empty;
mod fastrace;
mod hotpath;
#[cfg(feature = "recording")]
mod puffin;
mod tracing;
#[cfg(feature = "recording")]
mod tracing_chrome;
#[cfg(any(feature = "tracy", feature = "compiled-out"))]
mod tracy;
mod tsc;

use crate::participants::Participant;
use crate::peer::Peer;

/// The participant at work, if this build holds it.
pub(crate) fn find(participant: &Participant) -> Result<&'static dyn Peer, String> {
    Ok(match participant.name {
        "empty" => &empty::Empty,
        "tsc2" => &tsc::TwoReads,
        "calor" => &calor::STATISTICS,
        "calor-timeline" => &calor::TIMELINE,
        "calor-site-1in16" => &calor_counted::Counted,
        "calor-1in16" => &calor::ONE_IN_16,
        #[cfg(feature = "recording")]
        "calor-tracing" => &calor_tracing::Layer,
        "fastrace" => &fastrace::Fastrace,
        "hotpath" => &hotpath::Hotpath,
        "tracing" => &tracing::NoOpLayer,
        #[cfg(feature = "recording")]
        "puffin" => &puffin::Puffin,
        #[cfg(feature = "recording")]
        "tracing-chrome" => &tracing_chrome::TracingChrome,
        #[cfg(any(feature = "tracy", feature = "compiled-out"))]
        "tracy" => &tracy::Tracy,
        name => return Err(format!("'{name}' is not part of this build; start the runner without --case")),
    })
}

/// Runs the body as it is: for participants without traces or frames.
macro_rules! no_batch {
    ($body:expr) => {
        $body
    };
}
use no_batch;
