//! Findings that were waved off: kept in the store of the project, and not told again unless they became more severe.

use anyhow::{Result, bail};
use calor_analysis::findings::{Finding, Findings, Severity, Suppression};
use calor_project::Trouble;
use calor_store::Dismissal;

use super::which::Which;
use crate::store::place;
use crate::{news, project};

/// What is not to be told, as the store remembers it. A store that cannot be read is no reason to tell nothing.
pub(crate) fn remembered() -> Vec<Suppression> {
    project::current().dismissed().unwrap_or_else(|error| {
        news::say_wrapped(&format!("warning: {}", Trouble::Dismissals(error)));
        Vec::new()
    })
}

/// Remembers that findings were waved off, for this reason.
pub(super) fn dismiss(given: &[String], reason: &str, found: &Findings, file: &str) -> Result<()> {
    if reason.trim().is_empty() {
        bail!("expected a reason, such as --reason 'copied once, at the start', found none");
    }
    let mut meant: Vec<&Finding> = Vec::new();
    for which in given {
        meant.extend(Which::parse(which).among(&found.found, &[], file)?);
    }
    let mut store = place::create()?;
    for finding in meant {
        let (rule, function) = (&finding.rule, &finding.place.function);
        store.dismiss(&Dismissal {
            rule: rule.clone(),
            function: function.clone(),
            severity: finding.severity().map_or("", Severity::word).to_owned(),
            reason: reason.trim().to_owned(),
            at_unix_nanos: 0,
        })?;
        news::say(format_args!(
            "dismissed {rule} in {function}; --undismiss '{rule}@{function}' tells it again"
        ));
    }
    Ok(())
}

/// Forgets that findings were waved off.
pub(super) fn undismiss(given: &[String]) -> Result<()> {
    for which in given {
        let which = Which::parse(which);
        let Which::Rule { rule, function } = &which else {
            bail!(
                "expected RULE or RULE@FUNCTION, as what was dismissed has no number, found {}",
                which.shown()
            );
        };
        let store = place::open_if_there()?;
        let n = store.map(|mut store| store.undismiss(rule, function.as_deref())).transpose()?;
        match n.unwrap_or(0) {
            0 => bail!(
                "nothing of {} was dismissed: `calor findings FILE --all` shows what was",
                which.shown()
            ),
            _ => news::say(format_args!("{} is told again", which.shown())),
        }
    }
    Ok(())
}
