//! `calor findings`: why a program is slow, what to change, and what that would give.

pub(crate) mod chosen;
pub(crate) mod dismissal;
mod explanation;
mod list;
pub(crate) mod machine;
pub(crate) mod which;

use std::path::PathBuf;

use anyhow::Result;
use calor_analysis::findings::{Circumstances, Judgement, Severity, Suppression, judge};
use calor_model::Profile;
use calor_project::{Trouble, read_rules, suppression};
use calor_report::{FindingsOptions, FoundIn, render_findings};
use clap::{Args, ValueEnum};

use self::chosen::Rules;
use crate::format::Written;
use crate::page::{Page, Paged};
use crate::{ExitCode, input, news, project, terminal};

const EXAMPLES: &str = "\
Examples:
  calor findings profile.calor
  calor findings profile.calor -o findings.html    a page for a browser
  calor findings profile.calor --all -o findings.md
  calor findings profile.calor --rule CPU-MEMORY-COPIES
  calor findings profile.calor --suppress CPU-MEMORY-COPIES='copied once'
  calor findings profile.calor --format json | jq '.findings[0].gain'
  calor findings --list
  calor findings --explain CPU-MEMORY-COPIES";

const AFTER: &str = "\
A gain is of the whole program: an interval that the real one lies in four times in five. `calor verify` measures whether \
a change gave it. What a rule could not judge is told with the command that records it; that is not the same as fine.

Rules of your own are read from files given with --rules or in calor.toml, `[findings] rules = [...]`; findings that are \
meant to stay are suppressed with --suppress or there. One that you looked at and leave as it is can be dismissed: the store \
(.calor) remembers it, and it is not told again unless it becomes more severe: \
`calor findings profile.calor --dismiss 2 --reason 'copied once'`. See docs/findings.md.

The exit code is 0 whatever was found, 1 with --fail-on when something was, and 2 when it failed.";

const WRITTEN: Written = Written::new("a page of findings");

/// The exit code for findings that are not to be there.
const FOUND: u8 = 1;

/// Find out why a program is slow, what to change and what that gives
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The profile, of any format that `calor convert --list` shows; - reads standard input
    #[arg(required_unless_present_any = ["list", "explain", "undismiss"])]
    file: Option<PathBuf>,
    /// Show all findings, not the first five alone
    #[arg(long)]
    all: bool,
    /// Ask this rule alone; may be given several times
    #[arg(long = "rule", value_name = "ID")]
    rules: Vec<String>,
    /// Leave out what this rule finds; the reason is shown. May be given several times
    #[arg(long = "suppress", value_name = "ID=REASON", value_parser = suppression)]
    suppressions: Vec<Suppression>,
    /// Do not tell this finding again: its number, RULE or RULE@FUNCTION. May be given several times
    #[arg(long, value_name = "WHICH", requires = "reason")]
    dismiss: Vec<String>,
    /// Why it is dismissed
    #[arg(long, value_name = "TEXT", requires = "dismiss")]
    reason: Option<String>,
    /// Tell again what was dismissed: RULE or RULE@FUNCTION
    #[arg(long, value_name = "WHICH")]
    undismiss: Vec<String>,
    /// Also ask the rules of this file; may be given several times
    #[arg(long = "rules", value_name = "FILE.toml")]
    own_rules: Vec<PathBuf>,
    /// End with exit code 1 if something at least so severe is found
    #[arg(long, value_name = "SEVERITY", value_enum)]
    fail_on: Option<FailOn>,
    #[command(flatten)]
    page: Page<Paged>,
    /// List the rules and what each needs
    #[arg(long)]
    list: bool,
    /// Tell what is written about a rule
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    explain: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Low,
    Medium,
    High,
    Critical,
}

impl From<FailOn> for Severity {
    fn from(given: FailOn) -> Self {
        match given {
            FailOn::Low => Self::Low,
            FailOn::Medium => Self::Medium,
            FailOn::High => Self::High,
            FailOn::Critical => Self::Critical,
        }
    }
}

