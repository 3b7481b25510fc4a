//! `calor machine`: what this machine can do at most, and how steady it is. Measured once, then kept and looked at again
//! with one short burst.

mod markdown;
mod table;
mod text;

use anyhow::Result;
use calor_analysis::smallest_paired_change;
use calor_machine::{Cache, Machine, Origin, known};
use clap::Args;

#[cfg(target_os = "linux")]
use crate::failure::Interrupted;
use crate::format::Written;
use crate::page::{Page, Plain};
use crate::{news, progress, terminal};
pub(crate) use calor_report::machine_roof as roof;

const EXAMPLES: &str = "\
Examples:
  calor machine                   peaks, bandwidths, noise
  calor machine --fresh           measure again
  calor machine -o machine.json   for `calor roofline --machine` elsewhere
  calor machine --format json | jq '.peak_flops.f32.best'";

const AFTER: &str = "\
Measuring takes half a second. The figures are kept in the user's folder of caches (CALOR_CACHE_DIR, XDG_CACHE_HOME or \
~/.cache/calor), and taken from there as long as a short burst is as quick as then.";

const WRITTEN: Written = Written::new("what a machine can do");

/// Measure peak FLOP/s, memory bandwidth and noise of this machine
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// Measure again, whatever is known
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    page: Page<Plain>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let format = arguments.page.format(WRITTEN)?;
    arguments.page.refuse_bad_place()?;
    let (machine, origin) = unless_interrupted(|| this(arguments.fresh))?;
    let page = match format {
        Plain::Text => text::page(&machine, origin, terminal::width(), arguments.page.is_coloured()),
        Plain::Json => machine.to_json(),
        Plain::Md => markdown::page(&machine, origin),
    };
    arguments.page.write(page.as_bytes())
}

/// Measures to the end, which is soon, and tells nothing where somebody asked for the end meanwhile.
#[cfg(target_os = "linux")]
fn unless_interrupted<T>(measured: impl FnOnce() -> T) -> Result<T> {
    let interrupt = calor_record::Interrupt::hold().ok();
    let measured = measured();
    match interrupt.is_some_and(|interrupt| interrupt.n_heard() > 0) {
        true => Err(Interrupted("while this machine was measured: nothing is told").into()),
        false => Ok(measured),
    }
}

#[cfg(not(target_os = "linux"))]
fn unless_interrupted<T>(measured: impl FnOnce() -> T) -> Result<T> {
    Ok(measured())
}

/// What is known of this machine, measured if need be.
pub(crate) fn this(is_fresh: bool) -> (Machine, Origin) {
    let cache = Cache::of_user();
    let (machine, origin) = progress::waited("measuring this machine", || {
        known(cache.as_ref(), is_fresh, smallest_paired_change)
    });
    match origin {
        Origin::Changed(ratio) => news::say_wrapped(&format!(
            "this machine is now {ratio:.2} times as fast as when it was measured before: measured again"
        )),
        Origin::Kept(ratio) => news::say_wrapped(&format!(
            "this machine is now {ratio:.2} times as fast as when it was measured before, but others disturbed measuring it \
             again: the figures of before are taken"
        )),
        Origin::Cached | Origin::Measured => {}
    }
    (machine, origin)
}
