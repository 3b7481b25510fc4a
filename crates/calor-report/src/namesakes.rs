//! Rows of one name that are different functions: the file stands behind the name where it tells rows apart, and only there.

use calor_analysis::telling_files;

use crate::document::Row;

/// Puts files behind the names of rows that read alike and are of different files.
pub(crate) fn tell_apart(rows: &mut [Row]) {
    let names: Vec<_> =
        rows.iter().map(|row| ((&row.name.callers, &row.name.leaf), row.name.file.as_deref())).collect();
    let ends: Vec<Option<String>> =
        telling_files(&names).into_iter().map(|end| end.map(|end| format!(" ({end})"))).collect();
    for (row, end) in rows.iter_mut().zip(ends) {
        if let Some(end) = end {
            row.name.leaf.push_str(&end);
            row.name.n_telling = end.len();
        }
    }
}