/// What the project says of findings: its own rules, and what is not to be told, by the settings and by what was dismissed.
/// What cannot be read is no reason to tell nothing.
pub(crate) fn circumstances() -> Circumstances {
    let (circumstances, troubles) = project::current().circumstances();
    for trouble in troubles {
        match trouble {
            // It shows the lines of the file.
            Trouble::Settings(_) => news::say(format_args!("warning: {trouble}")),
            trouble => news::say_wrapped(&format!("warning: {trouble}")),
        }
    }
    circumstances
}

/// The same for one finding that was asked for, which may be of any rule: settings and rules have to be readable.
pub(crate) fn readable_circumstances() -> Result<Circumstances> {
    let (circumstances, troubles) = project::current().circumstances();
    for trouble in troubles {
        match trouble {
            Trouble::Settings(error) | Trouble::Rules(error) => return Err(error.into()),
            trouble => news::say_wrapped(&format!("warning: {trouble}")),
        }
    }
    Ok(circumstances)
}

/// What is told of a profile in which no rule found anything; `None` where one did, which its report tells.
#[cfg(feature = "workloads")]
pub(crate) fn nothing(subject: &str, profile: &Profile, color: bool) -> Result<Option<Vec<u8>>> {
    let judged = judge(profile, &Circumstances { roof: machine::roof(profile), ..circumstances() });
    if !judged.findings.found.is_empty() {
        return Ok(None);
    }
    let (format, width) = (calor_report::FindingsFormat::Text, terminal::width());
    let options = FindingsOptions { format, shows_all: false, is_brief: true, width, color };
    page(subject, &judged, profile, &options).map(Some)
}

fn page(subject: &str, judged: &Judgement, profile: &Profile, options: &FindingsOptions) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    let of = FoundIn {
        subject,
        findings: &judged.findings,
        warnings: &profile.warnings,
        is_without_waits: judged.is_without_waits,
    };
    render_findings(of, options, &mut page)?;
    Ok(page)
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    dismissal::undismiss(&arguments.undismiss)?;
    if arguments.file.is_none() && !arguments.list && arguments.explain.is_none() {
        return Ok(ExitCode::SUCCESS);
    }
    let settings = &project::settings()?.findings;
    let own = read_rules(settings.rules.iter().chain(&arguments.own_rules))?;
    if let Some(id) = &arguments.explain {
        let page = explanation::page(Rules::choose(&own, std::slice::from_ref(id))?.list()[0], &own)?;
        arguments.page.write(page.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let rules = Rules::choose(&own, &arguments.rules)?;
    let Some(file) = arguments.file.as_deref().filter(|_| !arguments.list) else {
        arguments.page.write(list::page(&rules, terminal::width()).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    };
    arguments.page.refuse_input(file)?;
    let format = arguments.page.format(WRITTEN)?;
    let mut suppressions: Vec<_> = settings.suppress.iter().chain(&arguments.suppressions).cloned().collect();
    rules.check_suppressions(&suppressions)?;
    let n_given = suppressions.len();
    suppressions.extend(dismissal::remembered());

    let profile = input::profile(file)?;
    let only = rules.list().iter().map(|rule| rule.about().id.to_owned()).collect();
    let mut circumstances = Circumstances {
        roof: machine::roof(&profile),
        own_rules: own.clone(),
        only,
        suppressions,
        ..Circumstances::default()
    };
    let mut judged = judge(&profile, &circumstances);
    let subject = file.display().to_string();
    if let Some(reason) = arguments.reason.as_deref() {
        dismissal::dismiss(&arguments.dismiss, reason, &judged.findings, &subject)?;
        circumstances.suppressions.truncate(n_given);
        circumstances.suppressions.extend(dismissal::remembered());
        judged = judge(&profile, &circumstances);
    }
    let options = FindingsOptions {
        format: format.into(),
        shows_all: arguments.all,
        is_brief: false,
        width: terminal::width(),
        color: arguments.page.is_coloured(),
    };
    arguments.page.write(&page(&subject, &judged, &profile, &options)?)?;

    let least = arguments.fail_on.map(Severity::from);
    let is_severe =
        |least: Severity| judged.findings.found.iter().any(|finding| finding.severity() >= Some(least));
    Ok(if least.is_some_and(is_severe) { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}
