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

const SCHEMAS: [Schema; 22] = [
    Schema {
        name: "report/1",
        command: "calor report FILE --format json",
        text: include_str!("../schema/report-1.json"),
    },
    Schema {
        name: "annotate/1",
        command: "calor annotate FILE FUNCTION --format json",
        text: include_str!("../schema/annotate-1.json"),
    },
    Schema {
        name: "doctor/1",
        command: "calor doctor --format json",
        text: include_str!("../schema/doctor-1.json"),
    },
    Schema {
        name: "machine/1",
        command: "calor machine --format json",
        text: include_str!("../schema/machine-1.json"),
    },
    Schema {
        name: "roofline/1",
        command: "calor roofline FILE --format json",
        text: include_str!("../schema/roofline-1.json"),
    },
    Schema {
        name: "stat/1",
        command: "calor stat --format json -- CMD",
        text: include_str!("../schema/stat-1.json"),
    },
    Schema {
        name: "ab/1",
        command: "calor ab --format json 'CMD A' 'CMD B'",
        text: include_str!("../schema/ab-1.json"),
    },
    Schema {
        name: "bench/1",
        command: "calor bench WORKLOAD --format json",
        text: include_str!("../schema/bench-1.json"),
    },
    Schema {
        name: "heap/1",
        command: "calor heap FILE --format json",
        text: include_str!("../schema/heap-1.json"),
    },
    Schema {
        name: "heap_diff/1",
        command: "calor heap --diff A B --format json",
        text: include_str!("../schema/heap_diff-1.json"),
    },
    Schema {
        name: "findings/1",
        command: "calor findings FILE --format json",
        text: include_str!("../schema/findings-1.json"),
    },
    Schema {
        name: "verify/1",
        command: "calor verify FINDING --format json 'BEFORE' 'AFTER'",
        text: include_str!("../schema/verify-1.json"),
    },
    Schema {
        name: "verify_score/1",
        command: "calor verify --score --format json",
        text: include_str!("../schema/verify_score-1.json"),
    },
    Schema {
        name: "compare/1",
        command: "calor compare A B --format json",
        text: include_str!("../schema/compare-1.json"),
    },
    Schema {
        name: "whatif/1",
        command: "calor whatif FILE --format json",
        text: include_str!("../schema/whatif-1.json"),
    },
    Schema {
        name: "confirm/1",
        command: "calor whatif FILE --confirm --format json -- CMD",
        text: include_str!("../schema/confirm-1.json"),
    },
    Schema {
        name: "forecast/1",
        command: "calor forecast FILES --at n=4x --format json",
        text: include_str!("../schema/forecast-1.json"),
    },
    Schema {
        name: "check/1",
        command: "calor check --format json --baseline NAME -- CMD",
        text: include_str!("../schema/check-1.json"),
    },
    Schema {
        name: "history/1",
        command: "calor history --format json",
        text: include_str!("../schema/history-1.json"),
    },
    Schema {
        name: "store/1",
        command: "calor store ls --format json",
        text: include_str!("../schema/store-1.json"),
    },
    Schema {
        name: "baseline/1",
        command: "calor baseline list --format json",
        text: include_str!("../schema/baseline-1.json"),
    },
    Schema {
        name: "profile_report/1",
        command: "calor.profile_report(format=\"json\") in Python",
        text: include_str!("../schema/profile_report-1.json"),
    },
];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Some(name) = &arguments.name else {
        let rows = SCHEMAS.iter().map(|schema| format!("{:<16} {}\n", schema.name, schema.command));
        return output::write(None, rows.collect::<String>().as_bytes());
    };
    // The field `schema` of the output has the product's name in front, and people leave the version out.
    let wanted = name.strip_prefix("calor/").unwrap_or(name);
    let is_meant = |schema: &&Schema| schema.name == wanted || schema.name.split('/').next() == Some(wanted);
    match SCHEMAS.iter().find(is_meant) {
        Some(schema) => output::write(None, schema.text.as_bytes()),
        None => {
            let names: Vec<&str> = SCHEMAS.iter().map(|schema| schema.name).collect();
            bail!("unknown schema `{name}`: expected one of {}", names.join(", "))
        }
    }
}
