//! Findings that were waved off: kept in the store of the project, and not told again unless they became more severe.

use anyhow::{Result, bail};
use calor_analysis::findings::{Finding, Findings, Severity, Suppression};
use calor_report::utc;
use calor_store::Dismissal;

use super::which::Which;
use crate::news;
use crate::store::place;

/// What is not to be told, as the store remembers it. A store that cannot be read is no reason to tell nothing.
pub(crate) fn remembered() -> Vec<Suppression> {
    let read = || anyhow::Ok(place::open_if_there()?.map(|store| store.dismissals()).transpose()?);
    match read() {
        Ok(dismissals) => dismissals.unwrap_or_default().into_iter().map(suppression).collect(),
        Err(error) => {
            news::say_wrapped(&format!("warning: findings that were dismissed are told again: {error:#}"));
            Vec::new()
        }
    }
}

fn suppression(dismissal: Dismissal) -> Suppression {
    let day = utc(dismissal.at_unix_nanos).unwrap_or_default();
    let day = day.get(..10).unwrap_or_default();
    Suppression {
        function: Some(dismissal.function),
        up_to: Severity::ALL.into_iter().find(|severity| severity.word() == dismissal.severity),
        reason: format!("dismissed on {day}: {}", dismissal.reason),
        ..Suppression::of(dismissal.rule)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_store_remembers_suppresses_up_to_its_severity() {
        let kept = Dismissal {
            rule: "CPU-A".to_owned(),
            function: "load".to_owned(),
            severity: "medium".to_owned(),
            reason: "known".to_owned(),
            at_unix_nanos: 1_700_000_000_000_000_000,
        };
        let found = suppression(kept);
        assert_eq!((found.up_to, found.function.as_deref()), (Some(Severity::Medium), Some("load")));
        assert_eq!(found.reason, "dismissed on 2023-11-14: known");
    }
}
