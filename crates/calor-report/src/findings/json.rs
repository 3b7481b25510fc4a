//! `calor findings --format json`. Shares and ratios are fractions, a gain is a whole-program speed-up (1.0 is none), and
//! what is not known is absent.

use calor_wire::findings::{Finding, Findings, NotEnoughData, Suppressed};
use calor_wire::{Envelope, Warning};

use super::{FindingsOptions, FoundIn};
use crate::Error;

pub(super) fn page(found: FoundIn<'_>, options: &FindingsOptions) -> Result<String, Error> {
    let (shown, more) = found.shown(options);
    let warnings = found.warnings.iter().map(Warning::from);
    let warnings = warnings.chain(found.note().map(|note| Warning::of("waits_unknown", note)));
    let body = Findings {
        findings: shown.iter().map(Finding::new).collect(),
        more,
        fine: &found.findings.fine,
        not_enough_data: found
            .findings
            .not_enough
            .iter()
            .map(|one| NotEnoughData { rule: &one.rule, missing: &one.missing, how_to_record: &one.how })
            .collect(),
        suppressed: found.findings.suppressed.iter().map(Suppressed::new).collect(),
    };
    Ok(Envelope::new(warnings, body).text()?)
}
