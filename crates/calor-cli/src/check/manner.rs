//! How a command is recorded to be held against a baseline: in the way its runs were, since another rate, or a heap that is
//! watched, takes other time.

use anyhow::Result;
use calor_record::Options;
use calor_store::SavedRun;

use crate::{record, settings};

/// As the runs of the baseline were recorded; where there is none, or nothing is known of it, as the settings say.
pub(super) fn options(settings: &settings::Record, saved: Option<&SavedRun>) -> Result<Options> {
    let mut options = record::usual_options(settings)?;
    let Some(saved) = saved else { return Ok(options) };
    let said = |key: &str| saved.settings.get(key).map(String::as_str);
    fn set<T: std::str::FromStr>(into: &mut T, said: Option<&str>) {
        if let Some(value) = said.and_then(|said| said.parse().ok()) {
            *into = value;
        }
    }
    set(&mut options.rate, said("rate"));
    set(&mut options.off_cpu, said("off-cpu"));
    set(&mut options.kernel, said("kernel"));
    set(&mut options.max_depth, said("max-depth"));
    set(&mut options.by_thread, said("threads"));
    set(&mut options.inlines, said("inlines"));
    set(&mut options.python, said("python"));
    if let Some(choice) = said("heap").and_then(|word| record::heap_choice(word).ok()) {
        options.heap = choice.way();
    }
    if let Some(counters) = said("counters").and_then(|list| record::counters(list).ok()) {
        options.counters = counters;
    }
    Ok(options)
}
