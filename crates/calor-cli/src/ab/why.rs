//! `calor ab --why`: not only whether B is slower than A, but why. Both are timed in turns at several sizes, recorded where
//! the gap is widest, and what they were seen to do is shared out among causes by `calor-analysis`.

mod call;
mod choice;
mod command;
mod explanation;
mod json;
mod markdown;
mod operation;
mod python;
mod recording;
mod size;
mod sweep;
mod text;

use std::time::Instant;

use anyhow::{Result, bail};
use calor_report::{WhyPage, why_page};

pub(super) use choice::Choice;
use explanation::Explanation;
use operation::Operation;
pub(crate) use size::size as parsed_size;

use super::rounds::Plan;
use super::{Arguments, Decisive, variant};
use crate::failure::INTERRUPTED;
use crate::page::Paged;
use crate::{ExitCode, terminal};

/// Measures, records and explains.
pub(super) fn run(arguments: &Arguments, plan: Plan, format: Paged) -> Result<ExitCode> {
    let choice = &arguments.why;
    let mut operation: Box<dyn Operation> = match choice.python {
        true => Box::new(python::Functions::start(&arguments.commands, choice)?),
        false => {
            let variants = variant::variants(&arguments.commands, &arguments.words)?;
            let Ok(pair) = <[_; 2]>::try_from(variants) else {
                bail!(
                    "`--why` explains the gap between two commands: name two, as in `calor ab --why './old {{n}}' './new {{n}}'`"
                );
            };
            Box::new(command::Commands::new(pair, choice.sizes.as_ref(), &plan)?)
        }
    };
    let began = Instant::now();
    let sizes = choice.sizes(operation.as_ref());
    let sweep = sweep::sweep(operation.as_mut(), &sizes, &plan, choice.check_is_wanted())?;
    operation.end_timing();
    let is_wall = arguments.metric == Decisive::Wall;
    let explanation = Explanation::of(operation.as_mut(), sweep, &plan, choice, is_wall, began)?;
    let page = match format {
        Paged::Text => text::page(&explanation, terminal::width(), arguments.page.is_coloured()),
        Paged::Md => markdown::page(&explanation),
        Paged::Json => super::json::page(&explanation.outcome, Some(json::fields(&explanation)))?,
        Paged::Html => why_page(&WhyPage {
            sentence: text::headline(&explanation),
            names: explanation.names(),
            why: explanation.why.as_ref(),
            evidence: &explanation.evidence,
            sides: explanation.recorded(),
            warnings: &explanation.outcome.warnings,
        }),
    };
    arguments.page.write(page.as_bytes())?;
    Ok(if explanation.outcome.is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}
