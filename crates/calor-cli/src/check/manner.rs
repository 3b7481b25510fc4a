//! How a command is recorded to be held against a baseline: in the way its runs were, since another rate, or a heap that is
//! watched, takes other time.

use std::collections::BTreeMap;

use anyhow::Result;
use calor_record::Options;

use crate::{record, settings};

/// As the runs of the baseline were recorded, by what was saved of that; where there is none, or nothing is known of it, as the
/// settings say.
pub(super) fn options(
    settings: &settings::Record,
    saved: Option<&BTreeMap<String, String>>,
) -> Result<Options> {
    let mut options = record::usual_options(settings)?;
    let Some(saved) = saved else { return Ok(options) };
    let said = |key: &str| saved.get(key).map(String::as_str);
    fn set<T: std::str::FromStr>(into: &mut T, said: Option<&str>) {
        if let Some(value) = said.and_then(|said| said.parse().ok()) {
            *into = value;
        }
    }
    set(&mut options.cpu, said("cpu"));
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
    if let Some(paths) = said("heap-paths").and_then(|word| record::heap_paths(word).ok()) {
        options.heap_paths = paths;
    }
    if let Some(counters) = said("counters").and_then(|list| record::counters(list).ok()) {
        options.counters = counters;
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use calor_record::counters::CounterSet;
    use calor_record::{HeapPaths, HeapWay};

    use super::*;

    #[test]
    fn all_that_is_saved_of_how_a_run_was_recorded_is_done_again() {
        let usual = record::usual_options(&settings::Record::default()).expect("there are defaults");
        let other = Options {
            cpu: !usual.cpu,
            rate: usual.rate + 1,
            off_cpu: !usual.off_cpu,
            kernel: !usual.kernel,
            max_depth: usual.max_depth + 1,
            by_thread: !usual.by_thread,
            inlines: !usual.inlines,
            python: !usual.python,
            heap: Some(HeapWay::Sampled(65_536)),
            heap_paths: HeapPaths::All,
            counters: CounterSet::usual(),
            ..usual.clone()
        };
        let (saved, unlike) = (record::settings_of(&other), record::settings_of(&usual));
        for (key, value) in &saved {
            assert_ne!(unlike.get(key), Some(value), "{key} is not told apart by this test");
        }
        let options = options(&settings::Record::default(), Some(&saved)).expect("it can be done");
        assert_eq!(record::settings_of(&options), saved);
    }
}
