//! `calor store`: the runs that were saved. What saves and opens them elsewhere in the command is here too:
//! [`saving`], [`place`].

mod add;
mod age;
mod check;
mod ls;
pub(crate) mod naming;
mod page;
pub(crate) mod place;
mod rm;
pub(crate) mod saving;
mod show;
mod table;

use anyhow::Result;
use clap::{Args, Subcommand};

pub(crate) use self::add::saved_profile;
pub(crate) use self::age::{age, ago};
pub(crate) use self::page::{run as wire_run, source};
pub(crate) use self::saving::label;
pub(crate) use self::table::{commit, minute, rows, runs as run_table, user};

const EXAMPLES: &str = "\
Examples:
  calor store add profile.calor --label build=fast
  calor store ls
  calor store ls --label build=fast --format json | jq '.runs[0].duration_ns'
  calor store show latest
  calor report store:latest
  calor store rm --older-than 30d --keep 100";

const AFTER: &str = "\
A run is named by its id or the beginning of it, latest, latest~1, KEY=VALUE (a label), commit:HASH, \
branch:NAME, name:PROGRAM or baseline:NAME; commands that read a file take store: and such a name.

The store is the folder .calor of the project, found from the working folder upward; --store DIR, \
CALOR_STORE or [store] in calor.toml name another.";

/// Keep runs, list them, find them again
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    #[command(visible_alias = "list")]
    Ls(ls::Arguments),
    Show(show::Arguments),
    Add(add::Arguments),
    #[command(visible_alias = "remove")]
    Rm(rm::Arguments),
    Check(check::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Ls(arguments) => ls::run(arguments),
        What::Show(arguments) => show::run(arguments),
        What::Add(arguments) => add::run(arguments),
        What::Rm(arguments) => rm::run(arguments),
        What::Check(_) => check::run(),
    }
}
