//! `calor completions`: what a shell needs to complete commands, options and their values.

use anyhow::Result;
use clap::Args;
use clap_complete::Shell;

use crate::output;

const EXAMPLES: &str = "\
Examples:
  source <(calor completions bash)
  calor completions zsh > _calor
  calor completions fish > calor.fish";

/// Print completions for a shell
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::command(), "calor", &mut script);
    output::write(None, &script)
}
