//! Least squares of relative errors with coefficients that are not below 0. There are at most three columns, so every set
//! of columns is tried: exact, and without anything that would have to converge.

/// Fits `rows` of columns to `values`: the coefficients, and the mean square of the relative errors.
pub(super) fn fit(rows: &[Vec<f64>], values: &[f64]) -> Option<(Vec<f64>, f64)> {
    let n_columns = rows.first()?.len();
    let mut best: Option<(Vec<f64>, f64)> = None;
    for chosen in 1..1_u32 << n_columns {
        let columns: Vec<usize> = (0..n_columns).filter(|column| chosen & (1 << column) != 0).collect();
        let Some(solution) = solve(rows, values, &columns) else { continue };
        if solution.iter().any(|coefficient| *coefficient < 0.0 || !coefficient.is_finite()) {
            continue;
        }
        let mut coefficients = vec![0.0; n_columns];
        for (column, coefficient) in columns.iter().zip(solution) {
            coefficients[*column] = coefficient;
        }
        let error = mean_square(rows, values, &coefficients);
        if best.as_ref().is_none_or(|(_, least)| error < *least) {
            best = Some((coefficients, error));
        }
    }
    best
}

/// The value of a row with coefficients.
pub(super) fn value(row: &[f64], coefficients: &[f64]) -> f64 {
    row.iter().zip(coefficients).map(|(column, coefficient)| column * coefficient).sum()
}

fn mean_square(rows: &[Vec<f64>], values: &[f64], coefficients: &[f64]) -> f64 {
    let errors = rows.iter().zip(values).map(|(row, measured)| value(row, coefficients) / measured - 1.0);
    errors.map(|error| error * error).sum::<f64>() / values.len() as f64
}

/// The normal equations of the chosen columns, each row by its value so that errors are relative; by elimination.
fn solve(rows: &[Vec<f64>], values: &[f64], columns: &[usize]) -> Option<Vec<f64>> {
    let n = columns.len();
    let mut system = vec![vec![0.0_f64; n + 1]; n];
    for (row, measured) in rows.iter().zip(values) {
        let scaled: Vec<f64> = columns.iter().map(|column| row[*column] / measured).collect();
        for i in 0..n {
            for j in 0..n {
                system[i][j] += scaled[i] * scaled[j];
            }
            system[i][n] += scaled[i];
        }
    }
    let diagonal: Vec<f64> = (0..n).map(|i| system[i][i]).collect();
    for pivot in 0..n {
        let largest =
            (pivot..n).max_by(|a, b| system[*a][pivot].abs().total_cmp(&system[*b][pivot].abs()))?;
        system.swap(pivot, largest);
        let divisor = system[pivot][pivot];
        // Columns that say the same cannot be told apart.
        if divisor.abs() <= 1e-12 * diagonal[pivot] {
            return None;
        }
        for i in 0..n {
            if i != pivot {
                let factor = system[i][pivot] / divisor;
                let taken: Vec<f64> = system[pivot].iter().map(|value| factor * value).collect();
                system[i].iter_mut().zip(taken).for_each(|(value, taken)| *value -= taken);
            }
        }
    }
    Some((0..n).map(|i| system[i][n] / system[i][i]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_found_and_none_is_below_zero() {
        let rows: Vec<Vec<f64>> = (1..6).map(|n| vec![1.0, f64::from(n), f64::from(n * n)]).collect();
        let values: Vec<f64> = (1..6).map(|n| 3.0 + 0.5 * f64::from(n * n)).collect();
        let (coefficients, error) = fit(&rows, &values).unwrap();
        assert!(error < 1e-18 && (coefficients[0] - 3.0).abs() < 1e-6, "{coefficients:?}");
        // A falling line has no slope that is allowed: the mean of it is the best.
        let falling: Vec<f64> = (1..6).map(|n| 10.0 - f64::from(n)).collect();
        let rows: Vec<Vec<f64>> = (1..6).map(|n| vec![1.0, f64::from(n)]).collect();
        assert_eq!(fit(&rows, &falling).unwrap().0[1], 0.0);
    }
}
