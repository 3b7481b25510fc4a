//! `calor doctor`: what works on this machine, what does not, and the command that would fix it. What does not work is
//! a finding and no failure: the command ends with 0 whatever it found.

#[cfg(target_os = "linux")]
mod counters;
mod disk;
#[cfg(target_os = "linux")]
mod gpu;
mod machine;
mod python;
mod sampling;
mod screen;
mod text;

use anyhow::Result;
use calor_wire::{Envelope, doctor};
use clap::Args;

use crate::output;
use crate::page::Brief;
use crate::terminal::{self, Look};

const EXAMPLES: &str = "\
Examples:
  calor doctor
  calor doctor --format json";

/// Show what works on this machine, and how to fix what does not
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// How it looks
    #[arg(long, value_enum, default_value_t = Brief::Text)]
    format: Brief,
    #[command(flatten)]
    look: Look,
}

/// One thing that was looked at.
struct Check {
    /// A word that stays the same, for scripts.
    name: &'static str,
    ok: bool,
    found: String,
    /// Whether it is not there and nothing is wrong with that; people are not told that it is ok.
    is_absent: bool,
    /// The command that would make it ok, where there is one.
    fix: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut checks = machine::checks();
    checks.push(disk::check());
    checks.push(screen::check());
    checks.extend(sampling::checks());
    #[cfg(target_os = "linux")]
    checks.extend(counters::checks());
    #[cfg(target_os = "linux")]
    checks.push(gpu::check());
    checks.push(python::check());
    let page = match arguments.format {
        Brief::Text => text::page(&checks, terminal::width(), arguments.look.is_coloured(false)),
        Brief::Json => json(&checks)?,
    };
    output::write(None, page.as_bytes())
}

fn json(checks: &[Check]) -> Result<String> {
    let checks = checks.iter().map(|check| doctor::Check {
        name: check.name,
        ok: check.ok,
        found: &check.found,
        fix: check.fix.as_deref(),
    });
    Ok(Envelope::unwarned(doctor::Doctor { checks: checks.collect() }).text()?)
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, ok: true, found: found.into(), is_absent: false, fix: None }
    }

    fn absent(name: &'static str, found: impl Into<String>) -> Self {
        Self { is_absent: true, ..Self::ok(name, found) }
    }

    fn not_ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, ok: false, found: found.into(), is_absent: false, fix: None }
    }

    fn fixed_by(self, command: impl Into<String>) -> Self {
        Self { fix: Some(command.into()), ..self }
    }
}
