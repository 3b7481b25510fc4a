//! A program that did not start, explained.

use calor_record::LaunchError;

/// The error with what to do about it; `command` is what the program was given to, such as `calor record`.
pub(crate) fn explained(error: &LaunchError, command: &str) -> anyhow::Error {
    let advice = match error {
        LaunchError::NotFound(_) => "check the name, or give the path to it".to_owned(),
        LaunchError::Directory(_) => "name a program inside it".to_owned(),
        LaunchError::NotExecutable(_) => {
            "make it so with `chmod +x`, or name the program that runs it, such as python3".to_owned()
        }
        _ => format!("see whether it starts without `{command} --`"),
    };
    anyhow::anyhow!("{error}: {advice}")
}
