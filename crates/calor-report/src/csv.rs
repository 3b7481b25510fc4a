//! Hot paths as a table for spreadsheets: the rows and their order are the report's, the columns those of the format.

use std::collections::HashSet;
use std::io::Write;

use calor_analysis::{CallTree, Grouping, HotPath};
use calor_model::StackId;

use crate::facts::Report;
use crate::{Error, selection};

pub(crate) fn write(report: &Report<'_>, out: &mut impl Write) -> Result<(), Error> {
    if report.options.subtract_overhead {
        return Err(Error::NotInCsv { what: "subtract the cost of recording" });
    }
    if report.options.grouping == Grouping::Function {
        return Err(Error::NotInCsv { what: "add up the paths of a function" });
    }
    let chosen = selection::on_threads(report.profile, &report.options.threads);
    calor_formats::csv::write_paths(&chosen, paths(report), out).map_err(|error| match error {
        calor_formats::Error::Write(error) => Error::Write(error),
        other => Error::Write(std::io::Error::other(other)),
    })
}

/// Every path once: scopes, then what was sampled, then who allocated, each in the order of the report.
fn paths(report: &Report<'_>) -> Vec<StackId> {
    let stacks = |tree: &CallTree<'_>, hot: &[HotPath]| -> Vec<StackId> {
        hot.iter().map(|entry| tree.node(entry.nodes[0]).stack).collect()
    };
    let mut paths = stacks(&report.tree, &report.hot);
    for sampled in &report.sampled {
        paths.extend(stacks(&sampled.tree, &sampled.hot));
    }
    paths.extend(report.allocators.iter().map(|entry| entry.stack));
    let mut seen = HashSet::new();
    paths.retain(|stack| seen.insert(*stack));
    paths
}
