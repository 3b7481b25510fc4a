//! The table of an experiment: each metric by command, with its ratio to the first.

use calor_analysis::{Change, ExperimentOutcome};

/// The cells of the table, its head first.
pub(super) fn cells(outcome: &ExperimentOutcome) -> Vec<Vec<String>> {
    let head = ["", "", "median", "middle half", "ratio to A", "95 % interval"];
    let mut cells = vec![head.map(str::to_owned).to_vec()];
    for series in &outcome.series {
        let mut rows = outcome.rows_of(series);
        rows.retain(|row| row.middle.is_some());
        for (at, row) in rows.iter().enumerate() {
            let Some(middle) = row.middle else { continue };
            let shown = |value: f64| row.metric.text(value);
            let [ratio, interval] = match row.change {
                Some(Change { effect, interval: [low, high] }) => {
                    [format!("{:.3}", 1.0 + effect), format!("{:.3} to {:.3}", 1.0 + low, 1.0 + high)]
                }
                None => Default::default(),
            };
            cells.push(vec![
                if at == 0 { row.metric.name().to_owned() } else { String::new() },
                row.name.to_string(),
                shown(middle.median),
                match middle.n {
                    // One run has no spread.
                    1 => String::new(),
                    _ => format!("{} to {}", shown(middle.low), shown(middle.high)),
                },
                ratio,
                interval,
            ]);
        }
    }
    cells
}
