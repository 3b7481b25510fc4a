//! The pages of experiments: for people, for a forge, for scripts.

use std::ffi::OsString;

use anyhow::Result;
use calor_analysis::quantity::counted;
use calor_analysis::{WhatIfAgreement, WhatIfConfirmation};
use calor_report::wrapped;
use calor_wire::{Envelope, confirm};

use super::trial::Trial;
use crate::command_line;
use crate::table::table;

/// All that a page says.
pub(super) struct TrialPage<'a> {
    pub(super) confirmations: &'a [WhatIfConfirmation],
    pub(super) trial: &'a Trial,
    pub(super) command: &'a [OsString],
}

const TITLES: [&str; 5] = ["scope", "faster", "predicted", "tried", ""];

impl TrialPage<'_> {
    pub(super) fn text(&self, width: usize) -> String {
        let mut rows = vec![TITLES.map(str::to_owned).to_vec()];
        rows.extend(self.confirmations.iter().map(|found| cells(found).to_vec()));
        let mut page = format!("{}\n\n", wrapped(&self.about(), width).join("\n"));
        page += &format!("{}\n", table(&rows).join("\n"));
        for warning in self.warnings() {
            page += &format!("\n{}\n", wrapped(&format!("warning: {}", warning.1), width).join("\n"));
        }
        page
    }

    pub(super) fn markdown(&self) -> String {
        let mut page = format!("{}\n\n| {} |\n|---|---:|---:|---:|---|\n", self.about(), TITLES.join(" | "));
        for found in self.confirmations {
            page += &format!("| {} |\n", cells(found).map(|cell| cell.replace('|', "\\|")).join(" | "));
        }
        for (_, warning) in self.warnings() {
            page += &format!("\n> {warning}\n");
        }
        page
    }

    pub(super) fn json(&self) -> Result<String> {
        let warnings = self.warnings();
        let warnings = warnings.iter().map(|(code, message)| calor_wire::Warning::of(code, message));
        let body = confirm::Confirmation {
            command: command_line::shown(self.command),
            runs: self.trial.n_runs,
            unit: if self.trial.has_progress { "visit" } else { "run" },
            scopes: self.confirmations.iter().map(scope).collect(),
        };
        Ok(Envelope::new(warnings, body).text_by_name()?)
    }

    fn about(&self) -> String {
        let runs = counted(self.trial.n_runs as u64, "run");
        let what = if self.trial.has_progress { "a step of its progress point" } else { "the whole run" };
        let command = command_line::shown(self.command);
        format!(
            "How many times as fast {what} would be, tried in {runs} of {command} without making it faster"
        )
    }

    fn warnings(&self) -> Vec<(&'static str, String)> {
        let mut warnings = Vec::new();
        let outcome = &self.trial.outcome;
        if self.trial.is_interrupted {
            warnings.push(("interrupted", "interrupted: this is what was known by then".to_owned()));
        }
        if !outcome.behind.is_empty() {
            let names = outcome.behind.join(", ");
            let message = format!(
                "these threads came to no scope at which they could be slowed, and went on as fast as ever: {names}; if \
                 others wait for them, give their work scopes and use calor::sync"
            );
            warnings.push(("threads_behind", message));
        }
        if outcome.threads > 1 && outcome.waits_told == 0 {
            let threads = counted(outcome.threads, "thread");
            let message = format!(
                "{threads} took part and no wait of one for another was told: those that waited were slowed as if they had \
                 worked, and gains look smaller than they are; use calor::sync or calor::link"
            );
            warnings.push(("waits_untold", message));
        }
        if outcome.left_alone > 0 {
            let threads = counted(outcome.left_alone, "thread");
            warnings.push(("threads_left_alone", format!("{threads} took no part because 256 others did")));
        }
        for found in self.confirmations.iter().filter(|found| self.trial.is_unseen(&found.candidate)) {
            let scope = &found.candidate.scope;
            let message = format!("the program entered no scope named `{scope}` while it was to be faster");
            warnings.push(("scope_not_seen", message));
        }
        for found in self.confirmations.iter().filter(|found| found.n_pairs == 0) {
            let scope = &found.candidate.scope;
            warnings.push(("not_tried", format!("no experiment with `{scope}` was completed")));
        }
        warnings
    }
}

fn cells(found: &WhatIfConfirmation) -> [String; 5] {
    let times =
        |overall: f64| if overall.is_finite() { format!("{overall:.2}x") } else { "no time".to_owned() };
    let factor = match found.candidate.factor {
        factor if factor.is_finite() => format!("{factor}x"),
        _ => "no time".to_owned(),
    };
    let predicted = found.candidate.predicted.map_or_else(|| "-".to_owned(), times);
    let tried = match found.tried {
        Some((overall, [low, high])) => format!("{} ({} to {})", times(overall), times(low), times(high)),
        None => "-".to_owned(),
    };
    [found.candidate.scope.clone(), factor, predicted, tried, sentence(found.agreement).to_owned()]
}

fn scope(found: &WhatIfConfirmation) -> confirm::Scope<'_> {
    let finite = |value: f64| value.is_finite().then_some(value);
    confirm::Scope {
        name: &found.candidate.scope,
        factor: finite(found.candidate.factor),
        predicted: found.candidate.predicted.and_then(finite),
        tried: found.tried.and_then(|(overall, _)| finite(overall)),
        low: found.tried.and_then(|(_, [low, _])| finite(low)),
        high: found.tried.and_then(|(_, [_, high])| finite(high)),
        pairs: found.n_pairs,
        agreement: word(found.agreement),
    }
}

/// The word in JSON.
fn word(agreement: WhatIfAgreement) -> &'static str {
    match agreement {
        WhatIfAgreement::Confirmed => "confirmed",
        WhatIfAgreement::Less => "less",
        WhatIfAgreement::More => "more",
        WhatIfAgreement::Undecided => "undecided",
        WhatIfAgreement::Unpredicted => "unpredicted",
    }
}

/// The words for people.
fn sentence(agreement: WhatIfAgreement) -> &'static str {
    match agreement {
        WhatIfAgreement::Confirmed => "as predicted",
        WhatIfAgreement::Less => "less than predicted",
        WhatIfAgreement::More => "more than predicted",
        WhatIfAgreement::Undecided => "undecided: try more --rounds",
        WhatIfAgreement::Unpredicted => "",
    }
}
