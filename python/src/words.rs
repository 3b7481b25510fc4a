//! What the recorder cannot see, told to people who write Python: the SDK's warnings name functions of Rust and options of the
//! command, and theirs have other names here.

use calor::model::{Warning, add_warning};

/// By code, what to say instead.
const WORDS: [(&str, &str); 8] = [
    (
        "never_enabled",
        "nothing was recorded because profiling was never on: call calor.enable_profiling() before the work",
    ),
    (
        "samples_lost",
        "samples found no room and were lost: run fewer other programs beside, or record a shorter stretch",
    ),
    (
        "sampling_not_here",
        "there are no samples: functions are sampled in the process that this one was forked from; call \
         calor.enable_profiling(functions=\"sample\") in the child",
    ),
    (
        "gpu_unfinished",
        "kernels and copies on GPUs were not done when profiling, or the block, ended, and are in no row: call \
         torch.cuda.synchronize() before it ends",
    ),
    (
        "spans_lost",
        "scopes came so quickly that the timeline misses some, which are in the statistics only: record fewer or longer scopes, \
         or calor.start_recording(path, timeline=False)",
    ),
    (
        "spans_overwritten",
        "the timeline holds the newest scopes of each thread; older ones are in the statistics only: \
         calor.start_recording(path) writes all of them to a file",
    ),
    (
        "links_overwritten",
        "the timeline holds the newest links between threads: calor.start_recording(path) writes all of them to a file",
    ),
    (
        "stacks_longer",
        "stacks are longer than what is looked at, and their outermost functions were left out, as deep recursion has it",
    ),
];

/// Our own module, whose functions have no names that anybody could look up.
const OWN_MODULE: &str = "_calor.abi3.so:";

/// Says warnings in words for Python, and leaves out what is about our own module.
pub(crate) fn translate(warnings: &mut Vec<Warning>) {
    for mut warning in std::mem::take(warnings) {
        if warning.code == "symbols_missing" && warning.message.starts_with(OWN_MODULE) {
            continue;
        }
        if let Some((_, words)) = WORDS.iter().find(|(code, _)| *code == warning.code) {
            (*words).clone_into(&mut warning.message);
        }
        add_warning(warnings, warning);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_the_recorder_name_what_python_has() {
        let mut warnings = vec![
            Warning::counted("spans_lost", "raise Options::timeline_events", 3),
            Warning::new("numpy_fallback", "slower"),
            Warning::new("symbols_missing", "_calor.abi3.so: no names"),
            Warning::new("symbols_missing", "libfoo.so: no names"),
        ];
        translate(&mut warnings);
        let told: Vec<_> = warnings.iter().map(|it| (it.code.as_str(), it.count)).collect();
        assert_eq!(told, [("numpy_fallback", None), ("spans_lost", Some(3)), ("symbols_missing", None)]);
        assert!(
            warnings[1].message.contains("calor.start_recording(")
                && warnings[2].message.starts_with("libfoo")
        );
    }
}
