//! `calor roofline`: how near scopes come to what the machine can do, and whether arithmetic or memory limits them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use calor_analysis::{MachineRoof, RoofNumber, ThreadChoice};
use calor_machine::{Machine, Processor};
use calor_model::{Profile, Warning};
use calor_report::{RooflineFormat, RooflineOptions, render_roofline};
use clap::{Args, ValueEnum};

use crate::format::Written;
use crate::page::{Page, Top};
use crate::{input, machine, terminal};

const EXAMPLES: &str = "\
Examples:
  calor roofline profile.calor
  calor roofline profile.calor -o roofline.svg
  calor roofline profile.calor -o roofline.html --dtype f64
  calor roofline profile.calor --format json | jq '.scopes[0].roof_share'";

const AFTER: &str = "\
Scopes that tell what they work on are held against what `calor machine` measures; with the SDK: \
calor::scope!(\"matmul\", flops = 2 * n * n * n, bytes = 3 * n * n * 4). A profile of another machine needs that machine's \
figures: write them there with `calor machine -o machine.json`, and name the file with --machine.";

const WRITTEN: Written = Written::new("a roofline");

/// Show how near scopes come to the machine's peak and bandwidth
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The profile, of any format that `calor convert --list` shows; - reads standard input
    file: PathBuf,
    /// The machine that it was recorded on, from `calor machine -o machine.json` there [default: this one]
    #[arg(long, value_name = "JSON")]
    machine: Option<PathBuf>,
    /// The numbers that scopes compute with whose label `dtype` does not tell
    #[arg(long, value_enum, default_value_t = Dtype::F32)]
    dtype: Dtype,
    /// Only threads of this name
    #[arg(long, value_name = "NAME")]
    thread: Option<String>,
    #[command(flatten)]
    top: Top,
    #[command(flatten)]
    page: Page<Format>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dtype {
    /// 32 bits
    #[value(alias = "float32")]
    F32,
    /// 64 bits
    #[value(alias = "float64")]
    F64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For a comment or a wiki
    #[value(alias = "markdown")]
    Md,
    /// For scripts: `calor schema roofline/1`
    Json,
    /// For a browser: picture and table on one page that needs nothing else
    Html,
    /// The picture alone
    Svg,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let format = arguments.page.format(WRITTEN)?;
    arguments.page.refuse_input(&arguments.file)?;
    arguments.page.refuse_bad_place()?;
    let profile = input::profile(&arguments.file)?;
    let given = arguments.machine.as_deref().map(read).transpose()?;
    let options = RooflineOptions {
        format: match format {
            Format::Text => RooflineFormat::Text,
            Format::Md => RooflineFormat::Markdown,
            Format::Json => RooflineFormat::Json,
            Format::Html => RooflineFormat::Html,
            Format::Svg => RooflineFormat::Svg,
        },
        number: match arguments.dtype {
            Dtype::F32 => RoofNumber::F32,
            Dtype::F64 => RoofNumber::F64,
        },
        threads: arguments.thread.clone().map_or(ThreadChoice::All, ThreadChoice::Named),
        top: arguments.top.rows,
        width: terminal::width(),
        color: arguments.page.is_coloured(),
    };
    arguments.page.write(&page(&profile, given, &options)?)
}

/// The page of a profile, under the roofs of a machine that was given or of this one.
pub(crate) fn page(profile: &Profile, given: Option<Machine>, options: &RooflineOptions) -> Result<Vec<u8>> {
    let Chosen { roof, warnings } = choose(profile, given, &Processor::this(), || machine::this(false).0);
    let mut page = Vec::new();
    render_roofline(profile, &roof, &warnings, options, &mut page)?;
    // A picture has no place for words.
    if options.format == RooflineFormat::Svg {
        warnings
            .iter()
            .for_each(|warning| crate::news::say_wrapped(&format!("warning: {}", warning.message)));
    }
    Ok(page)
}

fn read(path: &Path) -> Result<Machine> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| {
        format!("cannot read {shown}: write it with `calor machine -o {shown}` on the machine of the profile")
    })?;
    Machine::from_json(&text).with_context(|| format!("cannot read {shown}"))
}

/// The roofs that fit a profile.
struct Chosen {
    roof: MachineRoof,
    warnings: Vec<Warning>,
}

