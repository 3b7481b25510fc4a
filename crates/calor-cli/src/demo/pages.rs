//! The files that the demo leaves beside its profiles, each made by the code of the command that makes such pages.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use calor_analysis::RoofNumber;
use calor_analysis::comparison::{Comparison, ComparisonOptions};
use calor_analysis::workload::{ModelRun, models};
use calor_model::Profile;
use calor_report::bench::models::models_page;
use calor_report::bench::{BenchFormat, BenchOptions};
use calor_report::flame::{FlameInput, FlameTreeOptions, html, svg};
use calor_report::{
    CompareFormat, CompareOptions, Options, ReportFormat, RooflineFormat, RooflineOptions, render_compared,
};

use super::inference::Recorded;
use crate::compare::sides;
use crate::{report, roofline};

/// The metric of a flame graph of samples.
const SAMPLES: &str = "cpu";

/// Files of one kind, and what they are for.
pub(super) struct Written {
    names: Vec<String>,
    purpose: &'static str,
}

/// Makes all of them. They are told in the order in which they are looked at.
pub(super) fn write(folder: &Path, recorded: &[Recorded]) -> Result<Vec<Written>> {
    // The last model is the one that is looked at first.
    let of_each = |ending: &str, purpose, page: &dyn Fn(&Recorded) -> Result<Vec<u8>>| {
        let mut names = Vec::new();
        for one in recorded.iter().rev() {
            let name = format!("{}{ending}", one.preset.name());
            put(folder, &name, &page(one)?)?;
            names.push(name);
        }
        Ok::<_, anyhow::Error>(Written { names, purpose })
    };
    let mut written = vec![
        of_each(".html", "the report, for a browser", &|one| report_page(one.run.profile(), html_report()))?,
        of_each("-flame.html", "a flame graph to explore", &|one| flame_page(one.run.profile()))?,
        of_each("-flame.svg", "the same of samples, as a picture", &flame_picture)?,
        of_each("-roofline.html", "operations beside what this machine can do", &|one| {
            roofline_page(one.run.profile())
        })?,
    ];
    let mut of_all = |name: &str, purpose, page: Vec<u8>| -> Result<()> {
        put(folder, name, &page)?;
        written.push(Written { names: vec![name.to_owned()], purpose });
        Ok(())
    };
    if let [before, after] = recorded {
        of_all("models.html", "the two models: how time grows with size", models_of(recorded)?)?;
        of_all("compare.html", "the two runs, scope by scope", compare_page(before, after)?)?;
    }
    let names = recorded.iter().rev().map(|one| format!("{}.calor", one.preset.name())).collect();
    written.push(Written { names, purpose: "the profile: what all of this is made from" });
    Ok(written)
}

/// The report of a profile. What stands out comes at its end, or in a page at its beginning.
pub(super) fn report_page(profile: &Profile, options: Options) -> Result<Vec<u8>> {
    report::page(profile, options)
}

/// The models beside each other, each from a profile of its own.
fn models_of(recorded: &[Recorded]) -> Result<Vec<u8>> {
    let found: Vec<ModelRun> = recorded.iter().flat_map(|one| models(one.run.profile())).collect();
    let mut page = Vec::new();
    let options = BenchOptions { format: BenchFormat::Html, width: 0, color: false };
    calor_report::bench::render(&models_page(&found), None, &options, &mut page)?;
    Ok(page)
}

/// What was written, a line for each kind; where that is too wide, with what it is for below.
pub(super) fn list(written: &[Written], columns: usize) -> String {
    let names: Vec<String> = written.iter().map(|of_kind| of_kind.names.join("  ")).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let purposes = written.iter().map(|of_kind| of_kind.purpose.len()).max().unwrap_or(0);
    let is_beside = 2 + width + 2 + purposes <= columns;
    let mut list = String::new();
    for (names, Written { purpose, .. }) in names.iter().zip(written) {
        let _ = match is_beside {
            true => writeln!(list, "  {names:width$}  {purpose}"),
            false => writeln!(list, "  {names}\n      {purpose}"),
        };
    }
    list
}

fn html_report() -> Options {
    Options { format: ReportFormat::Html, ..Options::default() }
}

fn flame_page(profile: &Profile) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    html::write(profile, &FlameInput::of_profile(profile), &html::HtmlOptions::default(), &mut page)?;
    Ok(page)
}

/// Of samples where there are any: what scopes tell is in the report.
fn flame_picture(recorded: &Recorded) -> Result<Vec<u8>> {
    let (preset, profile) = (recorded.preset, recorded.run.profile());
    let input = FlameInput::of_profile(profile);
    let metric = input.metric(SAMPLES).or(input.metrics.first()).context("nothing was recorded")?;
    let look = svg::SvgOptions {
        title: format!("{} model: {}", preset.name(), input.title),
        ..svg::SvgOptions::default()
    };
    let mut picture = Vec::new();
    svg::draw(profile, metric, FlameTreeOptions::default(), &look, &mut picture)?;
    Ok(picture)
}

fn roofline_page(profile: &Profile) -> Result<Vec<u8>> {
    let options = RooflineOptions {
        format: RooflineFormat::Html,
        number: RoofNumber::F32,
        ..RooflineOptions::default()
    };
    roofline::page(profile, None, &options)
}

fn compare_page(before: &Recorded, after: &Recorded) -> Result<Vec<u8>> {
    let sides = sides::read(std::slice::from_ref(&before.file), std::slice::from_ref(&after.file))?;
    let options = ComparisonOptions { remarks: sides.remarks, ..ComparisonOptions::default() };
    let compared = Comparison::new(&sides.before, &sides.after, &options)?;
    let shown = CompareOptions { format: CompareFormat::Html, ..CompareOptions::default() };
    let mut page = Vec::new();
    render_compared(&compared, &shown, &mut page)?;
    Ok(page)
}

fn put(folder: &Path, name: &str, content: &[u8]) -> Result<()> {
    let path = folder.join(name);
    calor_host::replace(&path, content).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_files_are_for_is_below_them_where_there_is_no_room_beside() {
        let of_kind = |names: &[&str], purpose| Written {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            purpose,
        };
        let written = [of_kind(&["a.html", "b.html"], "the report"), of_kind(&["c.calor"], "the profile")];
        assert_eq!(list(&written, 29), "  a.html  b.html  the report\n  c.calor         the profile\n");
        assert_eq!(list(&written, 28), "  a.html  b.html\n      the report\n  c.calor\n      the profile\n");
    }
}
