//! Numbers in columns, for pages of commands that have no profile to report.

/// Lines of cells: the first and the last column begin in one place, numbers between them end in one.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let letters = |text: &str| text.chars().count();
    let width = |column: usize| rows.iter().map(|row| row.get(column).map_or(0, |cell| letters(cell))).max();
    let widths: Vec<usize> = (0..n_columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let blanks = " ".repeat(widths[column].saturating_sub(letters(cell)));
            line += &match column {
                0 => format!("{cell}{blanks}"),
                _ if column + 1 == n_columns => format!("  {cell}"),
                _ => format!("  {blanks}{cell}"),
            };
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_and_words_begin_in_one_place() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let lines =
            table(&[row(["counter", "value", ""]), row(["a", "1", "x"]), row(["bc", "12.3 ms", "yy"])]);
        assert_eq!(lines, ["counter    value", "a              1  x", "bc       12.3 ms  yy"]);
    }
}
