//! `calor schema`: what scripts may rely on in the JSON that commands print.

use anyhow::{Result, bail};
use clap::Args;

use crate::output;

const EXAMPLES: &str = "\
Examples:
  calor schema
  calor schema report/1 > report.schema.json";

/// Print the JSON Schema of what --format json prints
#[derive(Args)]
#[command(before_help = EXAMPLES, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// Which one, such as report/1 [default: list them]
    name: Option<String>,
}

/// A schema, and the command whose output it describes.
struct Schema {
    name: &'static str,
    command: &'static str,
    text: &'static str,
}

/// Those that are written by hand.
const WRITTEN: [Schema; 2] = [
    Schema {
        name: "report/1",
        command: "calor report FILE --format json",
        text: include_str!("../schema/report-1.json"),
    },
    Schema {
        name: "profile_report/1",
        command: "calor.profile_report(format=\"json\") in Python",
        text: include_str!("../schema/profile_report-1.json"),
    },
];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let made = calor_wire::schemas::<calor_machine::MachineFile>();
    let rows = || {
        let written = WRITTEN.iter().map(|schema| (schema.name, schema.command));
        written.chain(made.iter().map(|schema| (schema.name, schema.command)))
    };
    let Some(name) = &arguments.name else {
        let rows = rows().map(|(name, command)| format!("{name:<16} {command}\n"));
        return output::write(None, rows.collect::<String>().as_bytes());
    };
    // The field `schema` of the output has the product's name in front, and people leave the version out.
    let wanted = name.strip_prefix("calor/").unwrap_or(name);
    let is_meant = |name: &str| name == wanted || name.split('/').next() == Some(wanted);
    if let Some(schema) = WRITTEN.iter().find(|schema| is_meant(schema.name)) {
        return output::write(None, schema.text.as_bytes());
    }
    match made.iter().find(|schema| is_meant(schema.name)) {
        Some(schema) => {
            let text = serde_json::to_string_pretty(&schema.value())? + "\n";
            output::write(None, text.as_bytes())
        }
        None => {
            let names: Vec<&str> = rows().map(|(name, _)| name).collect();
            bail!("unknown schema `{name}`: expected one of {}", names.join(", "))
        }
    }
}
