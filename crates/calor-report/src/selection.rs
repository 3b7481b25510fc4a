//! What part of a profile is reported, in words.

use calor_analysis::ThreadChoice;
use calor_model::{Language, Profile};

use crate::Options;

/// What part is reported and what of it is still about the whole; `None` for a report of everything.
pub(crate) fn sentence(profile: &Profile, options: &Options) -> Option<String> {
    let context = options.context.as_ref().map(|name| format!("inside context `{name}`"));
    let thread = match &options.threads {
        ThreadChoice::All => None,
        ThreadChoice::Only(id) => {
            Some(format!("on thread `{}`", profile.strings.get(profile.threads.get(*id).name)))
        }
        ThreadChoice::Named(name) => Some(format!("on threads named `{name}`")),
    };
    let parts: Vec<String> = context.into_iter().chain(thread).collect();
    let part = (!parts.is_empty()).then(|| {
        format!(
            "Only what happened {}; wall time, CPU time and heap peak are of the whole run.",
            parts.join(" ")
        )
    });
    let language = match options.language {
        Language::All => None,
        Language::Python => Some(
            "Only Python functions, each with the compiled code it called; `(not Python)` is what none called."
                .to_owned(),
        ),
        Language::Native => {
            Some("Only compiled code; `(Python interpreter)` stands for Python functions.".to_owned())
        }
    };
    let sentences: Vec<String> = part.into_iter().chain(language).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}
