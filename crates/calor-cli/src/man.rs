//! `calor man`: the help texts as manual pages.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Command};
use clap_mangen::Man;

use crate::{news, output};

const EXAMPLES: &str = "\
Examples:
  calor man record | man -l -
  calor man -o man1";

/// Print the manual page of a command, or write all of them to a folder
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The command, such as record [default: the page of calor itself]
    #[arg(value_name = "COMMAND", conflicts_with = "folder")]
    name: Option<String>,
    /// Write the pages of all commands to this folder
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut command = crate::command();
    command.build();
    // It prints what the pages say.
    let command = command.mut_subcommand("help", |help| help.hide(true));
    let Some(folder) = &arguments.folder else {
        let wanted = arguments.name.as_deref().map_or(Ok(&command), |name| found(&command, name))?;
        return output::write(None, &page(wanted)?);
    };
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder: name another: {}", folder.display()))?;
    let mut n_pages = 0;
    write_all(&command, folder, &mut n_pages)?;
    news::say(format_args!("wrote {n_pages} pages to {}", folder.display()));
    Ok(())
}

/// The command of a name; `calor` and `calor-record` are names, too, as `man` has them.
fn found<'c>(command: &'c Command, name: &str) -> Result<&'c Command> {
    let is_named = |inner: &Command| inner.get_name() == name || display_name(inner) == name;
    if is_named(command) {
        return Ok(command);
    }
    let all: Vec<&Command> = command.get_subcommands().filter(|inner| !inner.is_hide_set()).collect();
    if let Some(inner) = all.iter().find(|inner| is_named(inner)) {
        return Ok(inner);
    }
    let names: Vec<&str> = all.into_iter().map(Command::get_name).collect();
    bail!(
        "there is no command `{name}`: those with a page are {}; -o DIR writes the pages of all to a folder",
        names.join(", ")
    )
}

fn write_all(command: &Command, folder: &Path, n_pages: &mut usize) -> Result<()> {
    let path = folder.join(format!("{}.1", display_name(command)));
    calor_host::replace(&path, &page(command)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    *n_pages += 1;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write_all(inner, folder, n_pages)?;
    }
    Ok(())
}

/// Such as `calor-report`.
fn display_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn page(command: &Command) -> Result<Vec<u8>> {
    let man = Man::new(command.clone()).title(display_name(command).to_uppercase()).manual("Calor");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    write_examples(command, &mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    Ok(page)
}

/// The examples of the help text, as they are.
fn write_examples(command: &Command, page: &mut Vec<u8>) -> Result<()> {
    let Some(examples) = command.get_before_help() else { return Ok(()) };
    writeln!(page, ".SH EXAMPLES\n.nf")?;
    for line in examples.to_string().lines().skip(1) {
        // A dash is a minus sign, as it is typed; backslashes and leading dots are for roff.
        writeln!(page, "\\&{}", line.trim_start().replace('\\', "\\e").replace('-', "\\-"))?;
    }
    writeln!(page, ".fi")?;
    Ok(())
}
