//! What samples found by function, all callers together: the first answer to where the time goes. Paths follow, and
//! tell who called.

use calor_analysis::quantity::{count, counted, duration, percent};
use calor_analysis::{Grouping, SampledLists};

use super::{REDUCED, hot_paths, leaf_name};
use crate::document::{Body, Row, Section, Table};
use crate::report::Report;
use crate::{carried, namesakes};

/// `None` where the list of paths says the same: it is one of functions itself, or no function has two paths.
pub(crate) fn section(report: &Report<'_>, sampled: &SampledLists<'_>) -> Option<Section> {
    if report.options.grouping == Grouping::Function || sampled.repeats_functions() {
        return None;
    }
    let columns = hot_paths::columns_of_samples(report, &sampled.functions, sampled.is_sum);
    let row = |entry| {
        let cells = hot_paths::cells_of_samples(report, sampled, entry, &sampled.functions);
        Row::new(leaf_name(report.answer.profile, sampled.tree.node(entry.nodes[0]).stack), cells)
    };
    let mut rows: Vec<Row> = sampled.functions.iter().map(row).collect();
    namesakes::tell_apart(&mut rows);
    let table = Table { subject: "function", columns, rows }.without_empty_columns();
    let n_shown = sampled.functions.len() as u64;
    let listed = match sampled.n_functions as u64 {
        n_all if n_all > n_shown => format!("{} of {}", count(n_shown), counted(n_all, "function")),
        n_all => counted(n_all, "function"),
    };
    let share: f64 = sampled.functions.iter().filter_map(|entry| entry.share).sum();
    let order = hot_paths::order(report, &sampled.tree);
    let whole = duration(sampled.tree.recorded_nanos() as f64);
    let mut intro = format!(
        "{listed} by {order}, all callers together: {} of {whole}. One that calls itself is in its total once.",
        percent(share)
    );
    if carried::caution(report.answer.profile).is_some() {
        intro.push(' ');
        intro.push_str(REDUCED);
    }
    let (id, title) = hot_paths::title_of_functions(sampled);
    Some(Section::new(id, title, Body::Table(table)).with_intro(intro))
}