/// The given machine, or this one where the profile is of such a machine; otherwise none, with the reason.
fn choose(
    profile: &Profile,
    given: Option<Machine>,
    this: &Processor,
    measured: impl FnOnce() -> Machine,
) -> Chosen {
    const NAME_IT: &str = "write `calor machine -o machine.json` on that machine, and name the file with `--machine machine.json`";
    let host = profile.runs.first().map(|run| &run.host);
    let cpu = host.map(|host| host.cpu.as_str()).unwrap_or_default();
    let other =
        |name: &str| if name.is_empty() { "a processor of unknown name".to_owned() } else { name.to_owned() };
    let mut warnings = Vec::new();
    let is_given = given.is_some();
    let machine = match given {
        Some(machine) => machine,
        None if !cpu.is_empty() && cpu != this.cpu => {
            let message = format!(
                "the profile was recorded on {cpu} and this machine is {}, so its roof would be the wrong one: {NAME_IT}",
                other(&this.cpu)
            );
            warnings.push(Warning::new("other_machine", message));
            return Chosen { roof: MachineRoof::default(), warnings };
        }
        None => measured(),
    };
    let mut roof = machine::roof(&machine);
    if cpu.is_empty() {
        let message = format!(
            "the profile does not say which processor it is of; the roof is that of {}: if it was another, {NAME_IT}",
            other(&roof.cpu)
        );
        warnings.push(Warning::new("unknown_machine", message));
    } else if is_given && cpu != roof.cpu {
        let message = format!(
            "the profile was recorded on {cpu}, and the file that was given is of {}: shares of its roof mean little",
            other(&roof.cpu)
        );
        warnings.push(Warning::new("other_machine", message));
    }
    let cores = host.and_then(|host| host.cores);
    if cores.is_some() && cores != roof.cores {
        let number =
            |cores: Option<u32>| cores.map_or_else(|| "an unknown number of".to_owned(), |n| n.to_string());
        let message = format!(
            "the profile is of {} cores and the roof of {}, so what all cores can do is left out",
            number(cores),
            number(roof.cores)
        );
        warnings.push(Warning::new("other_cores", message));
        roof.peaks.iter_mut().for_each(|peak| peak.all_cores_flops_per_s = None);
        roof.tiers.iter_mut().for_each(|tier| tier.all_cores_bytes_per_s = None);
    }
    warnings.extend(machine.warnings.iter().filter(|warning| warning.code != "no_such_width").cloned());
    Chosen { roof, warnings }
}

#[cfg(test)]
mod tests {
    use calor_machine::{Noise, Peak, Peaks};
    use calor_model::{Host, Run};

    use super::*;

    fn machine(cpu: &str, cores: u32) -> Machine {
        let peak = Peak { scalar: Some(1.0), all_cores: Some(2.0), ..Peak::default() };
        Machine {
            id: String::new(),
            processor: Processor { cpu: cpu.to_owned(), cores, ..Processor::default() },
            peaks: Peaks { f32: peak, f64: peak },
            tiers: Vec::new(),
            noise: Noise::default(),
            measured_at_unix_nanos: 0,
            took_nanos: 0,
            warnings: Vec::new(),
        }
    }

    /// The processor that the roof is of, and the codes of what is said about it.
    fn chosen(host: &str, cores: Option<u32>, given: Option<Machine>) -> (String, Vec<String>) {
        let host = Host { cpu: host.to_owned(), cores, ..Host::default() };
        let profile = Profile { runs: vec![Run { host, ..Run::default() }], ..Profile::default() };
        let this = machine("Here", 2);
        let Chosen { roof, warnings } = choose(&profile, given, &this.processor, || this.clone());
        (roof.cpu, warnings.into_iter().map(|warning| warning.code).collect())
    }

    #[test]
    fn the_roof_is_that_of_the_machine_the_profile_is_of() {
        let none: Vec<String> = Vec::new();
        assert_eq!(chosen("Here", Some(2), None), ("Here".to_owned(), none.clone()));
        assert_eq!(chosen("There", Some(2), None), (String::new(), vec!["other_machine".to_owned()]));
        assert_eq!(chosen("There", Some(2), Some(machine("There", 2))), ("There".to_owned(), none));
        assert_eq!(chosen("", None, None), ("Here".to_owned(), vec!["unknown_machine".to_owned()]));
        let wrong = chosen("There", None, Some(machine("Elsewhere", 2)));
        assert_eq!(wrong, ("Elsewhere".to_owned(), vec!["other_machine".to_owned()]));
        assert_eq!(chosen("Here", Some(8), None).1, ["other_cores"]);
    }
}
